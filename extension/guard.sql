-- Guarded tables. With the caller's rights: only a table's owner can guard it.

CREATE FUNCTION coord.unguard_table(target regclass) RETURNS void
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp SET client_min_messages = warning AS $$
DECLARE
  victim regclass;
BEGIN
  IF target IS NULL THEN
    RAISE null_value_not_allowed USING MESSAGE = 'target must not be null';
  END IF;
  EXECUTE format('DROP TRIGGER IF EXISTS pg_coord_guard ON %s', target);
  FOR victim IN SELECT target UNION SELECT relid FROM pg_partition_tree(target) LOOP
    EXECUTE format('DROP TRIGGER IF EXISTS pg_coord_guard_truncate ON %s', victim);
  END LOOP;
END
$$;
COMMENT ON FUNCTION coord.unguard_table(regclass) IS 'undoes coord.guard_table(); does nothing for a table without guard';
REVOKE ALL ON FUNCTION coord.unguard_table(regclass) FROM PUBLIC;

CREATE FUNCTION coord.guard_table(target regclass, election text) RETURNS void
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  victim regclass;
BEGIN
  IF target IS NULL OR election IS NULL THEN
    RAISE null_value_not_allowed USING MESSAGE = 'target and election must not be null';
  END IF;
  IF octet_length(election) NOT BETWEEN 1 AND 200 OR election ~ '[\x01-\x1f\x7f]' THEN
    RAISE invalid_parameter_value USING
      MESSAGE = 'invalid election', HINT = 'Names have 1 to 200 bytes and no control characters.';
  END IF;
  PERFORM coord.unguard_table(target);
  -- Row triggers follow into every partition, of today and tomorrow; TRUNCATE triggers have to be put on each.
  EXECUTE format('CREATE TRIGGER pg_coord_guard BEFORE INSERT OR UPDATE OR DELETE ON %s '
                 'FOR EACH ROW EXECUTE FUNCTION coord._require_fence(%L)', target, election);
  EXECUTE format('ALTER TABLE %s ENABLE ALWAYS TRIGGER pg_coord_guard', target);
  FOR victim IN SELECT target UNION SELECT relid FROM pg_partition_tree(target) LOOP
    EXECUTE format('CREATE TRIGGER pg_coord_guard_truncate BEFORE TRUNCATE ON %s '
                   'FOR EACH STATEMENT EXECUTE FUNCTION coord._require_fence(%L)', victim, election);
    EXECUTE format('ALTER TABLE %s ENABLE ALWAYS TRIGGER pg_coord_guard_truncate', victim);
  END LOOP;
END
$$;
COMMENT ON FUNCTION coord.guard_table(regclass, text) IS
  'writes to the table fail with PC002 unless their transaction is fenced on that election';
REVOKE ALL ON FUNCTION coord.guard_table(regclass, text) FROM PUBLIC;
