-- Words of campaign, try_acquire, resign, withdraw, depose and leader.
\set ECHO none
\getenv abs_srcdir PG_ABS_SRCDIR
\set sessions :abs_srcdir '/tests/pgtap/support/sessions.sql'
\i :sessions
\set ECHO all

-- For members only, but to depose and to look.
SELECT coord.campaign('regress_e');
\echo :SQLSTATE
SELECT coord.try_acquire('regress_e');
\echo :SQLSTATE
SELECT coord.resign('regress_e');
\echo :SQLSTATE
SELECT coord.withdraw('regress_e');
\echo :SQLSTATE
SELECT coord.sweep();
\echo :SQLSTATE
SELECT coord.depose('regress_e');
SELECT count(*) FROM coord.leader('regress_e');
SELECT count(*) FROM coord.elections WHERE election = 'regress_e';

SELECT coord.join('a') > 0 AS joined;
SELECT coord.resign('regress_e');
SELECT coord.withdraw('regress_e');

-- The first to come leads; whoever comes next is told who.
SELECT election, leader, is_leader, term, token = epoch::bigint << 40 | term AS token_fits, elected_at IS NOT NULL AS dated
FROM coord.campaign('regress_e');
SELECT other.join('b') > 0 AS joined;
SELECT other.must('b', $$SELECT format('%s %s %s', leader, is_leader, term) FROM coord.try_acquire('regress_e')$$);
SELECT other.must('b', $$SELECT format('%s %s %s', leader, is_leader, term) FROM coord.campaign('regress_e', -5)$$);
SELECT election, leader, is_leader, term FROM coord.leader('regress_e');
SELECT other.must('b', $$SELECT format('%s %s %s', leader, is_leader, term) FROM coord.leader('regress_e')$$);
SELECT election, is_leader, term FROM coord.heartbeat();
SELECT election, leader, term, leader_pid = pg_backend_pid() AS here, candidates FROM coord.elections WHERE election = 'regress_e';
SELECT election, position, instance_id, priority, session_pid <> pg_backend_pid() AS elsewhere
FROM coord.candidates WHERE election = 'regress_e';

-- Only the leader can resign, only the queued can withdraw.
SELECT other.must('b', $$SELECT coord.resign('regress_e')$$);
SELECT coord.withdraw('regress_e');
SELECT other.must('b', $$SELECT coord.withdraw('regress_e')$$);
SELECT other.must('b', $$SELECT coord.withdraw('regress_e')$$);
SELECT other.campaign('b', 'regress_e');

-- Resigned: the next leads, this session is not queued again.
SELECT coord.resign('regress_e');
SELECT coord.resign('regress_e');
SELECT leader, is_leader, term FROM coord.leader('regress_e');
SELECT count(*) AS led FROM coord.heartbeat();
SELECT count(*) AS queued FROM coord.candidates WHERE election = 'regress_e';

-- Deposed: nobody is left, and the row says so.
SELECT coord.depose('regress_e');
SELECT coord.depose('regress_e');
SELECT count(*) FROM coord.leader('regress_e');
SELECT leader, term, elected_at, leader_pid, candidates FROM coord.elections WHERE election = 'regress_e';
SELECT term, previous, leader, cause FROM coord.leadership_log WHERE election = 'regress_e' ORDER BY event_id;
SELECT coord.leave();
SELECT other.close('b');

-- An election whose change is under way is waited for, but not longer than a second.
\set SHOW_CONTEXT never
SELECT other.join('b') > 0 AS joined;
SELECT other.open('keeper');
SELECT other.must('keeper', 'SELECT pg_advisory_lock(20)');
SELECT dblink_send_query('b', $$SELECT (coord.campaign('regress_held')).leader, set_config('lock_timeout', '0', true),
  pg_advisory_lock(20)$$);
SELECT other.wait_for('EXISTS (SELECT FROM pg_locks WHERE locktype = ''advisory'' AND NOT granted)');
SELECT coord.join('a') > 0 AS joined;
SELECT clock_timestamp() AS asked \gset
SELECT coord.campaign('regress_held');
\echo :SQLSTATE
SELECT clock_timestamp() - :'asked' BETWEEN '0.9 s' AND '5 s' AS after_a_second;
SET lock_timeout = '50 ms';
SELECT clock_timestamp() AS asked \gset
SELECT coord.resign('regress_held');
\echo :SQLSTATE
SELECT clock_timestamp() - :'asked' < '0.9 s' AS sooner_if_asked;
SHOW lock_timeout;
RESET lock_timeout;
\set SHOW_CONTEXT errors
SELECT other.join('c') > 0 AS joined;
SELECT other.context('c', $$SELECT coord.campaign('regress_held')$$)
  ~ 'while waiting for a change of election "regress_held" by another session' AS says_for_what;
SELECT other.close('c');
SELECT count(*) AS nobody_yet FROM coord.leader('regress_held');
SELECT other.must('keeper', 'SELECT pg_advisory_unlock(20)');
SELECT leader FROM dblink_get_result('b') AS held (leader text, setting text, lock text);
SELECT leader, is_leader FROM coord.campaign('regress_held');
SELECT coord.leave();
SELECT other.close('b');
SELECT other.close('keeper');
