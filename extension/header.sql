\echo Use "CREATE EXTENSION pg_coord" to load this file. \quit

SET LOCAL search_path TO pg_catalog, pg_temp;

-- Whoever owns the schema could replace what is in it, and whoever may create something in it could add functions that fit
-- a call better than ours.
DO $$
BEGIN
  IF NOT EXISTS (
    SELECT FROM pg_namespace n JOIN pg_roles r ON r.oid = n.nspowner
    WHERE n.nspname = 'coord' AND (r.rolsuper OR r.rolname = current_user)
  ) THEN
    RAISE insufficient_privilege USING MESSAGE = 'schema "coord" belongs to somebody else',
      HINT = 'Drop the schema, or have a superuser own it.';
  END IF;
  IF EXISTS (SELECT FROM pg_depend d JOIN pg_namespace n ON n.oid = d.refobjid WHERE n.nspname = 'coord'
      AND d.refclassid = 'pg_namespace'::regclass AND d.deptype = 'n' AND d.classid <> 'pg_extension'::regclass) THEN
    RAISE object_not_in_prerequisite_state USING MESSAGE = 'schema "coord" is not empty',
      HINT = 'Drop what is in it, or move it into another schema.';
  END IF;
END
$$;
