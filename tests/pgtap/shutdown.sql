-- Shutdown notices: what peers see of them, and the end of what a draining member leads.
SELECT plan(67);
\ir support/sessions.sql
CREATE FUNCTION status(instance text) RETURNS text LANGUAGE sql AS $$ SELECT status FROM coord.peers WHERE instance_id = instance $$;
CREATE FUNCTION leader_of(election text) RETURNS text LANGUAGE sql AS $$ SELECT leader FROM coord.leader(election) $$;
CREATE FUNCTION announce(session text, span interval DEFAULT '1 min', intent text DEFAULT 'graceful') RETURNS timestamptz
LANGUAGE sql AS $$ SELECT other.must(session, format('SELECT coord.announce_shutdown(%L, %L)', intent, span))::timestamptz $$;
CREATE FUNCTION beat(session text) RETURNS text LANGUAGE sql AS $$
  SELECT other.must(session, 'SELECT string_agg(election, '','' ORDER BY election) FROM coord.heartbeat()')
$$;
CREATE FUNCTION sweep(session text) RETURNS interval LANGUAGE sql AS $$ SELECT other.must(session, 'SELECT coord.sweep()')::interval $$;
CREATE FUNCTION last(election text) RETURNS text LANGUAGE sql AS $$
  SELECT concat_ws(' ', cause, COALESCE(previous, '-'), COALESCE(leader, '-'), term) FROM coord.leadership_log l
  WHERE l.election = last.election ORDER BY event_id DESC LIMIT 1
$$;
SELECT other.join('w', '1 day');

-- Every status, each before the ones after it: terminated, draining, unknown, stale, healthy.
SELECT other.join('m', '1 s');
SELECT is(status('m'), 'healthy', 'a member that is heard');
SELECT is(concat(shutdown_intent, shutdown_initiated_at, shutdown_deadline, time_remaining, shutdown_metadata), '',
  'and has announced nothing') FROM coord.peers WHERE instance_id = 'm';
SELECT ok(other.wait_for('status(''m'') = ''stale'''), 'silent');
SELECT ok(announce('m') > clock_timestamp(), 'it announces, without a heartbeat');
SELECT is(status('m'), 'draining', 'draining comes before stale');
DELETE FROM coord._beat WHERE heartbeat_timeout = 1000000;
SELECT is(status('m'), 'draining', 'and before never heard');
SELECT ok(announce('m', '0') <= clock_timestamp(), 'a deadline that is now');
SELECT is(status('m'), 'terminated', 'has passed, which comes first');
SELECT other.must('m', 'SELECT coord.leave()');
SELECT is(other.run('w', $$SELECT coord.remove_member('m')$$), 't', 'it is forgotten');
SELECT other.join('m');
DELETE FROM coord._beat WHERE heartbeat_timeout = 60000000;
SELECT is(status('m'), 'unknown', 'a member that nobody has heard');
SELECT other.close('m');
SELECT ok(other.wait_for('(SELECT session_pid IS NULL FROM coord.peers WHERE instance_id = ''m'')'), 'its session ends');
SELECT is(status('m'), 'unknown', 'unknown comes before stale');
SELECT other.join('m');
SELECT other.close('m');
SELECT ok(other.wait_for('status(''m'') = ''stale'''), 'a member whose session has ended');

-- What a notice says, and the next one instead of it.
SELECT other.join('m');
SELECT announce('m') AS deadline \gset
SELECT is(shutdown_intent || shutdown_deadline || (shutdown_deadline - shutdown_initiated_at), 'graceful' || :'deadline' || '00:01:00',
  'why, and until when') FROM coord.peers WHERE instance_id = 'm';
SELECT ok(time_remaining <= :'deadline'::timestamptz - shutdown_initiated_at AND time_remaining > '50 s', 'how long that is') FROM coord.peers
WHERE instance_id = 'm';
SELECT time_remaining AS before FROM coord.peers WHERE instance_id = 'm' \gset
SELECT ok(time_remaining < :'before', 'and less and less') FROM coord.peers WHERE instance_id = 'm';
SELECT ok(announce('m', '2 h', 'preemption') > :'deadline'::timestamptz + interval '1 h', 'a later deadline');
SELECT is(concat_ws(' ', shutdown_intent, shutdown_deadline - shutdown_initiated_at, shutdown_metadata), 'preemption 02:00:00 {}',
  'replaces the former one') FROM coord.peers WHERE instance_id = 'm';
