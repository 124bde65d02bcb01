-- Field case 64: whoever judges by a snapshot that is older than a member's timeout evicts nobody who was heard meanwhile.
SELECT plan(8);
\ir support/sessions.sql
CREATE FUNCTION answer(session text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  said text;
BEGIN
  BEGIN
    SELECT value INTO said FROM dblink_get_result(session) AS t (value text);
  EXCEPTION WHEN OTHERS THEN
    said := SQLSTATE;
  END;
  PERFORM FROM dblink_get_result(session) AS t (value text);
  RETURN said;
END
$$;
-- A statement whose snapshot is from before it sleeps for twice the timeout of m, who beats all the time.
CREATE FUNCTION sleeps_and(session text, call text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
  PERFORM dblink_send_query(session, format($q$SELECT CASE WHEN pg_sleep(2.2)::text = '' THEN %s END
    FROM (SELECT count(*) FROM coord.peers WHERE status = 'healthy') seen$q$, call));
  IF NOT other.wait_for(format('dblink_is_busy(%L) = 0', session), '{m}') THEN
    RETURN 'no answer';
  END IF;
  RETURN answer(session) || ' ' || (SELECT concat_ws(' ', status, incarnation) FROM coord.peers WHERE instance_id = 'm');
END
$$;
SELECT other.join('m', '1 s');
SELECT other.join('j', '1 day');
SELECT other.open('operator');
SELECT is(other.campaign('m', 'e') || other.campaign('j', 'e'), 'mm', 'm leads, j is next');
SELECT concat_ws(' ', status, incarnation) AS of_m FROM coord.peers WHERE instance_id = 'm' \gset
SELECT max(event_id) AS event FROM coord.leadership_log \gset

-- By an operator, and by a member that is awake, under the isolation levels that keep an old snapshot; m stays what it was.
SELECT dblink_exec(session, 'SET default_transaction_isolation = ''repeatable read''') FROM unnest('{operator,j}'::text[]) session;
SELECT is(sleeps_and('operator', $$coord.remove_member('m')$$), 'PC003 ' || :'of_m', 'an operator cannot remove it');
SELECT is(sleeps_and('j', $$coord.sweep() > '0'$$), 't ' || :'of_m', 'nor does a member take over from it');
SELECT dblink_exec('j', 'SET default_transaction_isolation = serializable');
SELECT is(sleeps_and('j', $$coord.remove_member('m')$$), 'PC003 ' || :'of_m', 'or remove it');
SELECT is(leader, 'm', 'it leads') FROM coord.leader('e');
SELECT is((SELECT max(event_id) FROM coord.leadership_log), :event::bigint, 'and always did');
SELECT is(other.must('m', 'SELECT count(*) FROM coord.heartbeat()'), '1', 'as it is told itself');

-- In a block, nobody is asked at all.
SELECT is(other.run('operator', 'BEGIN') || other.run('operator', $$SELECT coord.remove_member('m')$$) || other.run('operator', 'ROLLBACK'), 'BEGIN25001ROLLBACK', 'an open transaction evicts nobody');

SELECT * FROM finish();
