-- Lock keys. Part of the contract: other programs compute the same number (SHA-256, FIPS 180-4).

CREATE FUNCTION coord.lock_key(key text) RETURNS bigint
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
  SELECT ('x' || encode(substring(sha256(convert_to(key, 'UTF8')) FROM 1 FOR 8), 'hex'))::bit(64)::bigint
    & 9223372036854775807
$$;
COMMENT ON FUNCTION coord.lock_key(text) IS
  'SHA-256 of the key in UTF-8: its first 8 bytes, big-endian, without the top bit';
REVOKE ALL ON FUNCTION coord.lock_key(text) FROM PUBLIC;
