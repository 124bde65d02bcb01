-- Fenced writes

CREATE FUNCTION coord.fence(election text, token bigint) RETURNS void
LANGUAGE c VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'coord_fence';
COMMENT ON FUNCTION coord.fence(text, bigint) IS
  'this transaction may commit only under that term: PC002 now, or at its COMMIT';
REVOKE ALL ON FUNCTION coord.fence(text, bigint) FROM PUBLIC;

CREATE FUNCTION coord._require_fence() RETURNS trigger
LANGUAGE c VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'coord_require_fence';
COMMENT ON FUNCTION coord._require_fence() IS 'trigger of guarded tables; its argument is the election';
REVOKE ALL ON FUNCTION coord._require_fence() FROM PUBLIC;
