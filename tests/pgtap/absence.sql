-- Who tells that a member is silent: only a member that was awake all that time. Nobody is told of, or loses anything to,
-- one that was silent itself, and a silence of everybody at once hurts nobody who is back.
SELECT plan(27);
CREATE FUNCTION noted(id text) RETURNS boolean LANGUAGE sql AS $$
  SELECT m.told_lost_after IS NOT DISTINCT FROM b.last_heartbeat_at FROM coord._member m JOIN coord._beat b USING (incarnation)
  WHERE m.instance_id = id
$$;
\ir support/sessions.sql
\ir support/ear.sql
SELECT listen('__eventsource_coordination.member', '__eventsource_coordination.heartbeat', '__eventsource_coordination.leader');
CREATE FUNCTION beat(session text) RETURNS text LANGUAGE sql AS $$ SELECT other.must(session, 'SELECT count(*) FROM coord.heartbeat()') $$;
CREATE FUNCTION sweep(session text) RETURNS text LANGUAGE sql AS $$ SELECT other.must(session, 'SELECT coord.sweep() > ''0''') $$;
CREATE FUNCTION stale(VARIADIC instances text[]) RETURNS boolean LANGUAGE sql AS $$
  SELECT bool_and(status = 'stale') FROM coord.peers WHERE instance_id = ANY (instances)
$$;

-- A judge that has just come
SELECT other.join('s', '1 s');
SELECT ok(other.wait_for('stale(''s'')'), 's is silent');
SELECT other.join('j', '1 day');
SELECT is(sweep('j') || sweep('j'), 'tt', 'j sweeps, but has not watched for as long');
CALL hush();
SELECT is(told(), 'member joined s, member joined j', 'it tells nobody');
SELECT ok(noted('s') IS NOT TRUE, 'and notes nothing');
SELECT clock_timestamp() AS begun \gset
SELECT ok(other.wait_for('sweep(''j'') = ''t'' AND noted(''s'')'), 'later it does');
SELECT ok(clock_timestamp() - joined_at > '1 s', 'when it has watched for the timeout of s') FROM coord.peers WHERE instance_id = 'j';
CALL hush();
SELECT is(told(), 'member silent s', 'once');

-- A judge with a short timeout judges nobody whose own is longer before it has watched for that long.
SELECT other.must('s', 'SELECT coord.leave()');
SELECT other.join('s', '3 s');
SELECT other.join('k', '1 s');
SELECT last_heartbeat_at AS heard FROM coord.peers WHERE instance_id = 's' \gset
SELECT ok(other.wait_for('sweep(''k'') = ''t'' AND noted(''s'')', '{k}'), 'k watches for s');
SELECT ok(clock_timestamp() - :'heard' BETWEEN '3 s' AND '6 s', 'for its timeout');
CALL hush();
SELECT is(told(), 'member left s, member joined s, member joined k, member silent s', 'and tells it');

-- A judge that was silent itself
SELECT other.must('s', $$SELECT coord.join('s', heartbeat_timeout => '1 s')$$);
SELECT ok(other.wait_for('stale(''s'', ''k'')'), 's and k are silent');
SELECT is(sweep('k') || sweep('k'), 'tt', 'k is awake again');
CALL hush();
SELECT is(told(), 'heartbeat s', 'it tells nobody');
SELECT is(beat('k') || beat('s'), '00', 'both are heard');
CALL hush();
SELECT is(told(), 'heartbeat k, heartbeat s', 'and say so, though nobody missed them');

-- Everybody was silent, as when the machine was suspended: whoever is back keeps what it has, whoever comes first.
SELECT other.must('j', 'SELECT coord.leave()');
SELECT other.join('m' || i, '1 s') FROM generate_series(1, 10) i;
SELECT is((SELECT string_agg(other.campaign('m' || i, 'e' || i), ' ' ORDER BY i) FROM generate_series(1, 10) i),
  'm1 m2 m3 m4 m5 m6 m7 m8 m9 m10', 'each leads one');
SELECT other.campaign('k', 'e' || i) FROM generate_series(1, 10) i;
SELECT max(event_id) AS event FROM coord.leadership_log \gset
SELECT ok(other.wait_for('stale(''k'', ''s'', ''m1'', ''m2'', ''m3'', ''m4'', ''m5'', ''m6'', ''m7'', ''m8'', ''m9'', ''m10'')'), 'all are silent');
CALL hush();
SELECT told();
SELECT is(sweep('k') || beat('k'), 't0', 'k is back first, and looks around');
SELECT is((SELECT string_agg(beat('m' || i), '' ORDER BY i) FROM generate_series(1, 10) i), '1111111111', 'the others come back, and lead');
SELECT is(beat('s') || sweep('s') || sweep('k') || sweep('m10'), '0ttt', 'some sweep');
SELECT is((SELECT max(event_id) FROM coord.leadership_log), :event::bigint, 'nobody has lost anything');
CALL hush();
SELECT is(told(), 'heartbeat k, ' || string_agg('heartbeat m' || i, ', ' ORDER BY i) || ', heartbeat s', 'nobody was told of, each said that it is back')
FROM generate_series(1, 10) i;
SELECT is((SELECT count(*) FROM coord._member WHERE noted(instance_id)), 0::bigint, 'nothing was noted');
SELECT is((SELECT count(*) FROM coord.peers WHERE status = 'healthy' AND instance_id ~ '^(m|k|s)'), 12::bigint, 'all are healthy');

-- A heartbeat that came in time, but had to wait while its silence was told, says that it is back; else the next silence would
-- not be told. Tried until the sweep falls between the two.
SELECT other.join('j', '1 day');
SELECT other.open('keeper');
CREATE FUNCTION tell_while_it_beats() RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  of_s constant text := '(SELECT clock_timestamp() - last_heartbeat_at FROM coord.peers WHERE instance_id = ''s'')';
  swept text;
  beaten text;
BEGIN
  FOR attempt IN 1..20 LOOP
    PERFORM other.must('s', 'SELECT count(*) FROM coord.heartbeat()');
    PERFORM other.wait_for(of_s || ' > ''0.7 s''');
    PERFORM dblink_exec('keeper', 'BEGIN; LOCK TABLE coord._beat IN SHARE MODE');
    PERFORM dblink_send_query('s', 'SELECT count(*) FROM coord.heartbeat()');
    PERFORM other.wait_for(of_s || ' > ''1.15 s''');
    swept := other.run('j', 'SELECT coord.sweep() > ''0''');
    PERFORM dblink_exec('keeper', 'COMMIT');
    PERFORM other.wait_for('dblink_is_busy(''s'') = 0');
    BEGIN
      SELECT value INTO beaten FROM dblink_get_result('s') AS answer (value text);
    EXCEPTION WHEN lock_not_available THEN
      beaten := NULL;
    END;
    PERFORM FROM dblink_get_result('s') AS answer (value text);
    CONTINUE WHEN swept <> 't' OR beaten IS NULL;
    RETURN format('%s %s', swept, beaten);
  END LOOP;
  RETURN 'never';
END
$$;
SELECT ok(other.wait_for('(SELECT clock_timestamp() - joined_at > ''1.2 s'' FROM coord.peers WHERE instance_id = ''j'')'), 'j has watched for long enough');
CALL hush();
SELECT told();
SELECT is(tell_while_it_beats(), 't 0', 'told, and heard');
CALL hush();
SELECT matches(told() || noted('s'), '(^|, )member silent s, (member silent [km]\d*, )*heartbeat sfalse$', 'one after the other');

SELECT * FROM finish();
