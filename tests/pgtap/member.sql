-- Members: incarnations, who may have a name, what the views say of the living, the silent and the dead.
SELECT plan(38);
\ir support/sessions.sql

SELECT ok(other.join('a') > 0, 'a joins');
SELECT ok(other.must('a', $$SELECT coord.join('a', metadata => '{"v": 1}')$$) = (SELECT incarnation::text FROM coord.peers),
  'the same name from the same session is the same incarnation');
SELECT is((SELECT metadata->>'v' FROM coord.peers), '1', 'with what it said last');
SELECT incarnation AS first FROM coord.peers \gset

-- In use
SELECT other.open('b');
SELECT is(other.run('b', $$SELECT coord.join('a')$$), 'PC003', 'a name in use is refused');
SELECT is(other.run('a', $$SELECT coord.join('b')$$), 'PC003', 'so is a second name of one session');
SELECT ok(other.must('b', $$SELECT coord.join('a', 'another group')$$)::bigint > :first, 'each group has names of its own');
SELECT is(other.must('b', 'SELECT coord.leave()'), 't', 'it leaves');
SELECT ok(other.must('b', $$SELECT coord.join('b')$$)::bigint > :first + 1, 'incarnations rise, over all names');
SELECT is(other.must('b', 'SELECT coord.leave()'), 't', 'it leaves again');
SELECT is((SELECT count(*) FROM coord.peers), 1::bigint, 'whoever left is forgotten');

-- What a peer looks like
SELECT is(status, 'healthy', 'a is healthy') FROM coord.peers;
SELECT is(session_pid, other.pid('a'), 'its process is shown') FROM coord.peers;
SELECT ok(joined_at <= last_heartbeat_at AND last_heartbeat_at <= clock_timestamp(), 'its times are the server''s') FROM coord.peers;
SELECT last_heartbeat_at AS before FROM coord.peers \gset
SELECT other.must('a', 'SELECT count(*) FROM coord.heartbeat(in_flight_count => 7)');
SELECT ok(last_heartbeat_at > :'before', 'a heartbeat is a sign of life') FROM coord.peers;
SELECT last_heartbeat_at AS before FROM coord.peers \gset
SELECT other.must('a', 'SELECT 1');
SELECT other.must('a', $$SELECT leader FROM coord.campaign('e')$$);
SELECT is(last_heartbeat_at, :'before', 'nothing else is') FROM coord.peers;

-- Dead
SELECT other.close('a');
SELECT ok(other.wait_for('(SELECT status = ''stale'' AND session_pid IS NULL FROM coord.peers)'), 'a session that ended is stale');
SELECT is(instance_id || incarnation, 'a' || :first, 'but not forgotten') FROM coord.peers;
SELECT ok(other.join('a') > :first, 'its name is free, for a new incarnation');
SELECT is(status || ' ' || count(*) OVER (), 'healthy 1', 'of the same row') FROM coord.peers;
SELECT is((SELECT count(*) FROM coord._beat), 1::bigint, 'and nothing of the former one is kept');

-- Silent: stale by its own timeout, though the session lives
SELECT ok(other.join('short', '1 s') > 0, 'one with a short timeout');
SELECT is(other.campaign('short', 'of the silent'), 'short', 'that leads');
SELECT ok(other.wait_for('(SELECT status = ''stale'' FROM coord.peers WHERE instance_id = ''short'')'), 'is stale when it was silent');
SELECT is(session_pid, other.pid('short'), 'its session is shown all the same') FROM coord.peers WHERE instance_id = 'short';
SELECT is(status, 'healthy', 'another''s longer timeout still runs') FROM coord.peers WHERE instance_id = 'a';
SELECT is(other.must('short', 'SELECT count(*) FROM coord.heartbeat()'), '1', 'a late heartbeat counts, nobody judged meanwhile');
SELECT is(status, 'healthy', 'it is healthy again') FROM coord.peers WHERE instance_id = 'short';

-- A heartbeat from the future (the clock was set back) does not make it look alive until then.
SELECT other.must('short', 'SELECT count(*) FROM coord.heartbeat()');
UPDATE coord._beat SET last_heartbeat_at = clock_timestamp() + interval '1 hour' WHERE heartbeat_timeout = 1000000;
SELECT is(status, 'stale', 'stale') FROM coord.peers WHERE instance_id = 'short';
SELECT is((SELECT count(*) FROM coord.leader('of the silent')), 0::bigint, 'and no leader');
SELECT is(other.must('short', 'SELECT count(*) FROM coord.heartbeat()'), '1', 'the next heartbeat');
SELECT is(status, 'healthy', 'sets it right') FROM coord.peers WHERE instance_id = 'short';

-- A silent one's name can be taken over; the former holder learns of it.
SELECT ok(other.wait_for('(SELECT status = ''stale'' FROM coord.peers WHERE instance_id = ''short'')'), 'silent again');
SELECT ok(other.must('b', $$SELECT coord.join('short')$$)::bigint > :first, 'another session takes the name');
SELECT is(other.run('short', 'SELECT count(*) FROM coord.heartbeat()'), 'PC001', 'the former holder is told by its next heartbeat');
SELECT is(other.run('short', $$SELECT coord.campaign('e')$$) || other.run('short', $$SELECT coord.withdraw('e')$$)
  || other.run('short', 'SELECT coord.leave()'), 'PC001PC001f', 'it is no member any more');
SELECT is((SELECT count(*) FROM coord.leader('of the silent')), 0::bigint, 'its leadership does not come with the name');
SELECT is((SELECT cause FROM coord.leadership_log WHERE election = 'of the silent' ORDER BY event_id DESC LIMIT 1), 'silent',
  'and has ended for its silence');
SELECT is(other.run('short', $$SELECT coord.join('short')$$), 'PC003', 'it does not get the name back by asking');

SELECT * FROM finish();
