-- What is told to the peers of a member, where, and how often: every change once, nothing when nothing changes.
SELECT plan(45);
\ir support/sessions.sql
\ir support/ear.sql
SELECT listen('__eventsource_coordination.shutdown', '__eventsource_coordination.heartbeat',
  '__eventsource_coordination.work_assignment', '__eventsource_coordination.member');
CREATE FUNCTION beat(session text, arguments text DEFAULT '') RETURNS text LANGUAGE sql AS $$
  SELECT other.must(session, format('SELECT count(*) FROM coord.heartbeat(%s)', arguments))
$$;
CREATE FUNCTION sweep(session text, times int DEFAULT 1) RETURNS text LANGUAGE sql AS $$
  SELECT max(other.must(session, 'SELECT coord.sweep() > ''0''')) FROM generate_series(1, times)
$$;
CREATE FUNCTION stale(instance text) RETURNS boolean LANGUAGE sql AS $$
  SELECT status = 'stale' FROM coord.peers WHERE instance_id = instance
$$;

-- A life
SELECT other.join('w', '1 day');
SELECT other.join('v', '1 day');
SELECT other.join('a');
CALL hush();
SELECT is(told(), 'member joined w, member joined v, member joined a', 'each joins');
SELECT other.join('a');
CALL hush();
SELECT is(told(), 'heartbeat a', 'joining again says what it is now');
SELECT beat('a');
SELECT beat('a', $$'{}', 0, 0$$);
SELECT other.campaign('a', 'e');
SELECT other.must('a', $$SELECT coord.resign('e')$$);
SELECT sweep('a');
SELECT other.run('a', $$SELECT coord.join('w')$$);
SELECT other.must('a', 'SELECT count(*) FROM coord.peers');
CALL hush();
SELECT is(told(), 'nothing', 'what changes nothing of it is not told');
SELECT beat('a', $$'{orders}'$$);
CALL hush();
SELECT is(told(), 'heartbeat a', 'other subscriptions');
SELECT beat('a', 'in_flight_count => 1');
SELECT beat('a', 'load_factor => 0.5');
CALL hush();
SELECT is(told(), 'heartbeat a, heartbeat a', 'another count, another load');
SELECT beat('a', $$'{orders}', 1, 0.5$$);
CALL hush();
SELECT is(told(), 'nothing', 'the same once more');
SELECT beat('a', $$'{bills}', 2, 0.25, true$$);
SELECT beat('a', 'publish => true');
CALL hush();
SELECT is(told(), 'heartbeat a, heartbeat a', 'once each, when it is asked for');
SELECT other.must('a', $$SELECT coord.announce_shutdown('graceful')$$);
CALL hush();
SELECT is(told(), 'shutdown a', 'a notice');
SELECT other.must('a', $$SELECT coord.announce_shutdown('preemption')$$);
SELECT other.must('w', $$SELECT coord.drain('a')$$);
CALL hush();
SELECT is(told(), 'shutdown a, shutdown a', 'the next one, and that of somebody else on its behalf');
SELECT other.must('a', 'SELECT coord.leave()');
SELECT other.must('a', 'SELECT coord.leave()');
CALL hush();
SELECT is(told(), 'member left a', 'it leaves, once');
SELECT other.must('w', $$SELECT coord.remove_member('a')$$);
SELECT other.must('w', $$SELECT coord.remove_member('a')$$);
CALL hush();
SELECT is(told(), 'member removed a', 'it is removed, once');
SELECT other.join('a');
SELECT dblink_exec('a', 'DISCARD ALL');
CALL hush();
SELECT is(told(), 'member joined a, member left a', 'discarded is left');

-- What fails or is rolled back
SELECT other.join('a');
CALL hush();
SELECT told();
SELECT is(other.run('a', $$SELECT coord.announce_shutdown('graceful') > now() AND 1 / 0 > 0$$), '22012', 'a notice that is rolled back');
SELECT is(other.run('a', $$SELECT count(*) / 0 FROM coord.heartbeat('{other}')$$), '22012', 'and a heartbeat');
SELECT is(other.run('a', $$SELECT coord.announce_shutdown('never')$$) || other.run('w', $$SELECT coord.remove_member('a')$$), '22023PC003', 'and what is refused');
CALL hush();
SELECT is(told(), 'nothing', 'are not told');

