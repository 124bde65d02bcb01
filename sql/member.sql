-- Words of join, leave and heartbeat.
\set ECHO none
\getenv abs_srcdir PG_ABS_SRCDIR
\set sessions :abs_srcdir '/tests/pgtap/support/sessions.sql'
\i :sessions
\set ECHO all

-- Nobody yet.
SELECT coord.heartbeat();
\echo :SQLSTATE
SELECT coord.leave();

-- A join, and the same once more: one membership, brought up to date.
SELECT coord.join('a', 'regress_member') AS incarnation \gset
SELECT instance_id, status, subscriptions, in_flight_count, load_factor, heartbeat_timeout,
  session_pid = pg_backend_pid() AS here, client_addr, metadata
FROM coord.peers WHERE member_group = 'regress_member';
SELECT coord.join('a', 'regress_member', '{orders,bills}', '{"zone": 7}', '1 min') = :incarnation AS same;
SELECT instance_id, status, subscriptions, heartbeat_timeout, metadata FROM coord.peers WHERE member_group = 'regress_member';

-- What a heartbeat says stays until another one says otherwise.
SELECT count(*) AS led FROM coord.heartbeat('{orders}', 3, 0.25);
SELECT subscriptions, in_flight_count, load_factor FROM coord.peers WHERE member_group = 'regress_member';
SELECT count(*) AS led FROM coord.heartbeat();
SELECT count(*) AS led FROM coord.heartbeat(in_flight_count => 4);
SELECT subscriptions, in_flight_count, load_factor FROM coord.peers WHERE member_group = 'regress_member';
SELECT count(*) AS led FROM coord.heartbeat('{}', 0, 0);
SELECT subscriptions, in_flight_count, load_factor FROM coord.peers WHERE member_group = 'regress_member';

-- One session has one name, one name has one session.
SELECT coord.join('b', 'regress_member');
\echo :SQLSTATE
SELECT coord.join('a', 'regress_member_too');
\echo :SQLSTATE
SELECT other.open('second');
\set VERBOSITY terse
SELECT other.must('second', $$SELECT coord.join('a', 'regress_member')$$);
\set VERBOSITY default
\echo :SQLSTATE
SELECT other.must('second', $$SELECT coord.join('a', 'regress_member_too') > 0$$) AS another_group;
SELECT member_group, instance_id, status FROM coord.peers WHERE member_group ~ '^regress_member'
ORDER BY member_group COLLATE "C";

-- The end.
SELECT coord.leave();
SELECT coord.leave();
SELECT coord.heartbeat();
\echo :SQLSTATE
SELECT count(*) FROM coord.peers WHERE member_group = 'regress_member';

-- A later join of the name is another incarnation.
SELECT coord.join('a', 'regress_member') > :incarnation AS rises;
SELECT coord.leave();
SELECT other.must('second', 'SELECT coord.leave()') AS left;
SELECT other.close('second');
