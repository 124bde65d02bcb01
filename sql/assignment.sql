-- Words of assign, and the view of what was assigned.
\set ECHO none
\getenv abs_srcdir PG_ABS_SRCDIR
\set sessions :abs_srcdir '/tests/pgtap/support/sessions.sql'
\i :sessions
\set ECHO all

-- Arguments are looked at first.
SELECT coord.assign('b', '{}', 'regress_work', 1);
\echo :SQLSTATE
SELECT coord.assign('b', NULL, 'regress_work', 1);
\echo :SQLSTATE
\set VERBOSITY terse
SELECT coord.assign('b', '{s,NULL}', 'regress_work', 1);
\echo :SQLSTATE
SELECT coord.assign('b', '{s}', 'regress_work', NULL);
\echo :SQLSTATE
SELECT coord.assign('b', '{s}', 'regress_work', 1, NULL);
\echo :SQLSTATE
\set VERBOSITY default

-- For members, with the token in force, who lead.
SELECT coord.assign('b', '{s}', 'regress_work', 1);
\echo :SQLSTATE
SELECT coord.join('a', 'regress_work') > 0 AS joined;
SELECT other.open('b');
SELECT other.must('b', $$SELECT coord.join('b', 'regress_work') > 0$$) AS joined;
SELECT coord.assign('b', '{s}', 'regress_work', 1);
\echo :SQLSTATE
SELECT token FROM coord.campaign('regress_work') \gset
\set SHOW_CONTEXT never
\set VERBOSITY sqlstate
SELECT coord.assign('b', '{s}', 'regress_work', :token - 1);
SELECT coord.assign('b', '{s}', 'regress_work', :token + 1);
SELECT coord.assign('b', '{s}', 'regress_work', 0);
SELECT coord.assign('b', '{s}', 'regress_work', -9223372036854775808);
\set VERBOSITY default
SELECT format($$SELECT coord.assign('a', '{s}', 'regress_work', %s)$$, :token) AS call \gset
SELECT other.must('b', :'call');
\echo :SQLSTATE

-- To healthy members of one's own group.
SELECT coord.assign('nobody', '{s}', 'regress_work', :token);
\echo :SQLSTATE
SELECT other.join('c') > 0 AS in_another_group;
SELECT coord.assign('c', '{s}', 'regress_work', :token);
\echo :SQLSTATE
SELECT other.must('b', $$SELECT coord.announce_shutdown('graceful') > now()$$) AS announced;
SELECT coord.assign('b', '{s}', 'regress_work', :token);
\echo :SQLSTATE
SELECT other.must('b', $$SELECT coord.announce_shutdown('graceful', '0') < clock_timestamp()$$) AS announced;
SELECT coord.assign('b', '{s}', 'regress_work', :token);
\echo :SQLSTATE
SELECT other.must('b', $$SELECT coord.leave() AND coord.join('b', 'regress_work') > 0$$) AS again;
SELECT other.close('b');
SELECT other.wait_for($$(SELECT session_pid IS NULL FROM coord.peers WHERE instance_id = 'b')$$) AS ended;
SELECT coord.assign('b', '{s}', 'regress_work', :token);
\echo :SQLSTATE
SELECT count(*) AS assigned FROM coord.assignments;

-- Done.
SELECT other.open('b');
SELECT other.must('b', $$SELECT coord.join('b', 'regress_work') > 0$$) AS joined;
SELECT coord.assign('b', '{orders,bills,orders}', 'regress_work', :token) AS first \gset
SELECT coord.assign('b', '{orders}', 'regress_work', :token, -2147483648) > :first AS rises;
SELECT coord.assign('a', '{to itself}', 'regress_work', :token, 2147483647) > :first AS rises;
SELECT target_instance_id, source_instance_id, a.subscriptions, priority, election, token = :token AS token, member_group,
  target_incarnation = incarnation AS incarnation, assigned_at BETWEEN joined_at AND clock_timestamp() AS dated
FROM coord.assignments a JOIN coord.peers p ON p.member_group = a.member_group AND p.instance_id = target_instance_id
ORDER BY assignment_id;

-- A target that left has no assignments, nor has its next incarnation.
SELECT other.must('b', 'SELECT coord.leave()') AS left;
SELECT count(*) FROM coord.assignments WHERE target_instance_id = 'b';
SELECT other.must('b', $$SELECT coord.join('b', 'regress_work') > 0$$) AS joined;
SELECT count(*) FROM coord.assignments WHERE target_instance_id = 'b';

-- Whoever's notice has run out leads nothing, and hands out nothing.
SELECT coord.announce_shutdown('graceful', '0') <= clock_timestamp() AS announced;
SELECT coord.assign('b', '{s}', 'regress_work', :token);
\echo :SQLSTATE
SELECT coord.leave();
SELECT coord.remove_member('a', 'regress_work');
SELECT other.must('b', 'SELECT coord.leave()') AS left;
SELECT other.must('c', 'SELECT coord.leave()') AS left;
SELECT other.close('b');
SELECT other.close('c');
