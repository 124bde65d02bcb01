-- Shutdown notices

CREATE FUNCTION coord.announce_shutdown(
  intent text,
  drain_timeout interval DEFAULT '30 s',
  in_flight_count int DEFAULT 0,
  metadata jsonb DEFAULT '{}'
) RETURNS timestamptz
LANGUAGE c VOLATILE PARALLEL UNSAFE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS 'MODULE_PATHNAME', 'coord_announce_shutdown';
COMMENT ON FUNCTION coord.announce_shutdown(text, interval, int, jsonb) IS
  'tells the peers that this session''s member leaves, and returns the deadline after which it leads nothing; resigns nothing';
REVOKE ALL ON FUNCTION coord.announce_shutdown(text, interval, int, jsonb) FROM PUBLIC;

CREATE FUNCTION coord.drain(
  instance_id text,
  member_group text DEFAULT 'default',
  intent text DEFAULT 'maintenance',
  drain_timeout interval DEFAULT '30 s',
  metadata jsonb DEFAULT '{}'
) RETURNS timestamptz
LANGUAGE c VOLATILE PARALLEL UNSAFE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS 'MODULE_PATHNAME', 'coord_drain';
COMMENT ON FUNCTION coord.drain(text, text, text, interval, jsonb) IS
  'announces the shutdown of a member on its behalf; for its own role and for administrators';
REVOKE ALL ON FUNCTION coord.drain(text, text, text, interval, jsonb) FROM PUBLIC;
