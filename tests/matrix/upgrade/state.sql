-- All that a registry holds, one line for each thing; the first word says of what kind.
SET search_path = pg_catalog;
SET TimeZone = 'UTC';
SELECT format('SELECT %L || t FROM coord.%I t ORDER BY t::text', substr(relname, 2) || ' ', relname)
FROM pg_class WHERE relnamespace = 'coord'::regnamespace AND relkind = 'r' ORDER BY relname \gexec
SELECT 'sequence ' || sequencename || ' ' || last_value FROM pg_sequences WHERE schemaname = 'coord' ORDER BY 1;
SELECT 'key ' || key || ' ' || coord.lock_key(key) FROM coord._lock ORDER BY 1;
SELECT concat_ws(' ', 'trigger', pg_get_triggerdef(oid), tgenabled) FROM pg_trigger
WHERE tgname LIKE 'pg\_coord%' ORDER BY 1;
SELECT 'data ' || w FROM public.written w ORDER BY 1;
SELECT 'data ' || p FROM public.parts p ORDER BY 1;
SELECT concat_ws(' ', 'rights', what, grantee::regrole, privilege_type, is_grantable)
FROM (SELECT oid::regclass::text, relacl FROM pg_class WHERE relnamespace = 'coord'::regnamespace
  UNION ALL SELECT oid::regprocedure::text, proacl FROM pg_proc WHERE pronamespace = 'coord'::regnamespace
  UNION ALL SELECT nspname, nspacl FROM pg_namespace WHERE nspname = 'coord') AS o (what, acl), aclexplode(acl)
WHERE grantee <> 0 AND grantee::regrole::text IN ('observing', 'taking_part', 'governing', 'stranger') ORDER BY 1;
