\echo Use "CREATE EXTENSION pg_coord" to load this file. \quit

SET LOCAL search_path TO pg_catalog, pg_temp;

-- Whoever owns the schema could replace what is in it.
DO $$
BEGIN
  IF NOT EXISTS (
    SELECT FROM pg_namespace n JOIN pg_roles r ON r.oid = n.nspowner
    WHERE n.nspname = 'coord' AND (r.rolsuper OR r.rolname = current_user)
  ) THEN
    RAISE insufficient_privilege USING MESSAGE = 'schema "coord" belongs to somebody else',
      HINT = 'Drop the schema, or have a superuser own it.';
  END IF;
END
$$;
