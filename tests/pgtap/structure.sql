-- What publications, dumps, parallel plans and other people's search_path rely on.
SELECT plan(18);

SELECT is_empty($$SELECT c.oid::regclass FROM pg_class c WHERE relnamespace = 'coord'::regnamespace AND relkind = 'r'
  AND NOT EXISTS (SELECT FROM pg_index i WHERE i.indrelid = c.oid AND indisprimary)$$,
  'every table has a primary key, for publications of all tables');
SELECT results_eq($$SELECT unnest(extconfig)::regclass::text FROM pg_extension WHERE extname = 'pg_coord' ORDER BY 1$$,
  ARRAY['coord._election', 'coord._epoch', 'coord._lock'],
  'elections, the epoch and the names of locks are dumped, members are not');
SELECT is_empty($$SELECT extcondition FROM pg_extension, unnest(extcondition) c WHERE extname = 'pg_coord' AND c <> ''$$,
  'and all of their rows');

-- Heartbeats
SELECT is_empty($$SELECT a.attname FROM pg_index i JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = ANY (i.indkey)
  WHERE i.indrelid = 'coord._beat'::regclass AND a.attname <> 'incarnation'$$,
  'no index on a column that a heartbeat changes');
SELECT is((SELECT string_agg(attname || ' ' || atttypid::regtype || ' ' || attnotnull, ', ' ORDER BY attnum) FROM pg_attribute
  WHERE attrelid = 'coord._beat'::regclass AND attnum BETWEEN 1 AND 5),
  'incarnation bigint true, heartbeat_timeout bigint true, last_heartbeat_at timestamp with time zone true, '
  'in_flight_count integer true, load_factor double precision true', 'the columns that are written in place are where beat.cpp looks');
SELECT is_empty($$SELECT attname FROM pg_attribute WHERE attrelid = 'coord._beat'::regclass AND attnum > 0 AND attlen < 0$$,
  'a heartbeat''s row is narrow: no value of variable length');

-- Functions
SELECT is_empty($$SELECT oid::regprocedure FROM pg_proc WHERE pronamespace = 'coord'::regnamespace
  AND prolang = (SELECT oid FROM pg_language WHERE lanname = 'c') AND provolatile <> 'v'
  AND oid <> 'coord.lock_key(text)'::regprocedure$$,
  'what looks at sessions and clocks is volatile: all but a hash of the argument');
SELECT is((SELECT string_agg(concat(proname, ' ', provolatile, proparallel, proisstrict), ', ' ORDER BY proname) FROM pg_proc
  WHERE pronamespace = 'coord'::regnamespace AND provolatile = 'i'),
  'lock_key ist, migration_lock_key ist', 'the keys of locks are pure');
SELECT is((SELECT string_agg(proname, ' ' ORDER BY proname) FROM pg_proc WHERE pronamespace = 'coord'::regnamespace
  AND proparallel <> 'u'),
  '_current_epoch _heard _session_alive leader lock_key migration_lock_key', 'nothing else may run in a parallel plan');
SELECT is((SELECT string_agg(proname, ' ' ORDER BY proname) FROM pg_proc WHERE pronamespace = 'coord'::regnamespace
  AND proparallel = 's'),
  '_current_epoch _heard _session_alive lock_key migration_lock_key', 'leader() says whether this session leads, so a worker may not answer');
SELECT is_empty($$SELECT oid::regprocedure FROM pg_proc WHERE pronamespace = 'coord'::regnamespace
  AND (prosecdef OR prolang <> (SELECT oid FROM pg_language WHERE lanname = 'c'))
  AND NOT COALESCE(proconfig, '{}') @> ARRAY['search_path=pg_catalog, pg_temp']$$,
  'with the owner''s rights, or in SQL, only under a search_path of their own');
SELECT is((SELECT string_agg(proname, ' ' ORDER BY proname) FROM pg_proc WHERE pronamespace = 'coord'::regnamespace
  AND prosecdef),
  '_discard _name_lock announce_shutdown assign campaign depose drain heartbeat join leave remove_member resign sweep try_acquire withdraw', 'only what changes the registry or names a lock runs with the owner''s rights');
SELECT is_empty($$SELECT oid::regprocedure FROM pg_proc WHERE pronamespace = 'coord'::regnamespace
  AND proname IN ('guard_table', 'unguard_table', 'grant_access', 'fence', 'try_lock', 'lock', 'unlock', 'unlock_all') AND prosecdef$$,
  'what changes other people''s tables and rights does not, nor what takes locks');

-- Texts are compared byte by byte, whatever the database's collation.
SELECT is_empty($$SELECT attrelid::regclass, attname FROM pg_attribute WHERE attrelid IN ('coord._member'::regclass,
  'coord._election'::regclass, 'coord._candidate'::regclass, 'coord._change'::regclass, 'coord._assignment'::regclass, 'coord._lock'::regclass) AND atttypid = 'text'::regtype
  AND attnum > 0 AND attname <> 'cause' AND attcollation <> (SELECT oid FROM pg_collation WHERE collname = 'C')$$,
  'names have the collation "C"');

-- Traces outside of the schema
SELECT is_empty($$SELECT pg_describe_object(classid, objid, 0) FROM pg_depend JOIN pg_extension e ON refobjid = e.oid
  WHERE refclassid = 'pg_extension'::regclass AND extname = 'pg_coord' AND deptype = 'e'
  AND pg_describe_object(classid, objid, 0) NOT LIKE '%coord.%'$$, 'everything lies in the schema');
SELECT is_empty($$SELECT rolname FROM pg_roles WHERE rolname ~ 'coord'$$, 'no role was made');
CREATE PUBLICATION everything FOR ALL TABLES;
SELECT is((coord.join('a') > 0, (coord.campaign('e')).is_leader, (SELECT count(*) FROM coord.heartbeat()))::text, '(t,t,1)',
  'a publication of all tables does not stand in the way');

-- The library
SELECT current_setting('server_version_num')::int >= 180000 AS tells_versions \gset
\if :tells_versions
  SELECT is((SELECT version FROM pg_get_loaded_modules() WHERE module_name = 'pg_coord'),
    (SELECT extversion FROM pg_extension WHERE extname = 'pg_coord'), 'the library tells its version, that of the SQL');
\else
  SELECT skip('from PostgreSQL 18 on the library tells its version', 1);
\endif

SELECT * FROM finish();
