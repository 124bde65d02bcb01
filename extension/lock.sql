-- Locks: ordinary session advisory locks, on a number that other programs compute in the same way.

CREATE FUNCTION coord.lock_key(key text) RETURNS bigint
LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'coord_lock_key';
COMMENT ON FUNCTION coord.lock_key(text) IS
  'SHA-256 of the key in UTF-8: its first 8 bytes, big-endian, without the top bit';
REVOKE ALL ON FUNCTION coord.lock_key(text) FROM PUBLIC;

CREATE FUNCTION coord.migration_lock_key(tenant uuid, operation text DEFAULT 'migration') RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp
AS $$ SELECT operation || ':' || tenant::text $$;
COMMENT ON FUNCTION coord.migration_lock_key(uuid, text) IS 'the key under which programs lock a tenant: operation:uuid';
REVOKE ALL ON FUNCTION coord.migration_lock_key(uuid, text) FROM PUBLIC;

CREATE FUNCTION coord.try_lock(key text) RETURNS boolean
LANGUAGE c VOLATILE PARALLEL UNSAFE COST 1000 AS 'MODULE_PATHNAME', 'coord_try_lock';
COMMENT ON FUNCTION coord.try_lock(text) IS
  'one attempt: true if this session holds the lock afterwards; does not stack, outlives transactions';
REVOKE ALL ON FUNCTION coord.try_lock(text) FROM PUBLIC;

CREATE PROCEDURE coord.lock(key text, wait interval DEFAULT NULL)
LANGUAGE c AS 'MODULE_PATHNAME', 'coord_lock';
COMMENT ON PROCEDURE coord.lock(text, interval) IS
  'waits for the lock in the server''s queue, first come first served; 55P03 after wait, NULL: until cancelled';
REVOKE ALL ON PROCEDURE coord.lock(text, interval) FROM PUBLIC;

CREATE FUNCTION coord.unlock(key text) RETURNS boolean
LANGUAGE c VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'coord_unlock';
COMMENT ON FUNCTION coord.unlock(text) IS 'gives the lock back; false if this session did not hold it by these functions';
REVOKE ALL ON FUNCTION coord.unlock(text) FROM PUBLIC;

CREATE FUNCTION coord.unlock_all() RETURNS int
LANGUAGE c VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'coord_unlock_all';
COMMENT ON FUNCTION coord.unlock_all() IS 'gives back all that this session took by these functions; how many that was';
REVOKE ALL ON FUNCTION coord.unlock_all() FROM PUBLIC;

CREATE FUNCTION coord._name_lock(key text) RETURNS void
LANGUAGE c VOLATILE PARALLEL UNSAFE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS 'MODULE_PATHNAME', 'coord_name_lock';
COMMENT ON FUNCTION coord._name_lock(text) IS 'records the key behind its number, for coord.locks';
REVOKE ALL ON FUNCTION coord._name_lock(text) FROM PUBLIC;
