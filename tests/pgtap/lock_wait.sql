-- Waiting for a named lock: when it ends, who is next, and what it holds up meanwhile, which is nothing.
SELECT plan(60);
\ir support/sessions.sql
CREATE TABLE backend (name text, pid int);
CREATE FUNCTION waits(session text) RETURNS boolean LANGUAGE sql AS $$
  SELECT other.wait_for(format('EXISTS (SELECT FROM pg_locks WHERE pid = %s AND NOT granted)', pid)) FROM backend WHERE name = session
$$;
-- Starts a statement that must wait.
CREATE FUNCTION asked(session text, statement text) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
  PERFORM dblink_send_query(session, statement);
  RETURN waits(session);
END
$$;
-- How it ended: CALL, or the SQLSTATE.
CREATE FUNCTION answer(session text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  said text;
BEGIN
  IF NOT other.wait_for(format('dblink_is_busy(%L) = 0', session)) THEN
    RETURN 'no answer';
  END IF;
  BEGIN
    SELECT status INTO said FROM dblink_get_result(session) AS t (status text);
  EXCEPTION WHEN query_canceled OR OTHERS THEN
    said := SQLSTATE;
  END;
  PERFORM FROM dblink_get_result(session) AS t (status text);
  RETURN said;
END
$$;
-- What a session holds up: its transaction id, its snapshot.
CREATE FUNCTION keeps(session text) RETURNS text LANGUAGE sql AS $$
  SELECT concat_ws(' ', CASE WHEN backend_xid IS NOT NULL THEN 'xid' END, CASE WHEN backend_xmin IS NOT NULL THEN 'snapshot' END)
  FROM pg_stat_activity JOIN backend USING (pid) WHERE name = session
$$;
CREATE FUNCTION holder(wanted text) RETURNS text LANGUAGE sql AS $$
  SELECT (SELECT name FROM backend WHERE pid = session_pid) || ' ' || waiters FROM coord.locks WHERE key = wanted
$$;
INSERT INTO backend SELECT name, other.pid(name) FROM unnest('{a,b,c}'::text[]) name, LATERAL (SELECT other.open(name)) opened;
INSERT INTO backend VALUES ('me', pg_backend_pid());

-- Field case 17: each bound ends it, and leaves nothing behind.
SELECT ok(coord.try_lock('k'), 'the lock is held');
SELECT clock_timestamp() AS asked \gset
SELECT is(other.run('a', $$CALL coord.lock('k', '700 ms')$$), '55P03', 'the wait ends');
SELECT ok(clock_timestamp() - :'asked'::timestamptz BETWEEN '0.7 s' AND '10 s', 'at its bound');
SELECT matches(other.context('a', $$CALL coord.lock('k', '1 ms')$$), 'while waiting for lock "k"', 'it is said for what');
SELECT clock_timestamp() AS asked \gset
SELECT is(other.run('a', $$CALL coord.lock('k', '0')$$) || other.run('a', $$SELECT coord.try_lock('k')$$), '55P03f', 'without a wait');
SELECT ok(clock_timestamp() - :'asked'::timestamptz < '5 s', 'at once');
SELECT clock_timestamp() AS asked \gset
SELECT is(other.run('a', 'SET lock_timeout = ''600 ms''') || other.run('a', $$CALL coord.lock('k')$$), 'SET55P03', 'lock_timeout');
SELECT is(other.run('a', $$CALL coord.lock('k', '1 day')$$), '55P03', 'also of a longer wait');
SELECT ok(clock_timestamp() - :'asked'::timestamptz BETWEEN '1.2 s' AND '20 s', 'not earlier');
SELECT is(other.run('a', 'SET lock_timeout = ''1 h''') || other.run('a', $$CALL coord.lock('k', '100 ms')$$), 'SET55P03', 'a wait that is shorter than lock_timeout');
SELECT is(other.run('a', 'SHOW lock_timeout'), '1h', 'which stays as it was');
SELECT is(other.run('a', 'BEGIN') || other.run('a', 'SAVEPOINT s') || other.run('a', $$CALL coord.lock('k', '100 ms')$$) ||
  other.run('a', 'ROLLBACK TO s') || other.run('a', 'SHOW lock_timeout') || other.run('a', 'COMMIT'), 'BEGINSAVEPOINT55P03ROLLBACK1hCOMMIT', 'in a block too');
SELECT is(other.run('a', 'RESET lock_timeout') || other.run('a', 'SET statement_timeout = ''600 ms''') || other.run('a', $$CALL coord.lock('k')$$),
  'RESETSET57014', 'statement_timeout');
SELECT is(other.run('a', 'RESET statement_timeout') || other.run('a', $$SELECT concat(current_setting('lock_timeout'), coord.unlock_all())$$), 'RESET00',
  'nothing is held');
SELECT ok(asked('a', $$CALL coord.lock('k')$$), 'a wait without a bound');
SELECT is(pg_cancel_backend(pid), true, 'is cancelled') FROM backend WHERE name = 'a';
SELECT is(answer('a'), '57014', 'and told so');
SELECT is(holder('k'), 'me 0', 'nobody is queued any more');
SELECT ok(coord.unlock('k') AND other.run('c', $$SELECT coord.try_lock('k')$$) = 't', 'released, it is free for anybody, at once');
SELECT is(other.run('a', $$CALL coord.lock('k', '100 ms')$$) || other.run('c', $$SELECT coord.unlock('k')$$), '55P03t', 'and not for those who gave up');
SELECT is(other.run('a', $$CALL coord.lock('k', '1 min')$$) || other.run('a', 'SHOW lock_timeout') || other.run('a', $$SELECT coord.unlock('k')$$), 'CALL0t',
  'a wait that succeeds changes no setting either');

-- First come, first served; who gives up loses only its own place. One attempt pushes past nobody.
SELECT ok(coord.try_lock('k'), 'held again');
SELECT ok(asked(name, $$CALL coord.lock('k')$$), name || ' queues') FROM unnest('{a,b,c}'::text[]) name;
SELECT is(holder('k'), 'me 3', 'three wait');
SELECT ok(pg_cancel_backend(pid), 'one gives up') FROM backend WHERE name = 'b';
SELECT is(answer('b'), '57014', 'the second');
SELECT ok(coord.unlock('k') AND NOT coord.try_lock('k'), 'released, but promised already');
SELECT is(answer('a') || ' ' || holder('k'), 'CALL a 1', 'to the first');
SELECT ok(asked('b', $$CALL coord.lock('k')$$), 'who comes back');
SELECT is(other.run('a', $$SELECT coord.unlock('k')$$) || answer('c') || ' ' || holder('k'), 'tCALL c 1', 'stands last');
SELECT ok(pg_terminate_backend(pid, 20000), 'the third one''s session ends') FROM backend WHERE name = 'c';
SELECT is(answer('b') || ' ' || holder('k'), 'CALL b 0', 'it is next');
SELECT is(other.run('b', 'SELECT coord.unlock_all()'), '1', 'and gives it back');
SELECT other.close('c');

-- Nothing is held up: neither snapshot nor transaction id, whatever the isolation level of the session.
-- More than once: the server's own housekeeping has snapshots for a moment, too.
CREATE FUNCTION vacuumed() RETURNS boolean LANGUAGE sql AS $$
  SELECT other.wait_for('dblink_exec(''b'', ''VACUUM bystander'') = ''VACUUM'' AND pg_relation_size(''bystander'') = 0', bound => '10 s')
$$;
CREATE TABLE bystander (id int) WITH (autovacuum_enabled = off);
SELECT ok(coord.try_lock('k'), 'held');
SELECT ok(asked('a', $$CALL coord.lock('k')$$), 'a waits');
SELECT is(keeps('a'), '', 'a statement of its own keeps nothing');
INSERT INTO bystander SELECT generate_series(1, 1000);
DELETE FROM bystander;
SELECT ok(vacuumed(), 'rows that died meanwhile are vacuumed away');
SELECT is(coord.unlock('k')::text || answer('a') || other.run('a', 'SELECT coord.unlock_all()'), 'trueCALL1', 'a has it');
SELECT is(other.run('a', 'SET default_transaction_isolation = serializable'), 'SET', 'serializable by default');
SELECT pg_advisory_lock(coord.lock_key('unnamed'));
SELECT ok(asked('a', $$CALL coord.lock('unnamed')$$), 'a waits for a lock that has no name yet');
SELECT is(keeps('a'), '', 'and keeps nothing');
SELECT is(pg_advisory_unlock(coord.lock_key('unnamed'))::text || answer('a') || other.run('a', 'SELECT coord.unlock_all()') ||
  other.run('a', 'RESET default_transaction_isolation'), 'trueCALL1RESET', 'a has it');

-- In a block
SELECT pg_advisory_lock(coord.lock_key('unnamed too'));
SELECT is(other.run('a', 'BEGIN') || asked('a', $$CALL coord.lock('unnamed too')$$)::text, 'BEGINtrue', 'a waits in a block');
SELECT is(keeps('a'), '', 'and keeps nothing');
INSERT INTO bystander SELECT generate_series(1, 1000);
DELETE FROM bystander;
SELECT ok(vacuumed(), 'nor does a block');
INSERT INTO bystander VALUES (1);
SELECT is(pg_advisory_unlock(coord.lock_key('unnamed too'))::text || answer('a') || other.run('a', 'SELECT id FROM bystander'), 'trueCALL1',
  'which sees afterwards what was written before');
SELECT is(other.run('a', 'COMMIT') || holder('unnamed too'), 'COMMITa 0', 'and has named it');
SELECT is(other.run('a', 'SELECT coord.unlock_all()'), '1', 'it is given back');
SELECT ok(coord.try_lock('k'), 'held');
SELECT is(other.run('a', 'BEGIN') || other.run('a', 'INSERT INTO bystander VALUES (2)') || asked('a', $$CALL coord.lock('k')$$)::text || keeps('a'), 'BEGININSERT 0 1truexid',
  'a block that has written keeps its transaction id: what the caller did before is the caller''s');
SELECT is(coord.unlock('k')::text || answer('a') || other.run('a', 'ROLLBACK') || other.run('a', 'SELECT coord.unlock_all()'), 'trueCALLROLLBACK1', 'a has it, still');
SELECT ok(coord.try_lock('k'), 'held');
SELECT is(asked('a', $$DO $x$ BEGIN CALL coord.lock('k'); PERFORM FROM bystander WHERE id = 3; IF NOT FOUND THEN RAISE 'not seen'; END IF; END $x$ $$)::text || keeps('a'), 'true',
  'in a DO block it keeps nothing');
INSERT INTO bystander VALUES (3);
SELECT is(coord.unlock('k')::text || answer('a') || other.run('a', 'SELECT coord.unlock_all()'), 'trueDO1', 'and goes on with what there is by then');

-- A REPEATABLE READ block has promised one snapshot to all of its statements, and keeps it while it waits.
SELECT ok(coord.try_lock('k'), 'held');
SELECT is(other.run('a', 'BEGIN ISOLATION LEVEL REPEATABLE READ') || asked('a', $$CALL coord.lock('k')$$)::text || keeps('a'), 'BEGINtruesnapshot', 'a waits with its snapshot');
TRUNCATE bystander;
INSERT INTO bystander VALUES (4);
DELETE FROM bystander;
SELECT other.must('b', 'VACUUM bystander');
SELECT ok(pg_relation_size('bystander') > 0, 'which holds back vacuum');
SELECT is(coord.unlock('k')::text || answer('a') || other.run('a', 'ROLLBACK') || holder('k'), 'trueCALLROLLBACKa 0', 'and has the lock, which outlives it');

SELECT * FROM finish();
