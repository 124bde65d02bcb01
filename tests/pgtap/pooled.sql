-- Sessions that are shared, as by a pool: calls in a member's name that arrive in another session, and a session that serves
-- others when its member is gone.
SELECT plan(32);
\ir support/sessions.sql
\ir support/ear.sql
SELECT listen('__eventsource_coordination.leader', '__eventsource_coordination.member');
CREATE FUNCTION leader_of(election text) RETURNS text LANGUAGE sql AS $$ SELECT leader FROM coord.leader(election) $$;
SELECT other.open(name) FROM unnest('{s1,s2}'::text[]) name;

-- Field case 1: what another session says in a member's name is refused, by a code of its own, and changes nothing.
SELECT ok(other.must('s1', $$SELECT coord.join('a')$$)::bigint > 0, 'a joins');
SELECT is(other.campaign('s1', 'e'), 'a', 'and leads');
SELECT token, elected_at FROM coord.leader('e') \gset
CALL hush();
SELECT is(told(), 'member joined a, leader e', 'which is told');
SELECT is(other.run('s2', $$SELECT coord.resign('e')$$), 'PC001', 'its resignation comes in another session');
SELECT is(other.run('s2', 'SELECT count(*) FROM coord.heartbeat()'), 'PC001', 'so does a heartbeat');
SELECT is(other.run('s2', $$SELECT coord.campaign('e')$$) || other.run('s2', $$SELECT coord.withdraw('e')$$), 'PC001PC001', 'and what else it has to say');
SELECT is(other.run('s2', $$SELECT coord.join('a')$$), 'PC003', 'that session cannot become a');
SELECT is(other.run('s2', 'SELECT coord.leave()'), 'f', 'nor leave for it');

-- Field case 8: members that do not lead resign nothing.
SELECT other.join('b');
SELECT is(other.run('b', $$SELECT coord.resign('e')$$) || other.run('b', $$SELECT coord.resign('e')$$), 'ff', 'another member, twice');
SELECT is(concat_ws(' ', leader, token, elected_at), concat_ws(' ', 'a', :token, :'elected_at'), 'a leads as before') FROM coord.leader('e');
SELECT is((SELECT count(*) FROM coord.leadership_log), 1::bigint, 'nothing was logged');
CALL hush();
SELECT is(told(), 'member joined b', 'or told');
SELECT is(other.must('s1', $$SELECT coord.resign('e')$$) || other.campaign('b', 'e'), 'tb', 'a resigns where it joined, and b leads at once');
SELECT other.must('b', $$SELECT coord.resign('e')$$);

-- A former incarnation, whose session is still there
SELECT other.must('s1', 'SELECT coord.leave()');
SELECT ok(other.must('s2', $$SELECT coord.join('a')$$)::bigint > 0, 'a comes back in another session');
SELECT is(other.campaign('s2', 'e'), 'a', 'and leads again');
SELECT is(other.run('s1', $$SELECT coord.resign('e')$$) || other.run('s1', format('SELECT coord.fence(''e'', %s)', :token)), 'PC001PC002', 'its former session ends no term, and writes under none');
SELECT is(leader_of('e'), 'a', 'a leads still');
SELECT other.must('s2', 'SELECT coord.leave()');

-- Field case 2: the session lives on and is busy for others, its member is not heard any more.
CREATE TABLE late (at timestamptz);
SELECT ok(other.must('s1', $$SELECT coord.join('a', heartbeat_timeout => '1 s')$$)::bigint > 0, 'a joins');
SELECT is(other.campaign('s1', 'p') || other.campaign('b', 'p'), 'aa', 'a leads, b is next');
SELECT is(other.must('s1', 'SELECT count(*) FROM coord.heartbeat() h WHERE h.is_leader'), '1', 'its last heartbeat');
SELECT last_heartbeat_at AS heard FROM coord.peers WHERE instance_id = 'a' \gset
SELECT token FROM coord.leader('p') \gset
CREATE FUNCTION serves_others(heard timestamptz) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
  asked constant timestamptz := clock_timestamp();
BEGIN
  INSERT INTO late SELECT asked WHERE leader_of('p') = 'a' AND asked > heard + interval '1.2 s';
  PERFORM other.must('s1', 'SELECT count(*) FROM pg_class');
  PERFORM other.must('s1', 'SELECT count(*) FROM coord.peers, coord.elections, coord.leader(''p'')');
  PERFORM other.must('s1', 'SELECT coord.try_lock(''somebody else''''s'') AND coord.unlock(''somebody else''''s'')');
  PERFORM other.must('b', 'SELECT coord.sweep()');
  RETURN leader_of('p') IS NOT DISTINCT FROM 'b';
END
$$;
SELECT ok(other.wait_for(format('serves_others(%L)', :'heard'), '{b}'), 'b takes over');
SELECT ok(elected_at - :'heard'::timestamptz BETWEEN '1 s' AND '2 s', 'within a second after the timeout') FROM coord.leader('p');
SELECT cmp_ok(token, '>', :token::bigint, 'with a greater token') FROM coord.leader('p');
SELECT is((SELECT count(*) FROM late), 0::bigint, 'nobody saw a lead for longer than its timeout');
SELECT is((SELECT cause FROM coord.leadership_log WHERE election = 'p' ORDER BY event_id DESC LIMIT 1), 'silent', 'for its silence');
SELECT is(session_pid || status, other.pid('s1') || 'stale', 'though its session is there') FROM coord.peers WHERE instance_id = 'a';
SELECT is(other.run('s1', $$SELECT coord.resign('p')$$) || other.run('s1', format('SELECT coord.fence(''p'', %s)', :token)), 'fPC002', 'which has nothing to say any more');
SELECT is(leader_of('p'), 'b', 'b leads');

-- Given to the next client of the pool by DISCARD ALL, it carries nothing over.
SELECT is(other.run('s1', 'DISCARD ALL'), 'DISCARD ALL', 'the pool cleans up');
SELECT is(other.run('s1', 'SELECT count(*) FROM coord.heartbeat()'), 'PC001', 'the next one is no member');
SELECT ok(other.must('s1', $$SELECT coord.join('c')$$)::bigint > 0, 'and may become one');
SELECT is(leader_of('p'), 'b', 'which moves nothing');

SELECT * FROM finish();
