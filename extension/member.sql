-- Members

CREATE FUNCTION coord.join(
  instance_id text,
  member_group text DEFAULT 'default',
  subscriptions text[] DEFAULT '{}',
  metadata jsonb DEFAULT '{}',
  heartbeat_timeout interval DEFAULT '15 s'
) RETURNS bigint
LANGUAGE c VOLATILE PARALLEL UNSAFE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS 'MODULE_PATHNAME', 'coord_join';
COMMENT ON FUNCTION coord.join(text, text, text[], jsonb, interval) IS
  'binds this session as a member and returns its incarnation; PC003 if the name is in use';
REVOKE ALL ON FUNCTION coord.join(text, text, text[], jsonb, interval) FROM PUBLIC;

CREATE FUNCTION coord.heartbeat(
  subscriptions text[] DEFAULT NULL,
  in_flight_count int DEFAULT NULL,
  load_factor float8 DEFAULT NULL,
  publish boolean DEFAULT false
) RETURNS SETOF coord.leadership
LANGUAGE c VOLATILE PARALLEL UNSAFE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS 'MODULE_PATHNAME', 'coord_heartbeat';
COMMENT ON FUNCTION coord.heartbeat(text[], int, float8, boolean) IS
  'proves life and returns what this session leads now (PC001: not a member); tells the peers what changed, or if publish';
REVOKE ALL ON FUNCTION coord.heartbeat(text[], int, float8, boolean) FROM PUBLIC;

CREATE FUNCTION coord.leave() RETURNS boolean
LANGUAGE c VOLATILE PARALLEL UNSAFE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS 'MODULE_PATHNAME', 'coord_leave';
COMMENT ON FUNCTION coord.leave() IS
  'resigns everything and ends this session''s membership; false if it had none';
REVOKE ALL ON FUNCTION coord.leave() FROM PUBLIC;

CREATE FUNCTION coord.remove_member(instance_id text, member_group text DEFAULT 'default') RETURNS boolean
LANGUAGE c VOLATILE PARALLEL UNSAFE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS 'MODULE_PATHNAME', 'coord_remove_member';
COMMENT ON FUNCTION coord.remove_member(text, text) IS
  'forgets an instance that is gone or silent; false if there is none, PC003 if it is alive';
REVOKE ALL ON FUNCTION coord.remove_member(text, text) FROM PUBLIC;

CREATE FUNCTION coord._discard() RETURNS void
LANGUAGE c VOLATILE PARALLEL UNSAFE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS 'MODULE_PATHNAME', 'coord_discard';
COMMENT ON FUNCTION coord._discard() IS 'what DISCARD ALL does to a membership';
REVOKE ALL ON FUNCTION coord._discard() FROM PUBLIC;

CREATE FUNCTION coord.sweep() RETURNS interval
LANGUAGE c VOLATILE PARALLEL UNSAFE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS 'MODULE_PATHNAME', 'coord_sweep';
COMMENT ON FUNCTION coord.sweep() IS
  'replaces dead and silent leaders at once; returns how long until a leader could next be found silent';
REVOKE ALL ON FUNCTION coord.sweep() FROM PUBLIC;
