-- Elections: terms and tokens, the queue, handing over.
SELECT plan(47);
\ir support/sessions.sql
SELECT other.join(name) FROM unnest('{a,b,c,d}'::text[]) name;
CREATE FUNCTION leader_of(election text) RETURNS text LANGUAGE sql AS $$ SELECT leader FROM coord.leader(election) $$;
CREATE FUNCTION queue(election text) RETURNS text LANGUAGE sql AS $$
  SELECT string_agg(instance_id, ' ' ORDER BY position) FROM coord.candidates c WHERE c.election = queue.election
$$;

-- A term
SELECT is((SELECT count(*) FROM coord.leader('e')), 0::bigint, 'nobody leads what was never campaigned for');
SELECT is(other.campaign('a', 'e'), 'a', 'the first to come leads');
SELECT is(leader || ' ' || term, 'a 1', 'in term 1') FROM coord.leader('e');
SELECT is(token, epoch::bigint << 40 | term, 'a token is epoch and term') FROM coord.leader('e');
SELECT cmp_ok(token, '>', 1::bigint << 40, 'an epoch is at least 1') FROM coord.leader('e');
SELECT is((SELECT is_leader FROM coord.leader('e')), false, 'is_leader: not this session');
SELECT is(other.must('a', $$SELECT is_leader FROM coord.leader('e')$$), 't', 'but that one');
SELECT token AS first FROM coord.leader('e') \gset

-- Idempotent
SELECT is(other.must('a', $$SELECT token FROM coord.campaign('e')$$), :'first', 'to campaign again changes nothing');
SELECT is(other.must('a', $$SELECT token FROM coord.try_acquire('e')$$), :'first', 'nor does to try');
SELECT is((SELECT count(*) FROM coord.leadership_log WHERE election = 'e'), 1::bigint, 'nothing was logged for it');
SELECT is(queue('e'), NULL, 'a leader does not stand in the queue');

-- The queue: by priority, then first come
SELECT is(other.campaign('b', 'e'), 'a', 'b is told who leads');
SELECT is(other.campaign('c', 'e', 10), 'a', 'c as well');
SELECT is(other.campaign('d', 'e', 10), 'a', 'and d');
SELECT is(queue('e'), 'c d b', 'higher priority first, then first come');
SELECT is(other.campaign('c', 'e', 10), 'a', 'c asks again');
SELECT is(queue('e'), 'c d b', 'and keeps its place');
SELECT is(other.campaign('b', 'e', 10), 'a', 'b raises its priority');
SELECT is(queue('e'), 'b c d', 'its arrival still counts');
SELECT is(other.campaign('b', 'e', -1), 'a', 'b lowers it');
SELECT is(queue('e'), 'c d b', 'and goes to the end');
SELECT is(other.must('d', $$SELECT is_leader FROM coord.try_acquire('e')$$), 'f', 'to try is not to jump the queue');
SELECT is(candidates, 3, 'elections counts them') FROM coord.elections WHERE election = 'e';

-- Handing over
SELECT is(other.must('a', $$SELECT coord.resign('e')$$), 't', 'a resigns');
SELECT is(leader_of('e'), 'c', 'the first in the queue leads at once');
SELECT is(queue('e'), 'd b', 'and has left the queue; a is not in it');
SELECT is(token, :first + 1, 'in the next term') FROM coord.leader('e');
SELECT is(other.must('c', $$SELECT election || is_leader || term FROM coord.heartbeat()$$), 'etrue2',
  'its next heartbeat tells it, without any notification');
SELECT is(other.must('a', $$SELECT coord.resign('e')$$), 'f', 'nothing left to resign');
SELECT is(leader_of('e'), 'c', 'c still leads');
SELECT is(other.must('d', $$SELECT coord.withdraw('e')$$), 't', 'd withdraws');
SELECT is(coord.depose('e'), true, 'an administrator deposes c');
SELECT is(leader_of('e'), 'b', 'd was passed over');
SELECT is(other.must('b', 'SELECT coord.leave()'), 't', 'b leaves');
SELECT is(leader_of('e'), NULL, 'nobody is left');
SELECT is(leader || '', NULL, 'and the view does not name one') FROM coord.elections WHERE election = 'e';

-- Terms rise over a vacancy, in every way to lead
SELECT is(other.must('d', $$SELECT is_leader || ' ' || term FROM coord.try_acquire('e')$$), 'true 4', 'd tries, and leads');
SELECT ok(bool_and(token > previous), 'every term''s token is greater than the one before')
FROM (SELECT token, lag(token, 1, 0::bigint) OVER (ORDER BY event_id) AS previous FROM coord.leadership_log
      WHERE election = 'e' AND leader IS NOT NULL) t;
SELECT is(string_agg(leader || term, ' ' ORDER BY event_id), 'a1 c2 b3 d4', 'one term each') FROM coord.leadership_log
WHERE election = 'e' AND leader IS NOT NULL;

-- One session, many elections
SELECT is(other.campaign('d', 'f') || other.campaign('d', 'g') || other.campaign('a', 'g'), 'ddd', 'd leads more than one');
SELECT is(other.must('d', 'SELECT election FROM coord.heartbeat()'), 'e,f,g', 'a heartbeat returns all of them, by name');
SELECT is(other.must('d', 'SELECT coord.leave()'), 't', 'd leaves');
SELECT is(concat(leader_of('e'), leader_of('f'), leader_of('g')), 'a', 'all of them move');
SELECT is(other.run('d', $$SELECT leader FROM coord.campaign('e')$$), 'PC001', 'a former member cannot campaign');

-- A candidate that is gone is not in the way
SELECT is(other.campaign('c', 'g', 5), 'a', 'c is next');
SELECT other.close('c');
SELECT ok(other.wait_for('NOT EXISTS (SELECT FROM coord.candidates)'), 'but its session ends');
SELECT is(other.must('a', $$SELECT coord.resign('g')$$) || leader_of('g'), NULL, 'so nobody follows');

SELECT * FROM finish();
