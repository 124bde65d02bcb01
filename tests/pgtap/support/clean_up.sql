-- Clean-up is part of about one sweep in sixty: w, a member, sweeps until it has happened.
CREATE FUNCTION sweep_until(condition text) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
  FOR round IN 1..40 LOOP
    PERFORM dblink_exec('w', 'DO ''BEGIN FOR i IN 1..100 LOOP PERFORM coord.sweep(); COMMIT; END LOOP; END''');
    IF other.wait_for(condition, bound => '0') THEN
      RETURN true;
    END IF;
  END LOOP;
  RETURN false;
END
$$;
