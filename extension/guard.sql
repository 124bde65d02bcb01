-- Guarded tables. With the caller's rights: only a table's owner can guard it.

CREATE FUNCTION coord._guarded_with(target regclass) RETURNS TABLE (victim regclass, rows boolean, truncation boolean)
LANGUAGE sql STABLE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
  -- Row triggers follow into every partition, of today and tomorrow, but not to other children; TRUNCATE triggers have
  -- to be put on each, and cannot be put on foreign tables.
  WITH RECURSIVE family (relation) AS (
    SELECT target::oid UNION SELECT i.inhrelid FROM pg_inherits i JOIN family f ON i.inhparent = f.relation
  )
  SELECT f.relation::regclass, f.relation = target OR NOT c.relispartition, c.relkind IN ('r', 'p')
  FROM family f JOIN pg_class c ON c.oid = f.relation WHERE c.relkind IN ('r', 'p', 'f')
$$;
COMMENT ON FUNCTION coord._guarded_with(regclass) IS 'a table and its children, and which triggers each needs';
REVOKE ALL ON FUNCTION coord._guarded_with(regclass) FROM PUBLIC;

CREATE FUNCTION coord.unguard_table(target regclass) RETURNS void
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp SET client_min_messages = warning AS $$
DECLARE
  t record;
BEGIN
  IF target IS NULL THEN
    RAISE null_value_not_allowed USING MESSAGE = 'target must not be null';
  END IF;
  FOR t IN SELECT * FROM coord._guarded_with(target) LOOP
    IF t.rows THEN
      EXECUTE format('DROP TRIGGER IF EXISTS pg_coord_guard ON %s', t.victim);
    END IF;
    EXECUTE format('DROP TRIGGER IF EXISTS pg_coord_guard_truncate ON %s', t.victim);
  END LOOP;
END
$$;
COMMENT ON FUNCTION coord.unguard_table(regclass) IS 'undoes coord.guard_table(); does nothing for a table without guard';
REVOKE ALL ON FUNCTION coord.unguard_table(regclass) FROM PUBLIC;

CREATE FUNCTION coord.guard_table(target regclass, election text) RETURNS void
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  t record;
BEGIN
  IF target IS NULL OR election IS NULL THEN
    RAISE null_value_not_allowed USING MESSAGE = 'target and election must not be null';
  END IF;
  IF octet_length(election) NOT BETWEEN 1 AND 200 OR election ~ '[\x01-\x1f\x7f]' THEN
    RAISE invalid_parameter_value USING
      MESSAGE = 'invalid election', HINT = 'Names have 1 to 200 bytes and no control characters.';
  END IF;
  IF NOT EXISTS (SELECT FROM coord._guarded_with(target)) THEN
    RAISE wrong_object_type USING MESSAGE = format('%s is not a table', target);
  END IF;
  PERFORM coord.unguard_table(target);
  FOR t IN SELECT * FROM coord._guarded_with(target) LOOP
    IF t.rows THEN
      EXECUTE format('CREATE TRIGGER pg_coord_guard BEFORE INSERT OR UPDATE OR DELETE ON %s '
                     'FOR EACH ROW EXECUTE FUNCTION coord._require_fence(%L)', t.victim, election);
      EXECUTE format('ALTER TABLE %s ENABLE ALWAYS TRIGGER pg_coord_guard', t.victim);
    END IF;
    IF t.truncation THEN
      EXECUTE format('CREATE TRIGGER pg_coord_guard_truncate BEFORE TRUNCATE ON %s '
                     'FOR EACH STATEMENT EXECUTE FUNCTION coord._require_fence(%L)', t.victim, election);
      EXECUTE format('ALTER TABLE %s ENABLE ALWAYS TRIGGER pg_coord_guard_truncate', t.victim);
    END IF;
  END LOOP;
END
$$;
COMMENT ON FUNCTION coord.guard_table(regclass, text) IS
  'writes to the table and its children fail with PC002 unless their transaction is fenced on that election';
REVOKE ALL ON FUNCTION coord.guard_table(regclass, text) FROM PUBLIC;
