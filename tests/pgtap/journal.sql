-- The log: one row per change, with the cause, who led before and who leads now.
SELECT plan(14);
\ir support/sessions.sql
CREATE VIEW last AS SELECT concat_ws(' ', cause, COALESCE(previous, '-'), COALESCE(leader, '-'), term) AS change
FROM coord.leadership_log ORDER BY event_id DESC LIMIT 1;
SELECT other.join(name) FROM unnest('{a,b,c}'::text[]) name;

SELECT other.campaign('a', 'e');
SELECT is(change, 'elected - a 1', 'a first term') FROM last;
SELECT other.campaign('b', 'e');
SELECT is(change, 'elected - a 1', 'to queue is no change') FROM last;
SELECT other.must('a', $$SELECT coord.resign('e')$$);
SELECT is(change, 'resigned a b 2', 'handed over') FROM last;
SELECT other.must('b', $$SELECT coord.resign('e')$$);
SELECT is(change, 'resigned b - 2', 'a term that ended without a successor') FROM last;
SELECT other.campaign('b', 'e');
SELECT is(change, 'elected - b 3', 'after a vacancy') FROM last;
SELECT other.campaign('c', 'e');
SELECT coord.depose('e');
SELECT is(change, 'deposed b c 4', 'by an administrator') FROM last;
SELECT other.campaign('a', 'e');
SELECT other.must('c', 'SELECT coord.leave()');
SELECT is(change, 'left c a 5', 'by leaving') FROM last;
SELECT other.campaign('b', 'e');
SELECT dblink_exec('a', 'DISCARD ALL');
SELECT is(change, 'discarded a b 6', 'by DISCARD ALL') FROM last;
SELECT other.join('a');
SELECT other.campaign('a', 'e');
SELECT other.close('b');
SELECT ok(other.wait_for('(SELECT leader = ''a'' FROM coord.leader(''e''))'), 'the leader''s session ends');
SELECT is(change, 'session_end b a 7', 'by the end of the session') FROM last;

SELECT results_eq('SELECT event_id FROM coord.leadership_log ORDER BY event_id', 'SELECT generate_series(1, 8)::bigint',
  'one row per change, numbered in their order');
SELECT ok(bool_and(at >= before), 'their times do not go back')
FROM (SELECT at, lag(at, 1, '-infinity') OVER (ORDER BY event_id) AS before FROM coord.leadership_log) t;
SELECT is(at, elected_at, 'the log and the election name the same moment')
FROM coord.leadership_log l JOIN coord.elections e USING (election, token) WHERE event_id = 8;
SELECT ok(bool_and(token = epoch::bigint << 40 | term), 'with its token') FROM coord.leadership_log;

SELECT * FROM finish();