-- Work
SELECT other.campaign('w', 'work');
SELECT other.must('w', $$SELECT coord.assign('a', '{orders}', 'work', token) > 0 FROM coord.leader('work')$$);
SELECT is(other.run('w', $$SELECT coord.assign('a', '{orders}', 'work', token - 1) FROM coord.leader('work')$$), 'PC002', 'no assignment');
CALL hush();
SELECT is(told(), 'work_assignment a', 'one assignment');

-- The end of a session: by itself, and once more by a sweep, in case that the bell could not be rung
SELECT other.close('a');
SELECT ok(heard(1), 'its session ends');
SELECT is(told(), 'member gone a', 'which is told at once');
SELECT sweep('w'), sweep('v', 5), sweep('w', 5);
CALL hush();
SELECT is(told(), 'member gone a', 'and once more, whoever sweeps how often');
SELECT other.join('a');
SELECT other.must('a', $$SELECT coord.announce_shutdown('graceful')$$);
SELECT other.close('a');
SELECT ok(heard(3), 'the end of a draining one');
SELECT sweep('w', 5);
CALL hush();
SELECT is(told(), 'member joined a, shutdown a, member gone a, member gone a', 'is told as well');
SELECT other.join('a');
CALL hush();
SELECT is(told(), 'member joined a', 'the next incarnation joins');

-- Silence: once, whoever sweeps how often; its end; the next one
SELECT other.join('s', '1 s');
SELECT is(other.campaign('s', 'f') || other.campaign('w', 'f'), 'ss', 's leads, w is next');
SELECT ok(other.wait_for('stale(''s'')'), 's is silent');
CALL hush();
SELECT is(told(), 'member joined s', 'nobody has noticed yet');
SELECT is(sweep('w') || sweep('v', 3) || sweep('w', 3), 'ttt', 'w and v sweep');
CALL hush();
SELECT is(told(), 'member silent s', 'which is told once');
SELECT beat('s');
CALL hush();
SELECT is(told(), 'heartbeat s', 'it is heard again');
SELECT beat('s'), sweep('w', 3);
CALL hush();
SELECT is(told(), 'nothing', 'which is told once as well');
SELECT ok(other.wait_for('stale(''s'')'), 's is silent again');
SELECT sweep('v', 3), sweep('w', 3);
CALL hush();
SELECT is(told(), 'member silent s', 'every silence is told');
SELECT beat('s', $$'{s}', 7$$);
CALL hush();
SELECT is(told(), 'heartbeat s', 'back with news: told once');
SELECT ok(other.wait_for('stale(''s'')'), 'silent once more');
SELECT beat('s'), beat('s');
CALL hush();
SELECT is(told(), 'heartbeat s', 'an end is told though nobody has told the silence');
SELECT ok(other.wait_for('stale(''s'')'), 'silent, and told');
SELECT sweep('w');
SELECT is(other.campaign('s', 'free'), 's', 'it campaigns for what is free, and is heard by that');
SELECT sweep('w');
CALL hush();
SELECT is(told(), 'member silent s, heartbeat s', 'that is its end, too');
SELECT other.must('s', $$SELECT coord.announce_shutdown('graceful')$$);
SELECT ok(other.wait_for('(SELECT NOT coord._heard(last_heartbeat_at, heartbeat_timeout) FROM coord._beat WHERE heartbeat_timeout = 1000000)'),
  'a draining one is silent');
SELECT sweep('w', 3), sweep('v', 3);
CALL hush();
SELECT is(told(), 'shutdown s', 'which was to be expected');

-- The name of a silent one is taken; a silent one is removed.
SELECT other.join('s', '1 s');
SELECT ok(other.wait_for('stale(''s'')'), 'silent');
SELECT other.open('t');
SELECT other.must('t', $$SELECT coord.join('s', heartbeat_timeout => '1 s')$$);
SELECT other.run('s', 'SELECT count(*) FROM coord.heartbeat()');
CALL hush();
SELECT is(told(), 'heartbeat s, member joined s', 'somebody else joins by its name');
SELECT ok(other.wait_for('stale(''s'')'), 'who is silent');
SELECT other.must('w', $$SELECT coord.remove_member('s')$$);
SELECT sweep('w', 3);
CALL hush();
SELECT is(told(), 'member removed s', 'and removed');

SELECT * FROM finish();
