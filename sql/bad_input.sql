-- Arguments that are refused, and the last ones that are not.
\set VERBOSITY sqlstate
CREATE TABLE regress_bad_name (position int, name text);
INSERT INTO regress_bad_name VALUES
  (1, 'NULL'), (2, ''''''), (3, 'repeat(''a'', 201)'), (4, 'repeat(''é'', 101)'), (5, 'E''a\x01b'''), (6, 'E''a\tb'''),
  (7, 'E''a\nb'''), (8, 'E''\x1f'''), (9, 'E''a\x7f'''), (10, 'repeat(''a'', 1000000)');

-- Names, everywhere; before anything else is looked at, so that it needs no membership to be told.
SELECT format('SELECT coord.%s', replace(call, 'NAME', name))
FROM unnest(ARRAY['join(NAME)', 'join(''a'', NAME)', 'campaign(NAME)', 'try_acquire(NAME)', 'resign(NAME)', 'withdraw(NAME)',
                  'depose(NAME)', 'leader(NAME)', 'fence(NAME, 1)', 'guard_table(''regress_bad_name'', NAME)',
                  'drain(NAME)', 'drain(''a'', NAME)', 'remove_member(NAME)', 'remove_member(''a'', NAME)',
                  'assign(NAME, ''{s}'', ''e'', 1)', 'assign(''a'', ''{s}'', NAME, 1)'])
  WITH ORDINALITY AS c (call, number), regress_bad_name ORDER BY number, position \gexec

-- The words.
\set SHOW_CONTEXT never
\set VERBOSITY default
SELECT coord.campaign(NULL);
\echo :SQLSTATE
SELECT coord.campaign('');
\echo :SQLSTATE
SELECT coord.join(repeat('a', 201));
SELECT coord.join('a', E'a\nb');
SELECT coord.guard_table('regress_bad_name', '');
\set VERBOSITY terse

-- Other nulls.
SELECT coord.join('a', subscriptions => NULL);
\echo :SQLSTATE
SELECT coord.join('a', subscriptions => '{a,NULL}');
\echo :SQLSTATE
SELECT coord.join('a', metadata => NULL);
\echo :SQLSTATE
SELECT coord.join('a', heartbeat_timeout => NULL);
\echo :SQLSTATE
SELECT coord.campaign('regress_bad', NULL);
\echo :SQLSTATE
SELECT coord.fence('regress_bad', NULL);
\echo :SQLSTATE
SELECT coord.guard_table(NULL, 'regress_bad');
\echo :SQLSTATE
SELECT coord.unguard_table(NULL);
\echo :SQLSTATE
SELECT coord.grant_access(NULL, 'member');
\echo :SQLSTATE
SELECT coord.grant_access(current_user::regrole, NULL);
\echo :SQLSTATE

-- Timeouts: 1 second to 1 day.
\set VERBOSITY default
SELECT coord.join('a', heartbeat_timeout => '999 ms');
\echo :SQLSTATE
\set VERBOSITY terse
SELECT format('SELECT coord.join(''a'', heartbeat_timeout => %L)', timeout)
FROM unnest(ARRAY['0', '-1 s', '999.999 ms', '1 day 1 us', '25 h', '1 month', '-1 month', '100 years', '178000000 years',
                  '1 day -24 hours', '-2000000000 days']) timeout \gexec
SELECT coord.join('a', heartbeat_timeout => '-2 s');
\echo :SQLSTATE
SELECT count(*) AS members FROM coord.peers WHERE session_pid = pg_backend_pid();
SELECT format('SELECT coord.join(''a'', heartbeat_timeout => %L) > 0 AS joined', timeout)
FROM unnest(ARRAY['1 s', '1 day', '24 h', '1 day -23:59:59']) timeout \gexec
SELECT heartbeat_timeout FROM coord.peers WHERE session_pid = pg_backend_pid();
SELECT coord.heartbeat('{a,NULL}');
\echo :SQLSTATE
SELECT subscriptions FROM coord.peers WHERE session_pid = pg_backend_pid();
SELECT coord.leave();

-- Levels and roles.
\set VERBOSITY default
SELECT coord.grant_access(current_user::regrole, 'owner');
\echo :SQLSTATE
SELECT coord.grant_access('regress_coord_nobody', 'member');
\echo :SQLSTATE

-- The longest names, and values of every size.
SELECT coord.join(repeat('i', 200), repeat('é', 100), array_fill('s'::text, ARRAY[10000]),
  jsonb_build_object('k', repeat('m', 1000000))) > 0 AS joined;
SELECT octet_length(leader), is_leader FROM coord.campaign(repeat('e', 200), 2147483647);
SELECT count(*) AS led FROM coord.heartbeat('{}', 2147483647, '-1.7976931348623157e308');
SELECT octet_length(instance_id) AS id, octet_length(member_group) AS of_group, length(metadata ->> 'k') AS metadata,
  subscriptions, in_flight_count, load_factor FROM coord.peers WHERE session_pid = pg_backend_pid();
SELECT coord.resign(repeat('e', 200));
SELECT coord.leave();

-- The session is none the worse.
SELECT coord.join('a') > 0 AS joined;
SELECT leader, is_leader FROM coord.campaign('regress_bad', -2147483648);
SELECT coord.leave();
DROP TABLE regress_bad_name;