SELECT ok(announce('m', '10 s') < :'deadline', 'an earlier one');
SELECT is(concat_ws(' ', shutdown_intent, shutdown_deadline - shutdown_initiated_at), 'graceful 00:00:10', 'as well') FROM coord.peers
WHERE instance_id = 'm';
SELECT ok(announce('m', '0') <= clock_timestamp(), 'and one that is now');
SELECT is(status || time_remaining, 'terminated00:00:00', 'no time is left, and never less than that') FROM coord.peers WHERE instance_id = 'm';

-- Joining again, in the same session and in another
SELECT incarnation AS first FROM coord.peers WHERE instance_id = 'm' \gset
SELECT is(other.join('m'), :first::bigint, 'the same session joins again');
SELECT is(status || concat(shutdown_intent, shutdown_initiated_at, shutdown_deadline, time_remaining, shutdown_metadata), 'healthy',
  'without its notice') FROM coord.peers WHERE instance_id = 'm';
SELECT is(other.campaign('m', 'again'), 'm', 'it may lead');
SELECT announce('m', '0');
SELECT other.must('m', 'SELECT coord.leave()');
SELECT is(status, 'terminated', 'left after a notice') FROM coord.peers WHERE instance_id = 'm';
SELECT other.open('n');
SELECT ok(other.must('n', $$SELECT coord.join('m')$$)::bigint > :first, 'another session takes the name');
SELECT is(status || concat(shutdown_intent, shutdown_initiated_at, shutdown_deadline, shutdown_metadata) || session_pid, 'healthy' || other.pid('n'),
  'a new incarnation, without the notice') FROM coord.peers WHERE instance_id = 'm';
SELECT is(other.must('n', $$SELECT leader FROM coord.campaign('again')$$), 'm', 'it may lead');
SELECT is(other.run('m', $$SELECT coord.announce_shutdown('graceful')$$), 'PC001', 'the former one has nothing to announce');

-- A row stays after a notice, whatever ends the membership; without one it does not.
SELECT other.must('n', 'SELECT coord.leave()');
SELECT is((SELECT count(*) FROM coord.peers WHERE instance_id = 'm'), 0::bigint, 'left without a notice');
SELECT other.must('n', $$SELECT coord.join('m', subscriptions => '{orders}')$$);
SELECT other.must('n', $$SELECT leader FROM coord.campaign('again')$$);
SELECT announce('n');
SELECT other.must('n', 'SELECT coord.leave()');
SELECT is(concat_ws(' ', status, subscriptions, shutdown_intent, session_pid, leads), 'terminated {orders} graceful f', 'left after one') FROM coord.peers
WHERE instance_id = 'm';
SELECT other.must('n', $$SELECT coord.join('m')$$);
SELECT announce('n');
SELECT dblink_exec('n', 'DISCARD ALL');
SELECT is(status, 'terminated', 'discarded after one') FROM coord.peers WHERE instance_id = 'm';
SELECT other.must('n', $$SELECT coord.join('m')$$);
SELECT announce('n');
SELECT other.close('n');
SELECT ok(other.wait_for('(SELECT session_pid IS NULL FROM coord.peers WHERE instance_id = ''m'')'), 'and the end of the session after one');
SELECT is(status, 'terminated', 'likewise, though the deadline is not here yet') FROM coord.peers WHERE instance_id = 'm';

-- A leader leads until the deadline, and not longer (field case 49).
SELECT other.join('l');
SELECT is(other.campaign('l', 'e') || other.campaign('w', 'e'), 'll', 'l leads, w is next');
SELECT token FROM coord.leader('e') \gset
SELECT announce('l', '500 ms') AS deadline \gset
SELECT is(leader_of('e') || beat('l') || status('l'), 'ledraining', 'it leads while it drains');
SELECT ok(sweep('w') <= '500 ms', 'a sweep asks to be called again at the deadline');
SELECT is(last('e'), 'elected - l 1', 'and replaces nobody');
SELECT ok(other.wait_for('leader_of(''e'') IS NULL'), 'then nobody believes its row');
SELECT ok(clock_timestamp() >= :'deadline', 'at the deadline, not before');
SELECT is(concat(leader, leader_pid), '', 'nor does the view') FROM coord.elections WHERE election = 'e';
SELECT is(last('e'), 'elected - l 1', 'nobody has touched it');
SELECT is(other.run('l', $$SELECT coord.campaign('e')$$) || other.run('l', $$SELECT coord.try_acquire('e')$$), 'PC001PC001', 'l cannot campaign');
SELECT ok(sweep('w') > '0', 'w sweeps');
SELECT is(last('e'), 'drained l w 2', 'and leads, for that cause');
SELECT is(other.run('l', format('SELECT coord.fence(''e'', %s)', :token)), 'PC002', 'l is fenced off');
SELECT is(beat('l'), NULL, 'it is heard, and leads nothing');
SELECT is(status('l') || (SELECT session_pid = other.pid('l') FROM coord.peers WHERE instance_id = 'l'), 'terminatedtrue', 'it stays a member until it leaves');

