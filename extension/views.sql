-- Views. Liveness is told by the primary only: on a standby nobody is known to lead, and every status is unknown.

CREATE VIEW coord.peers AS
SELECT m.member_group, m.instance_id, m.incarnation,
  CASE
    WHEN m.shutdown_deadline <= n.now OR m.shutdown_intent IS NOT NULL AND NOT s.alive THEN 'terminated'
    WHEN m.shutdown_intent IS NOT NULL THEN 'draining'
    WHEN s.alive IS NULL OR b.incarnation IS NULL THEN 'unknown'
    WHEN NOT s.alive OR NOT coord._heard(b.last_heartbeat_at, b.heartbeat_timeout) THEN 'stale'
    ELSE 'healthy'
  END AS status,
  m.subscriptions, b.in_flight_count, b.load_factor, m.joined_at, b.last_heartbeat_at,
  b.heartbeat_timeout * interval '1 microsecond' AS heartbeat_timeout,
  CASE WHEN s.alive THEN m.session_pid END AS session_pid,
  m.client_addr, m.shutdown_intent, m.shutdown_initiated_at, m.shutdown_deadline,
  CASE WHEN m.shutdown_deadline IS NOT NULL THEN greatest(m.shutdown_deadline - n.now, interval '0') END
    AS time_remaining,
  m.metadata, m.shutdown_metadata,
  EXISTS (SELECT FROM coord._election e
    WHERE e.leader_incarnation = m.incarnation AND e.epoch = (SELECT coord._current_epoch())) AS leads
FROM coord._member m
LEFT JOIN coord._beat b USING (incarnation)
CROSS JOIN LATERAL (SELECT coord._session_alive(m.session_pid, m.session_start) OFFSET 0) AS s (alive)
CROSS JOIN LATERAL (SELECT clock_timestamp() OFFSET 0) AS n (now);
COMMENT ON VIEW coord.peers IS
  'members and how they are; session_pid is null when the session is gone, shutdown columns without a notice';

CREATE VIEW coord.orphaned_subscriptions AS
SELECT DISTINCT p.member_group, p.instance_id, o.subscription, p.status,
  CASE WHEN p.status = 'draining' THEN p.shutdown_deadline END AS available_at
FROM coord.peers p CROSS JOIN LATERAL unnest(p.subscriptions) AS o (subscription)
WHERE p.status IN ('draining', 'terminated', 'stale')
  AND NOT EXISTS (
    SELECT FROM coord.peers h CROSS JOIN LATERAL unnest(h.subscriptions) AS t (taken)
    WHERE h.status = 'healthy' AND h.member_group = p.member_group AND t.taken = o.subscription);
COMMENT ON VIEW coord.orphaned_subscriptions IS
  'what leaving, left and lost members ran and no healthy one of their group does; available_at: not before then';

CREATE VIEW coord.assignments AS
SELECT a.assignment_id, a.target_instance_id, a.source_instance_id, a.subscriptions, a.priority, a.election, a.token,
  a.assigned_at, a.member_group, a.target_incarnation
FROM coord._assignment a JOIN coord._member m ON m.incarnation = a.target_incarnation;
COMMENT ON VIEW coord.assignments IS
  'work handed to members that still are the same incarnation; the numbers of one target rise in commit order';

CREATE VIEW coord.elections AS
SELECT e.election,
  CASE WHEN l.leads THEN e.leader END AS leader,
  e.epoch, e.term, e.epoch::bigint << 40 | e.term AS token,
  CASE WHEN l.leads THEN e.elected_at END AS elected_at,
  CASE WHEN l.leads THEN e.leader_pid END AS leader_pid,
  (SELECT count(*)::int FROM coord._candidate c JOIN coord._member m USING (incarnation)
   WHERE c.election = e.election
     AND coord._session_alive(m.session_pid, m.session_start) IS NOT FALSE) AS candidates
FROM coord._election e
LEFT JOIN coord._beat b ON b.incarnation = e.leader_incarnation
CROSS JOIN LATERAL (
  SELECT e.epoch = coord._current_epoch() AND coord._session_alive(e.leader_pid, e.leader_start)
    AND coord._heard(b.last_heartbeat_at, b.heartbeat_timeout)
    AND COALESCE(b.shutdown_deadline > clock_timestamp(), true) OFFSET 0
) AS l (leads);
COMMENT ON VIEW coord.elections IS 'elections and who leads them; leader is null when nobody alive leads';

CREATE VIEW coord.candidates AS
SELECT c.election,
  row_number() OVER (PARTITION BY c.election ORDER BY c.priority DESC, c.queued_at, c.incarnation)::int AS position,
  m.instance_id, c.priority, c.queued_at, m.session_pid
FROM coord._candidate c JOIN coord._member m USING (incarnation)
WHERE coord._session_alive(m.session_pid, m.session_start) IS NOT FALSE;
COMMENT ON VIEW coord.candidates IS 'the queue of every election, first in position first';

CREATE VIEW coord.leadership_log AS
SELECT event_id, election, epoch, term, epoch::bigint << 40 | term AS token, previous, leader, cause, at
FROM coord._change;
COMMENT ON VIEW coord.leadership_log IS
  'one row per change of leadership, kept for pg_coord.log_retention; events of one election rise in order';

CREATE VIEW coord.locks AS
SELECT n.key, h.lock_id,
  (SELECT m.instance_id FROM coord._member m
   WHERE m.session_pid = h.pid AND coord._session_alive(m.session_pid, m.session_start)) AS instance_id,
  h.pid AS session_pid, a.application_name, a.client_addr, COALESCE(w.waiters, 0)::int AS waiters,
  clock_timestamp() - w.since AS longest_wait
FROM (
  SELECT l.classid::bigint << 32 | l.objid::bigint AS lock_id, l.pid, l.classid, l.objid
  FROM pg_locks l
  WHERE l.locktype = 'advisory' AND l.objsubid = 1 AND l.granted
    AND l.database = (SELECT d.oid FROM pg_database d WHERE d.datname = current_database())
) h
LEFT JOIN coord._lock n ON n.lock_id = h.lock_id
LEFT JOIN pg_stat_activity a ON a.pid = h.pid
LEFT JOIN LATERAL (
  SELECT count(*) AS waiters, min(q.waitstart) AS since FROM pg_locks q
  WHERE q.locktype = 'advisory' AND q.objsubid = 1 AND NOT q.granted
    AND q.classid = h.classid AND q.objid = h.objid
    AND q.database = (SELECT d.oid FROM pg_database d WHERE d.datname = current_database())
) w ON true;
COMMENT ON VIEW coord.locks IS
  'advisory locks of this database by their 64-bit number; key is null for one that nobody asked for by a key';

REVOKE ALL ON coord.locks, coord.peers, coord.orphaned_subscriptions, coord.assignments, coord.elections, coord.candidates,
  coord.leadership_log FROM PUBLIC;
