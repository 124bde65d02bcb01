-- Words of announce_shutdown, drain and remove_member, and of heartbeat's numbers.
\set ECHO none
\getenv abs_srcdir PG_ABS_SRCDIR
\set sessions :abs_srcdir '/tests/pgtap/support/sessions.sql'
\i :sessions
\set ECHO all

-- For members only, but to drain and to remove.
SELECT coord.announce_shutdown('graceful');
\echo :SQLSTATE
SELECT coord.drain('nobody', 'regress_shutdown');
\echo :SQLSTATE
SELECT coord.remove_member('nobody', 'regress_shutdown');

-- Arguments are looked at first.
SELECT coord.announce_shutdown('suddenly');
\echo :SQLSTATE
SELECT coord.drain('a', intent => 'GRACEFUL');
\echo :SQLSTATE
SELECT coord.announce_shutdown('graceful', '-1 us');
\echo :SQLSTATE
SELECT coord.announce_shutdown('graceful', in_flight_count => -1);
\echo :SQLSTATE
SELECT coord.announce_shutdown('graceful', metadata => '["a list"]');
\echo :SQLSTATE
\set VERBOSITY terse
SELECT format('SELECT coord.announce_shutdown(%s)', arguments)
FROM unnest(ARRAY['NULL', '''''', '''graceful ''', '''Graceful''', '''shutdown''', '''graceful'', NULL',
  '''graceful'', in_flight_count => NULL', '''graceful'', in_flight_count => -2147483648', '''graceful'', metadata => NULL',
  '''graceful'', metadata => ''null''', '''graceful'', metadata => ''"text"''', '''graceful'', metadata => ''1''']) arguments \gexec
SELECT coord.announce_shutdown('graceful', metadata => '2');
\echo :SQLSTATE
SELECT format('SELECT coord.%s', replace(call, 'SPAN', quote_literal(span)))
FROM unnest(ARRAY['announce_shutdown(''graceful'', SPAN)', 'drain(''a'', drain_timeout => SPAN)']) call,
  unnest(ARRAY['-1 s', '1 day 1 us', '25 h', '1 month', '-1 month', '178000000 years', '1 day -24:00:00.000001']) span \gexec
SELECT coord.drain('a', drain_timeout => '-2 s');
\echo :SQLSTATE
SELECT coord.announce_shutdown('graceful', make_interval(months => 1850367846, days => 27));
SELECT format('SELECT coord.drain(''a'', %s)', arguments)
FROM unnest(ARRAY['intent => NULL', 'intent => ''''', 'drain_timeout => NULL', 'metadata => NULL', 'metadata => ''[]''']) arguments \gexec
SELECT coord.drain('a', metadata => '2');
\echo :SQLSTATE

-- A notice, and what a peer shows of it.
SELECT coord.join('a', 'regress_shutdown', '{orders}', '{"zone": 7}') > 0 AS joined;
SELECT coord.announce_shutdown('graceful') - clock_timestamp() BETWEEN '29 s' AND '30 s' AS half_a_minute;
SELECT status, shutdown_intent, shutdown_deadline - shutdown_initiated_at AS span, in_flight_count, metadata, shutdown_metadata,
  time_remaining BETWEEN '20 s' AND '30 s' AS remains, subscriptions, leads
FROM coord.peers WHERE member_group = 'regress_shutdown';
SELECT coord.announce_shutdown(intent, span, 7, '{"why": "test"}') - clock_timestamp() <= span AS announced,
  (SELECT shutdown_intent FROM coord.peers WHERE member_group = 'regress_shutdown') AS before
FROM (VALUES (1, 'preemption', interval '1 day'), (2, 'health_failure', '24 h'), (3, 'maintenance', '1 day -23:59')) v (n, intent, span)
ORDER BY n;
SELECT status, shutdown_intent, shutdown_deadline - shutdown_initiated_at AS span, in_flight_count, metadata, shutdown_metadata
FROM coord.peers WHERE member_group = 'regress_shutdown';

-- What is still possible: everything, until the deadline.
SELECT leader, is_leader FROM coord.campaign('regress_shutdown');
SELECT count(*) AS led FROM coord.heartbeat('{orders,bills}', 3, 0.5);
SELECT status, subscriptions, in_flight_count, leads FROM coord.peers WHERE member_group = 'regress_shutdown';
SELECT coord.remove_member('a', 'regress_shutdown') AS alive;
\echo :SQLSTATE

-- The deadline has come: it leads nothing and cannot campaign, but may look and leave.
SELECT coord.announce_shutdown('graceful', '0') <= clock_timestamp() AS at_once;
SELECT status, time_remaining FROM coord.peers WHERE member_group = 'regress_shutdown';
SELECT count(*) AS leaders FROM coord.leader('regress_shutdown');
SELECT leader FROM coord.elections WHERE election = 'regress_shutdown';
\set VERBOSITY default
SELECT coord.campaign('regress_shutdown');
\echo :SQLSTATE
\set VERBOSITY terse
SELECT coord.try_acquire('regress_shutdown');
\echo :SQLSTATE
SELECT count(*) AS led FROM coord.heartbeat();
SELECT previous, leader, cause FROM coord.leadership_log WHERE election = 'regress_shutdown' ORDER BY event_id;
SELECT coord.leave();
SELECT status, session_pid, shutdown_intent, last_heartbeat_at, in_flight_count FROM coord.peers WHERE member_group = 'regress_shutdown';
\set VERBOSITY default
SELECT coord.drain('a', 'regress_shutdown');
\echo :SQLSTATE
\set VERBOSITY terse
SELECT coord.remove_member('a', 'regress_shutdown');
SELECT coord.remove_member('a', 'regress_shutdown');

-- On behalf of another session's member.
SELECT other.join('regress_b') > 0 AS joined;
SELECT other.must('regress_b', 'SELECT count(*) FROM coord.heartbeat(in_flight_count => 4)') AS led;
SELECT coord.drain('regress_b', metadata => '{"by": "hook"}') - clock_timestamp() BETWEEN '29 s' AND '30 s' AS half_a_minute;
SELECT status, shutdown_intent, in_flight_count, shutdown_metadata FROM coord.peers WHERE instance_id = 'regress_b';
SELECT other.close('regress_b');
SELECT other.wait_for($$(SELECT session_pid IS NULL FROM coord.peers WHERE instance_id = 'regress_b')$$) AS ended;
SELECT status FROM coord.peers WHERE instance_id = 'regress_b';
\set VERBOSITY default
SELECT coord.drain('regress_b');
\echo :SQLSTATE
SELECT coord.remove_member('regress_b');

-- Numbers of a heartbeat.
SELECT coord.join('a', 'regress_shutdown') > 0 AS joined;
SELECT coord.heartbeat(in_flight_count => -1);
\echo :SQLSTATE
SELECT coord.heartbeat(load_factor => 'NaN');
\echo :SQLSTATE
\set VERBOSITY terse
SELECT coord.heartbeat(load_factor => 'Infinity');
SELECT coord.heartbeat(load_factor => '-Infinity');
\echo :SQLSTATE
SELECT coord.heartbeat(publish => NULL);
\echo :SQLSTATE
SELECT in_flight_count, load_factor FROM coord.peers WHERE member_group = 'regress_shutdown';
SELECT coord.leave();

-- In a block, or read-only
BEGIN;
\set VERBOSITY default
SELECT coord.announce_shutdown('graceful');
\echo :SQLSTATE
ROLLBACK;
SET default_transaction_read_only = on;
SELECT coord.remove_member('a');
\echo :SQLSTATE
RESET default_transaction_read_only;
