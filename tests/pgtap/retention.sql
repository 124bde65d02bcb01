-- What is forgotten after its time, and what never.
SELECT plan(12);
\ir support/sessions.sql
\ir support/clean_up.sql
SELECT other.join('w', '1 day');
SELECT dblink_exec('w', 'SET pg_coord.log_retention = ''7 d''; SET pg_coord.member_retention = ''2 h''');
SELECT other.join(name) FROM unnest('{a,dead,lately}'::text[]) name;
SELECT other.join('silent', '1 s');
SELECT is(other.campaign('a', 'e') || other.must('a', $$SELECT coord.resign('e')$$) || other.campaign('dead', 'e'), 'atdead', 'three changes');
SELECT token FROM coord.leader('e') \gset
SELECT dblink_disconnect(name) FROM unnest('{dead,lately}'::text[]) name;
SELECT other.join(name), other.must(name, $$SELECT coord.announce_shutdown('graceful', '0')$$), other.must(name, 'SELECT coord.leave()')
FROM unnest('{left,left lately}'::text[]) name;
SELECT ok(other.wait_for('(SELECT count(*) = 3 FROM coord.peers WHERE session_pid IS NOT NULL)'), 'two sessions end');

-- As if it had been longer ago
UPDATE coord._change SET at = at - interval '7 days' WHERE event_id <= 2;
UPDATE coord._beat SET last_heartbeat_at = last_heartbeat_at - interval '2 hours 1 minute'
FROM coord._member m WHERE m.incarnation = _beat.incarnation AND m.instance_id IN ('dead', 'silent');
UPDATE coord._member SET joined_at = joined_at - interval '2 hours 1 minute',
  shutdown_initiated_at = shutdown_initiated_at - interval '2 hours 1 minute' WHERE instance_id IN ('dead', 'silent', 'left');
UPDATE coord._member SET joined_at = joined_at - interval '2 hours 1 minute' WHERE instance_id = 'left lately';
SELECT ok(sweep_until('NOT EXISTS (SELECT FROM coord.leadership_log WHERE at < clock_timestamp() - interval ''7 days'')'),
  'old changes are forgotten');
SELECT ok((SELECT count(*) FROM coord.leadership_log) >= 2, 'younger ones are not');
SELECT ok(sweep_until('NOT EXISTS (SELECT FROM coord.peers WHERE instance_id = ''dead'')'),
  'a member long dead is forgotten');
SELECT ok(sweep_until('NOT EXISTS (SELECT FROM coord.peers WHERE instance_id = ''left'')'),
  'so is one that left long ago, after a notice');
SELECT is((SELECT count(*) FROM coord._beat b LEFT JOIN coord._member m USING (incarnation) WHERE m.incarnation IS NULL), 0::bigint,
  'with all its rows');
SELECT is((SELECT string_agg(instance_id, ' ' ORDER BY instance_id) FROM coord.peers), 'a lately left lately silent w',
  'one dead or gone for less than that is not, nor one that is silent but has its session');

-- Elections and their terms, never.
SELECT is(leader || '', NULL, 'nobody leads') FROM coord.elections WHERE election = 'e';
SELECT is(other.campaign('a', 'e'), 'a', 'a leads again');
SELECT is(token, :token + 1, 'with the next token') FROM coord.leader('e');
SELECT is((SELECT max(event_id) FROM coord.leadership_log), 5::bigint, 'and the next event');

SELECT * FROM finish();
