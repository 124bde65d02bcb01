-- Rights: nothing for PUBLIC; each level includes the one before.

CREATE FUNCTION coord.grant_access(role regrole, level text) RETURNS void
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  observer constant text[] := ARRAY['leader(text)', 'lock_key(text)', 'migration_lock_key(uuid,text)', '_session_alive(int,timestamptz)',
    '_current_epoch()', '_heard(timestamptz,bigint)'];
  member constant text[] := ARRAY['join(text,text,text[],jsonb,interval)', 'heartbeat(text[],int,float8,boolean)',
    'leave()', 'sweep()', 'announce_shutdown(text,interval,int,jsonb)', 'drain(text,text,text,interval,jsonb)',
    'remove_member(text,text)', 'assign(text,text[],text,bigint,int)', 'campaign(text,int)', 'try_acquire(text)', 'resign(text)', 'withdraw(text)', 'fence(text,bigint)',
    'guard_table(regclass,text)', 'unguard_table(regclass)', '_guarded_with(regclass)',
    '_require_fence()', 'try_lock(text)', 'unlock(text)', 'unlock_all()', '_name_lock(text)'];
  admin constant text[] := ARRAY['depose(text)'];
  granted text[];
  called text;
BEGIN
  IF role IS NULL OR level IS NULL THEN
    RAISE null_value_not_allowed USING MESSAGE = 'role and level must not be null';
  END IF;
  granted := CASE level
    WHEN 'observer' THEN observer
    WHEN 'member' THEN observer || member
    WHEN 'admin' THEN observer || member || admin
  END;
  IF granted IS NULL THEN
    RAISE invalid_parameter_value USING
      MESSAGE = format('invalid level "%s"', level), HINT = 'Use observer, member or admin.';
  END IF;
  EXECUTE format('GRANT USAGE ON SCHEMA coord TO %s', role);
  EXECUTE format('GRANT SELECT ON coord.peers, coord.orphaned_subscriptions, coord.assignments, coord.locks, coord.elections, '
    'coord.candidates, coord.leadership_log TO %s', role);
  IF level <> 'observer' THEN
    EXECUTE format('GRANT EXECUTE ON PROCEDURE coord.lock(text, interval) TO %s', role);
  END IF;
  FOREACH called IN ARRAY granted LOOP
    EXECUTE format('GRANT EXECUTE ON FUNCTION coord.%s TO %s', called, role);
  END LOOP;
END
$$;
COMMENT ON FUNCTION coord.grant_access(regrole, text) IS
  'lets a role take part: observer (reads), member (leads, fences), admin (deposes); only the extension''s owner may';
REVOKE ALL ON FUNCTION coord.grant_access(regrole, text) FROM PUBLIC;

-- What default privileges, or grants on a schema that was there, have given to others.
DO $$
DECLARE
  grantee text;
  what text;
BEGIN
  FOR grantee IN SELECT DISTINCT CASE a.grantee WHEN 0 THEN 'PUBLIC' ELSE a.grantee::regrole::text END
    FROM (SELECT relacl, relowner FROM pg_class WHERE relnamespace = 'coord'::regnamespace
      UNION ALL SELECT proacl, proowner FROM pg_proc WHERE pronamespace = 'coord'::regnamespace
      UNION ALL SELECT nspacl, nspowner FROM pg_namespace WHERE nspname = 'coord') AS o (acl, owner),
      aclexplode(o.acl) a WHERE a.grantee <> o.owner
  LOOP
    FOREACH what IN ARRAY ARRAY['ALL TABLES IN SCHEMA', 'ALL SEQUENCES IN SCHEMA', 'ALL ROUTINES IN SCHEMA', 'SCHEMA'] LOOP
      EXECUTE format('REVOKE ALL ON %s coord FROM %s', what, grantee);
    END LOOP;
  END LOOP;
END
$$;