-- Its own heartbeat hands over, and a resignation does.
SELECT other.join('l');
SELECT is(other.campaign('l', 'f') || other.campaign('w', 'f') || other.campaign('l', 'g') || other.campaign('w', 'g'), 'llll', 'l leads f and g, w is next');
SELECT announce('l', '0');
SELECT is(other.must('l', $$SELECT coord.resign('g')$$) || last('g'), 'tresigned l w 2', 'it resigns after the deadline');
SELECT is(beat('l'), NULL, 'by its heartbeat it leads nothing');
SELECT is(last('f'), 'drained l w 2', 'and has handed over');
SELECT other.join('l');
SELECT other.must('l', $$SELECT count(*) FROM generate_series(1, 150) i, coord.campaign('many ' || i) l WHERE l.is_leader$$);
SELECT announce('l', '0');
SELECT is((SELECT count(*) FROM coord.elections WHERE election LIKE 'many %' AND leader IS NOT NULL), 0::bigint, 'of many elections it leads none at once');
SELECT beat('l'), beat('l'), beat('l');
SELECT is((SELECT count(*) FROM coord.leadership_log WHERE election LIKE 'many %' AND cause = 'drained' AND leader IS NULL), 150::bigint,
  'and its heartbeats end all those terms');

-- A draining candidate is the last choice, a drained one is none.
SELECT other.join(name) FROM unnest('{l,d,c}'::text[]) name;
SELECT is(other.campaign('l', 'h') || other.campaign('d', 'h', 100) || other.campaign('c', 'h'), 'lll', 'd is before c in the queue');
SELECT announce('d');
SELECT is(other.must('l', $$SELECT coord.resign('h')$$) || last('h'), 'tresigned l c 2', 'but it drains, so c leads');
SELECT is(other.must('c', $$SELECT coord.resign('h')$$) || last('h'), 'tresigned c d 3', 'alone it leads all the same');
SELECT is(beat('d') || leader_of('h'), 'hd', 'until its deadline');
SELECT is(other.must('d', $$SELECT coord.resign('h')$$) || other.campaign('c', 'h') || other.campaign('d', 'h'), 'tcc', 'd queues again');
SELECT announce('d', '0');
SELECT is(other.must('c', $$SELECT coord.resign('h')$$) || last('h'), 'tresigned c - 4', 'with nobody else there is nobody');

-- On behalf of a member
SELECT other.join('d');
SELECT is(other.must('w', $$SELECT coord.drain('d', intent => 'health_failure', drain_timeout => '1 h', metadata => '{"by": "w"}') > clock_timestamp()$$), 't',
  'w drains d');
SELECT is(concat_ws(' ', status, shutdown_intent, shutdown_deadline - shutdown_initiated_at, shutdown_metadata),
  'draining health_failure 01:00:00 {"by": "w"}', 'as if d had announced it') FROM coord.peers WHERE instance_id = 'd';
SELECT is(other.campaign('d', 'i') || beat('d'), 'di', 'd can do everything until the deadline');
SELECT other.must('w', $$SELECT coord.drain('d', drain_timeout => '0')$$);
SELECT is(beat('d'), NULL, 'then it leads nothing');
SELECT is(last('i') || other.run('d', $$SELECT coord.campaign('i')$$), 'drained d - 1PC001', 'and cannot campaign');
SELECT announce('d', '2 h', 'preemption');
SELECT is(status('d') || other.campaign('d', 'i'), 'drainingd', 'its own notice replaces that one');

SELECT * FROM finish();
