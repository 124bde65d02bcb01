-- Members that are forgotten on purpose: only those that are gone, or silent by the judgement of somebody who was awake.
SELECT plan(37);
\ir support/sessions.sql
CREATE FUNCTION remove(session text, instance text, member_group text DEFAULT 'default') RETURNS text LANGUAGE sql AS $$
  SELECT other.run(session, format('SELECT coord.remove_member(%L, %L)', instance, member_group))
$$;
CREATE FUNCTION status(instance text) RETURNS text LANGUAGE sql AS $$ SELECT status FROM coord.peers WHERE instance_id = instance $$;
CREATE FUNCTION leader_of(election text) RETURNS text LANGUAGE sql AS $$ SELECT leader FROM coord.leader(election) $$;
CREATE FUNCTION last(election text) RETURNS text LANGUAGE sql AS $$
  SELECT concat_ws(' ', cause, COALESCE(previous, '-'), COALESCE(leader, '-')) FROM coord.leadership_log l
  WHERE l.election = last.election ORDER BY event_id DESC LIMIT 1
$$;
CREATE FUNCTION gone(instance text) RETURNS boolean LANGUAGE sql AS $$
  SELECT session_pid IS NULL FROM coord.peers WHERE instance_id = instance
$$;
CREATE VIEW traces AS SELECT (SELECT count(*) FROM coord._member) AS members, (SELECT count(*) FROM coord._beat) AS beats,
  (SELECT count(*) FROM coord._candidate) AS candidates;
SELECT other.join('w', '1 day');
SELECT other.open('nobody');

-- Nobody there
SELECT is(remove('w', 'm'), 'f', 'a name without a row');
SELECT is(remove('nobody', 'm'), 'f', 'also for one that is no member itself');

-- Alive
SELECT other.join('m');
SELECT is(remove('w', 'm') || remove('nobody', 'm') || remove('m', 'm'), 'PC003PC003PC003', 'a living one is refused, to everybody');
SELECT is(remove('w', 'm', 'another group'), 'f', 'in its own group');
SELECT other.must('m', $$SELECT coord.announce_shutdown('graceful')$$);
SELECT is(remove('w', 'm') || status('m'), 'PC003draining', 'while it drains');
SELECT other.must('m', $$SELECT coord.announce_shutdown('graceful', '0')$$);
SELECT is(remove('w', 'm') || status('m'), 'PC003terminated', 'after its deadline, as long as it beats');
SELECT other.must('m', 'SELECT coord.leave()');
SELECT is(status('m') || gone('m'), 'terminatedtrue', 'it has left');
SELECT is(remove('w', 'm') || remove('w', 'm'), 'tf', 'then it goes, once');
SELECT other.must('m', $$SELECT coord.join('m')$$);
SELECT is(status('m'), 'healthy', 'the name is free');

-- Dead
SELECT is(other.campaign('m', 'e') || other.campaign('w', 'e'), 'mm', 'm leads, w is next');
SELECT is(other.campaign('m', 'f'), 'm', 'and m leads what nobody waits for');
SELECT other.close('m');
SELECT ok(other.wait_for('last(''f'') = ''session_end m -'''), 'its session ends');
SELECT is(last('e') || last('f'), 'session_end m wsession_end m -', 'and hands over by itself');
SELECT is(remove('w', 'm'), 't', 'it is removed');
SELECT is(traces::text, '(1,1,0)', 'without a trace') FROM traces;

-- Dead, where its session could not hand over
SELECT other.join('m');
SELECT is(other.campaign('m', 'g') || other.campaign('w', 'g'), 'mm', 'm leads, w is next');
SELECT other.open('keeper');
SELECT dblink_exec('keeper', 'BEGIN; LOCK TABLE coord._election IN SHARE MODE');
SELECT other.close('m');
SELECT ok(other.wait_for('gone(''m'')'), 'its session ends');
SELECT is(last('g'), 'elected - m', 'with the registry locked');
SELECT dblink_exec('keeper', 'COMMIT');
SELECT is(remove('nobody', 'm') || last('g'), 'tsession_end m w', 'its removal hands over, for the true cause');

-- Silent, with a session that lives
SELECT other.join('s', '1 s');
SELECT is(other.campaign('s', 'h') || other.campaign('w', 'h') || other.campaign('s', 'i') || other.campaign('w', 'k') || other.campaign('s', 'k'), 'sssww',
  's leads h and i, and waits for k');
SELECT token FROM coord.leader('h') \gset
SELECT is(remove('w', 's'), 'PC003', 'it is heard');
SELECT ok(other.wait_for('status(''s'') = ''stale'''), 'it is silent');
SELECT is(remove('w', 's'), 't', 'w was awake all the time, and may remove it');
SELECT is(last('h') || last('i'), 'silent s wsilent s -', 'what it led is handed over');
SELECT is(traces::text, '(1,1,0)', 'and it waits for nothing') FROM traces;
SELECT is(other.run('s', 'SELECT count(*) FROM coord.heartbeat()') || other.run('s', 'SELECT coord.sweep()'), 'PC001PC001', 'it learns of it by its next call');
SELECT is(other.run('s', format('SELECT coord.fence(''h'', %s)', :token)), 'PC002', 'and is fenced off');
SELECT ok(other.must('s', $$SELECT coord.join('s', heartbeat_timeout => '1 s')$$)::bigint > 0, 'it may join again');

-- A judge that has just come has not watched for long enough.
SELECT ok(other.wait_for('status(''s'') = ''stale'''), 'silent again');
SELECT other.join('j', '1 day');
SELECT is(remove('j', 's'), 'PC003', 'j does not know that yet');
SELECT ok(other.wait_for('remove(''j'', ''s'') = ''t''', '{j}'), 'it does when it has watched for the timeout of s');
SELECT ok(clock_timestamp() - joined_at BETWEEN '1 s' AND '10 s', 'not before') FROM coord.peers WHERE instance_id = 'j';

-- Nor has one that was silent itself.
SELECT other.must('s', $$SELECT coord.join('s', heartbeat_timeout => '1 s')$$);
SELECT other.join('k', '1 s');
SELECT ok(other.wait_for('status(''s'') = ''stale'' AND status(''k'') = ''stale'''), 'both are silent');
SELECT is(remove('k', 's') || remove('k', 'k'), 'PC003PC003', 'k, awake again, judges nobody, not even itself');
SELECT is(status('s') || status('k'), 'stalestale', 'nobody was removed');
-- A session that is no member goes by the server's clock.
SELECT is(remove('nobody', 's') || remove('nobody', 'k'), 'tt', 'an operator''s session may remove the silent');
SELECT is(other.run('k', 'SELECT count(*) FROM coord.heartbeat()'), 'PC001', 'who learn of it');

SELECT * FROM finish();
