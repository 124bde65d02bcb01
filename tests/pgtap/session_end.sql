-- The end of a session, in every way that the server sees, hands over at once.
SELECT plan(31);
\ir support/sessions.sql
CREATE FUNCTION leader_of(election text) RETURNS text LANGUAGE sql AS $$ SELECT leader FROM coord.leader(election) $$;
CREATE VIEW last AS SELECT concat_ws(' ', election, cause, COALESCE(previous, '-'), COALESCE(leader, '-'), term) AS change
FROM coord.leadership_log ORDER BY event_id DESC LIMIT 1;
CREATE FUNCTION gone(process int) RETURNS boolean LANGUAGE sql AS $$
  SELECT NOT EXISTS (SELECT FROM pg_stat_activity WHERE pid = process)
$$;
SELECT other.join('b');

-- By the client
SELECT other.join('a');
SELECT is(other.campaign('a', 'e') || other.campaign('b', 'e'), 'aa', 'a leads, b is next');
SELECT other.close('a');
SELECT ok(other.wait_for('leader_of(''e'') = ''b''', bound => '2 s'), 'disconnected: b leads');
SELECT is(change, 'e session_end a b 2', 'in the next term') FROM last;

-- By an administrator, idle
SELECT other.join('a');
SELECT is(other.campaign('a', 'f') || other.campaign('b', 'f'), 'aa', 'a leads, b is next');
SELECT ok(pg_terminate_backend(other.pid('a'), 5000), 'terminated');
SELECT is(leader_of('f'), 'b', 'when the process is gone, b leads') FROM dblink_disconnect('a');
SELECT is(change, 'f session_end a b 2', 'in the next term') FROM last;

-- In the middle of a transaction, with settings that would stop an ordinary write, and without the right to write
CREATE ROLE pgtap_coord_leaver;
SELECT coord.grant_access('pgtap_coord_leaver', 'member');
CREATE TABLE unfinished (id int);
GRANT INSERT ON unfinished TO pgtap_coord_leaver;
SELECT other.open('d');
SELECT dblink_exec('d', 'SET SESSION AUTHORIZATION pgtap_coord_leaver');
SELECT other.join('d');
SELECT is(other.campaign('d', 'g') || other.campaign('b', 'g'), 'dd', 'd leads, b is next');
REVOKE ALL ON ALL FUNCTIONS IN SCHEMA coord FROM pgtap_coord_leaver;
REVOKE ALL ON SCHEMA coord FROM pgtap_coord_leaver;
SELECT dblink_exec('d', $$BEGIN; INSERT INTO unfinished VALUES (1); SET default_transaction_read_only = on;
  SET default_transaction_isolation = serializable; SET default_transaction_deferrable = on; SET synchronous_commit = off;
  SET lock_timeout = 1; SET transaction_read_only = on; SET search_path = ''; SET statement_timeout = 1$$);
SELECT ok(pg_terminate_backend(pid, 5000), 'terminated inside a transaction')
FROM pg_stat_activity WHERE state = 'idle in transaction' AND datname = current_database();
SELECT is(leader_of('g'), 'b', 'b leads') FROM dblink_disconnect('d');
SELECT is(change, 'g session_end d b 2', 'in the next term') FROM last;
SELECT is((SELECT count(*) FROM unfinished), 0::bigint, 'what was open was rolled back');

-- During a statement
SELECT other.join('c');
SELECT is(other.campaign('c', 'h') || other.campaign('b', 'h'), 'cc', 'c leads, b is next');
SELECT other.pid('c') AS pid \gset
SELECT dblink_send_query('c', 'SELECT pg_sleep(60)');
SELECT ok(other.wait_for(format('EXISTS (SELECT FROM pg_stat_activity WHERE pid = %s AND wait_event = ''PgSleep'')', :pid)), 'c is busy');
SELECT ok(pg_terminate_backend(:pid, 5000), 'terminated during a statement');
SELECT is(leader_of('h'), 'b', 'b leads') FROM dblink_disconnect('c');

-- More elections than a lock table would hold at once
SELECT other.join('m');
SELECT is(other.must('m', $$SELECT count(*) FROM generate_series(1, 150) i, coord.campaign('many ' || i) l WHERE l.is_leader$$), '150', 'm leads many');
SELECT is(other.must('b', $$SELECT count(*) FROM generate_series(1, 150) i, coord.campaign('many ' || i) l WHERE l.leader = 'm'$$), '150', 'b is next');
SELECT other.close('m');
SELECT ok(other.wait_for('(SELECT count(*) = 150 FROM coord.elections WHERE election LIKE ''many %'' AND leader = ''b'')'), 'b leads all of them');
SELECT other.must('b', $$SELECT count(*) FROM generate_series(1, 150) i WHERE coord.resign('many ' || i)$$);

-- The exit path waits for nobody: a registry that somebody has locked stays as it is, and is not believed.
SELECT other.join('a');
SELECT other.join('c');
SELECT is(other.campaign('a', 'i') || other.campaign('b', 'i'), 'aa', 'a leads, b is next');
SELECT other.open('keeper');
SELECT dblink_exec('keeper', 'BEGIN; LOCK TABLE coord._election IN SHARE MODE');
SELECT max(event_id) AS event FROM coord.leadership_log \gset
SELECT ok(pg_terminate_backend(other.pid('a'), 1000), 'terminated in time');
SELECT dblink_disconnect('a');
SELECT is(leader, 'a', 'the row still names a') FROM coord._election WHERE election = 'i';
SELECT is(leader_of('i'), NULL, 'leader() asks for the session');
SELECT is(leader || leader_pid, NULL, 'the view as well') FROM coord.elections WHERE election = 'i';
SELECT is((SELECT max(event_id) FROM coord.leadership_log), :event::bigint, 'nothing is logged');
SELECT dblink_exec('keeper', 'COMMIT');

-- Whoever comes next puts it right, and does not barge past the queue.
SELECT is(other.must('c', $$SELECT leader || is_leader FROM coord.try_acquire('i')$$), 'bfalse', 'c tries, b was first');
SELECT is(change, 'i session_end a b 2', 'in the next term, with the true cause') FROM last;
SELECT is(other.must('b', 'SELECT election FROM coord.heartbeat() WHERE is_leader'), 'e,f,g,h,i', 'b knows by its next heartbeat');

-- Without the extension there is nothing left to do.
SELECT other.pid('b') AS pid \gset
DROP VIEW last;
DROP EXTENSION pg_coord;
SELECT other.close('b');
SELECT ok(other.wait_for(format('gone(%s)', :pid)), 'a session ends after DROP EXTENSION');
SELECT other.pid('c') AS pid \gset
CREATE EXTENSION pg_coord;
SELECT other.close('c');
SELECT ok(other.wait_for(format('gone(%s)', :pid)), 'and after CREATE EXTENSION');
SELECT is((SELECT count(*) FROM coord.peers), 0::bigint, 'without a trace');

SELECT * FROM finish();
DROP OWNED BY pgtap_coord_leaver;
DROP ROLE pgtap_coord_leaver;
