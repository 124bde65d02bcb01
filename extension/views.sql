-- Views. Liveness is told by the primary only: on a standby nobody is known to lead, and every status is unknown.

CREATE VIEW coord.peers AS
SELECT m.member_group, m.instance_id, m.incarnation,
  CASE
    WHEN s.alive IS NULL OR b.incarnation IS NULL THEN 'unknown'
    WHEN NOT s.alive OR NOT coord._heard(b.last_heartbeat_at, b.heartbeat_timeout) THEN 'stale'
    ELSE 'healthy'
  END AS status,
  m.subscriptions, b.in_flight_count, b.load_factor, m.joined_at, b.last_heartbeat_at,
  b.heartbeat_timeout * interval '1 microsecond' AS heartbeat_timeout,
  CASE WHEN s.alive THEN m.session_pid END AS session_pid,
  m.client_addr, m.metadata
FROM coord._member m
LEFT JOIN coord._beat b USING (incarnation)
CROSS JOIN LATERAL (SELECT coord._session_alive(m.session_pid, m.session_start) OFFSET 0) AS s (alive);
COMMENT ON VIEW coord.peers IS 'members and how they are; session_pid is null when the session is gone';

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
    AND coord._heard(b.last_heartbeat_at, b.heartbeat_timeout) OFFSET 0
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

REVOKE ALL ON coord.peers, coord.elections, coord.candidates, coord.leadership_log FROM PUBLIC;
