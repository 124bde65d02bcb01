-- A member that is silent for its timeout loses what it leads; who may judge, and when.
SELECT plan(38);
\ir support/sessions.sql
CREATE FUNCTION leader_of(election text) RETURNS text LANGUAGE sql AS $$ SELECT leader FROM coord.leader(election) $$;
CREATE FUNCTION stale(instance text) RETURNS boolean LANGUAGE sql AS $$
  SELECT status = 'stale' FROM coord.peers WHERE instance_id = instance
$$;
CREATE FUNCTION events(election text) RETURNS bigint LANGUAGE sql AS $$
  SELECT count(*) FROM coord.leadership_log l WHERE l.election = events.election
$$;
CREATE FUNCTION sweep(session text) RETURNS interval LANGUAGE sql AS $$ SELECT other.must(session, 'SELECT coord.sweep()')::interval $$;

-- Whoever is heard keeps leading.
SELECT other.join('l', '1 s');
SELECT other.join('w', '1 min');
SELECT is(other.campaign('l', 'e') || other.campaign('w', 'e'), 'll', 'l leads, w is next');
SELECT clock_timestamp() AS start \gset
SELECT ok(other.wait_for(format('sweep(''w'') > ''0'' AND clock_timestamp() > %L::timestamptz + interval ''1.5 s''', :'start'), '{l}'),
  'l is heard for longer than its timeout, w sweeps');
SELECT is(leader_of('e') || events('e'), 'l1', 'nothing happened');

-- sweep() says how long it can wait.
SELECT other.must('l', 'SELECT count(*) FROM coord.heartbeat()');
SELECT sweep('w') AS wait, clock_timestamp() AS swept \gset
SELECT last_heartbeat_at AS heard FROM coord.peers WHERE instance_id = 'l' \gset
-- A tenth of a second longer, since a heartbeat may have come unrecorded (extension/rules/watch.hpp).
SELECT ok(:'wait'::interval > '0' AND :'wait'::interval <= '1.1 s', 'a time within the leader''s timeout');
SELECT ok(:'swept'::timestamptz + :'wait'::interval >= :'heard'::timestamptz + interval '1 s', 'not before the leader is silent');
SELECT pg_sleep(extract(epoch FROM :'wait'::interval));
SELECT ok(sweep('w') > '0', 'after that time a sweep');
SELECT is(leader_of('e'), 'w', 'replaces the silent leader');
SELECT is(concat_ws(' ', cause, previous, leader, term), 'silent l w 2', 'and says why') FROM coord.leadership_log
WHERE election = 'e' ORDER BY event_id DESC LIMIT 1;
SELECT ok(elected_at - :'heard'::timestamptz BETWEEN '1 s' AND '2 s', 'within a second after its timeout') FROM coord.leader('e');
SELECT is(sweep('w'), '1 min', 'with no leader but itself, it need not look again before its own timeout');

-- The one that was silent: a member still, but nothing else.
SELECT is(other.must('l', 'SELECT count(*) FROM coord.heartbeat()'), '0', 'l leads nothing any more');
SELECT is(other.run('l', format('SELECT coord.fence(''e'', %s)', token - 1)), 'PC002', 'its token is worth nothing')
FROM coord.leader('e');
SELECT is(other.run('l', $$SELECT coord.resign('e')$$), 'f', 'it has nothing to resign');
SELECT is(other.campaign('l', 'e'), 'w', 'and queues like everybody else');

-- A silent candidate is passed over.
SELECT other.join('c', '1 min');
SELECT is(other.campaign('c', 'e', -1), 'w', 'c queues behind l');
SELECT ok(other.wait_for('stale(''l'')', '{w,c}'), 'l is silent again');
SELECT is(other.must('w', $$SELECT coord.resign('e')$$) || leader_of('e'), 'tc', 'c leads');
SELECT is(position || instance_id, '1l', 'l keeps its place') FROM coord.candidates WHERE election = 'e';

