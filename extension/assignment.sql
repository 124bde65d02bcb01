-- Work

CREATE FUNCTION coord.assign(
  target_instance_id text,
  subscriptions text[],
  election text,
  token bigint,
  priority int DEFAULT 0
) RETURNS bigint
LANGUAGE c VOLATILE PARALLEL UNSAFE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS 'MODULE_PATHNAME', 'coord_assign';
COMMENT ON FUNCTION coord.assign(text, text[], text, bigint, int) IS
  'the leader of an election tells a peer to take work: PC002 if the token is not in force, PC005 if another session leads';
REVOKE ALL ON FUNCTION coord.assign(text, text[], text, bigint, int) FROM PUBLIC;
