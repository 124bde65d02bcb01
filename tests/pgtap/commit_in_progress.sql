-- A fenced commit that is under way holds up a take-over, a fenced transaction that is merely open does not. What can be
-- held between the fence's check and the end of a commit is the wait for a synchronous standby; here there is none to answer.
SELECT plan(17);
\ir support/sessions.sql
CREATE TABLE written (id int);
CREATE TABLE probe (id int);
CREATE FUNCTION waits_for_standby(process int) RETURNS boolean LANGUAGE sql AS $$
  SELECT EXISTS (SELECT FROM pg_stat_activity WHERE pid = process AND wait_event = 'SyncRep')
$$;
-- Commits until one is held up: the server takes a moment to read the setting.
CREATE FUNCTION held_up(session text) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
  process constant int := other.pid(session);
  deadline constant timestamptz := clock_timestamp() + interval '20 s';
BEGIN
  WHILE clock_timestamp() < deadline LOOP
    PERFORM dblink_send_query(session, 'INSERT INTO probe VALUES (1)');
    PERFORM other.wait_for(format('dblink_is_busy(%L) = 0 OR waits_for_standby(%s)', session, process));
    IF waits_for_standby(process) THEN
      RETURN true;
    END IF;
    PERFORM FROM dblink_get_result(session) AS t (status text);
    PERFORM FROM dblink_get_result(session) AS t (status text);
  END LOOP;
  RETURN false;
END
$$;
SET synchronous_commit = local;
SELECT other.join(name) FROM unnest('{a,b}'::text[]) name;
SELECT other.open('w');
SELECT other.open('probe');
SELECT dblink_exec('probe', 'SET synchronous_commit = on');
SELECT dblink_exec(name, 'SET synchronous_commit = local') FROM unnest('{a,b}'::text[]) name;
SELECT dblink_exec('w', 'SET synchronous_commit = on');
SELECT other.pid('w') AS pid \gset
SELECT is(other.campaign('a', 'e') || other.campaign('b', 'e'), 'aa', 'a leads, b is next');
SELECT token FROM coord.leader('e') \gset
SELECT dblink_exec('w', 'BEGIN');
SELECT is(other.run('w', format('SELECT coord.fence(''e'', %s)', :token)), '', 'w is fenced');
SELECT dblink_exec('w', 'INSERT INTO written VALUES (1)');
SELECT is(other.must('a', 'SELECT count(*) FROM coord.heartbeat()'), '1', 'an open fence holds nobody up');

ALTER SYSTEM SET synchronous_standby_names = 'pgtap_nobody';
SELECT pg_reload_conf();
SELECT ok(held_up('probe'), 'commits are held up');
SELECT dblink_send_query('w', 'COMMIT');
SELECT ok(other.wait_for(format('waits_for_standby(%s)', :pid)), 'the fenced commit is under way');

-- Nobody takes over before it is done; nobody waits for longer than the bound.
SELECT clock_timestamp() AS asked \gset
SELECT is(other.run('a', $$SELECT coord.resign('e')$$), '55P03', 'the leader cannot resign yet');
SELECT ok(clock_timestamp() - :'asked'::timestamptz BETWEEN '0.9 s' AND '5 s', 'after a second it is told so');
SELECT is(other.run('a', 'SET lock_timeout = ''100 ms''') || other.run('a', $$SELECT leader FROM coord.campaign('e')$$), 'SET55P03', 'nor campaign');
SELECT is(other.run('b', 'SELECT coord.sweep() > ''0'''), 't', 'a sweep does not wait for it');
SELECT is(other.must('a', 'SELECT count(*) FROM coord.heartbeat()'), '1', 'nor does a heartbeat');
SELECT is(other.run('b', format('SELECT coord.fence(''e'', %s)', :token)), '', 'nor does another fence');

-- Nor does the end of the leader's session.
SELECT ok(pg_terminate_backend(other.pid('a'), 1000), 'the leader''s session ends at once');
SELECT is(leader, 'a', 'and leaves the row to whoever may wait') FROM coord._election;
SELECT is((SELECT count(*) FROM coord.leader('e')), 0::bigint, 'though it does not lead');

ALTER SYSTEM RESET synchronous_standby_names;
SELECT pg_reload_conf();
SELECT ok(other.wait_for('dblink_is_busy(''w'') = 0'), 'the commit is done');
SELECT is((SELECT id FROM written), 1, 'what was written under the old term is there');
SELECT is(other.campaign('b', 'e'), 'b', 'before the new one begins');

SELECT * FROM finish();