-- A heartbeat sweeps as well, when it is due.
SELECT is(other.must('l', 'SELECT count(*) FROM coord.heartbeat()') || other.campaign('l', 'f') || other.campaign('w', 'f'), '0ll',
  'l leads f, w is next');
SELECT ok(other.wait_for('leader_of(''f'') = ''w''', '{w}'), 'w takes over by its heartbeats alone');
SELECT ok(elected_at - last_heartbeat_at BETWEEN '1 s' AND '10 s', 'not before l''s timeout')
FROM coord.leader('f'), coord.peers WHERE instance_id = 'l';

-- A judge that has just come has not watched for long enough, however stale the leader looks.
SELECT other.must('l', $$SELECT coord.withdraw('e')$$);
SELECT dblink_disconnect('w'), dblink_disconnect('c');
SELECT ok(other.wait_for('leader_of(''f'') IS NULL AND leader_of(''e'') IS NULL'), 'the others leave');
SELECT is(other.must('l', 'SELECT count(*) FROM coord.heartbeat()') || other.campaign('l', 'g'), '0l', 'l leads g');
SELECT ok(other.wait_for('stale(''l'')'), 'and is silent');
SELECT events('g') AS events \gset
SELECT is(leader || leader_pid, NULL, 'which the view says as well') FROM coord.elections WHERE election = 'g';
SELECT other.join('j', '1 min');
SELECT is(other.campaign('j', 'g'), 'l', 'j is told that l leads');
SELECT ok(sweep('j') BETWEEN '0.5 s' AND '1 s', 'j has to watch for l''s timeout first');
SELECT is(events('g'), :events::bigint, 'and replaces nobody');
SELECT ok(other.wait_for('sweep(''j'') > ''0'' AND leader_of(''g'') = ''j''', '{j}'), 'then it does');
SELECT ok(elected_at - joined_at BETWEEN '1 s' AND '3 s', 'after l''s timeout by its own watch')
FROM coord.leader('g'), coord.peers WHERE instance_id = 'j';

-- Nor has one that was silent itself.
SELECT other.join('k', '1 s');
SELECT other.must('l', 'SELECT count(*) FROM coord.heartbeat()');
SELECT is(other.campaign('l', 'h') || other.campaign('k', 'h'), 'll',
  'l leads h, k is next');
SELECT ok(other.wait_for('stale(''l'') AND stale(''k'')'), 'both are silent');
SELECT is((sweep('k') > '0')::text || (SELECT leader FROM coord.leadership_log WHERE election = 'h' ORDER BY event_id DESC LIMIT 1), 'truel',
  'k, awake again, judges nobody');

-- Whom a heartbeat may just be reaching is not replaced: the row that it would change must be free, and is looked at again.
SELECT other.join('h', '1 s');
SELECT other.join('v', '1 min');
SELECT is(other.campaign('h', 'k') || other.campaign('v', 'k'), 'hh', 'h leads, v is next');
SELECT other.open('keeper');
SELECT dblink_exec('keeper', 'BEGIN');
SELECT isnt(other.must('keeper', $$SELECT b.incarnation FROM coord._beat b JOIN coord._member m USING (incarnation)
  WHERE m.instance_id = 'h' FOR UPDATE OF b$$), NULL, 'the row of h''s heartbeats is held');
SELECT clock_timestamp() AS start \gset
SELECT ok(other.wait_for(format('sweep(''v'') >= ''0'' AND clock_timestamp() > %L::timestamptz + interval ''3 s''', :'start')),
  'v sweeps for long after h''s timeout');
SELECT is(leader, 'h', 'and takes nothing') FROM coord._election WHERE election = 'k';
SELECT dblink_exec('keeper', 'COMMIT');
SELECT ok(other.wait_for('sweep(''v'') >= ''0'' AND leader_of(''k'') = ''v'''), 'v takes over when the row is free');

SELECT * FROM finish();
