-- A schema that somebody else made is not adopted: its owner could add functions to it later, or drop it.
\set base :DBNAME
CREATE DATABASE regress_coord_schema;
\c regress_coord_schema
CREATE ROLE regress_coord_planter;
CREATE SCHEMA coord AUTHORIZATION regress_coord_planter;
DO $$
BEGIN
  CREATE EXTENSION pg_coord;
EXCEPTION WHEN OTHERS THEN
  RAISE NOTICE 'refused';
END
$$;
SELECT count(*) AS installed FROM pg_extension WHERE extname = 'pg_coord';

-- One of one's own will do.
SET client_min_messages = warning;
DROP SCHEMA coord CASCADE;
CREATE SCHEMA coord;
CREATE EXTENSION pg_coord;
SELECT count(*) AS installed FROM pg_extension WHERE extname = 'pg_coord';

-- Not if there is something in it: it might fit a call better than what is to come. Nobody else keeps the right to add to it.
DROP EXTENSION pg_coord;
GRANT CREATE, USAGE ON SCHEMA coord TO regress_coord_planter;
SET ROLE regress_coord_planter;
CREATE FUNCTION coord.campaign(election text) RETURNS text LANGUAGE sql AS 'SELECT CAST(current_user AS text)';
RESET ROLE;
\set SHOW_CONTEXT never
CREATE EXTENSION pg_coord;
\echo :SQLSTATE
DROP FUNCTION coord.campaign;
CREATE EXTENSION pg_coord;
SELECT has_schema_privilege('regress_coord_planter', 'coord', 'CREATE') AS may_add, has_schema_privilege('regress_coord_planter', 'coord', 'USAGE') AS may_use;
DROP OWNED BY regress_coord_planter;
DROP ROLE regress_coord_planter;
\c :base
DROP DATABASE regress_coord_schema;
