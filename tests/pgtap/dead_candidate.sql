-- A candidate that died without leaving the queue inherits nothing, however fresh its last heartbeat is.
SELECT plan(7);
\ir support/sessions.sql
SELECT other.join(name) FROM unnest('{l,w,d}'::text[]) name;
SELECT is(other.campaign('l', 'e') || other.campaign('w', 'e') || other.campaign('d', 'e', 10), 'lll', 'l leads, d is before w');
SELECT is(string_agg(instance_id, '' ORDER BY position), 'dw', 'in the queue') FROM coord.candidates;

-- Its last transaction finds a table locked, and never waits.
SELECT other.pid('d') AS pid \gset
SELECT other.open('keeper');
SELECT dblink_exec('keeper', 'BEGIN; LOCK TABLE coord._candidate IN SHARE MODE');
SELECT other.close('d');
SELECT ok(other.wait_for(format('NOT EXISTS (SELECT FROM pg_stat_activity WHERE pid = %s)', :pid)), 'd dies');
SELECT dblink_exec('keeper', 'COMMIT');
SELECT is((SELECT count(*) FROM coord._candidate), 2::bigint, 'and could not leave the queue');
SELECT is(string_agg(instance_id, ''), 'w', 'though nobody is shown it') FROM coord.candidates;
SELECT other.must('w', 'SELECT count(*) FROM coord.heartbeat()');
SELECT is(other.must('l', 'SELECT coord.resign(''e'')'), 't', 'l resigns');
SELECT is((SELECT leader FROM coord.leader('e')) || (SELECT leader FROM coord._election), 'ww', 'the next one that lives leads');

SELECT * FROM finish();
