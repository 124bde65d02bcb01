-- What the extension consists of, and what installing it does and refuses.
SELECT pg_describe_object(d.classid, d.objid, 0) COLLATE "C" AS object
FROM pg_depend d JOIN pg_extension e ON d.refclassid = 'pg_extension'::regclass AND d.refobjid = e.oid
LEFT JOIN pg_type t ON d.classid = 'pg_type'::regclass AND d.objid = t.oid
LEFT JOIN pg_class c ON t.typrelid = c.oid
WHERE e.extname = 'pg_coord' AND d.deptype = 'e' AND (t.oid IS NULL OR c.relkind = 'c')
ORDER BY 1;
SELECT p.oid::regprocedure AS function, pg_get_function_result(p.oid) AS returns
FROM pg_proc p WHERE pronamespace = 'coord'::regnamespace AND proname NOT LIKE '\_%' ORDER BY p.oid::regprocedure::text COLLATE "C";
\a
SELECT attrelid::regclass AS relation, string_agg(attname || ' ' || format_type(atttypid, atttypmod), ', ' ORDER BY attnum) AS columns
FROM pg_attribute WHERE attnum > 0 AND attrelid IN
  ('coord.leadership'::regclass, 'coord.peers'::regclass, 'coord.elections'::regclass, 'coord.candidates'::regclass,
   'coord.leadership_log'::regclass, 'coord.orphaned_subscriptions'::regclass, 'coord.assignments'::regclass, 'coord.locks'::regclass) GROUP BY attrelid ORDER BY attrelid::regclass::text COLLATE "C";
\a
SELECT count(*) AS without_comment FROM pg_proc
WHERE pronamespace = 'coord'::regnamespace AND obj_description(oid, 'pg_proc') IS NULL;

-- Not by psql.
SELECT CASE
  WHEN current_setting('extension_control_path', true) IS NOT NULL
    THEN replace(split_part(current_setting('extension_control_path'), ':', 1), '$system', setting)
  ELSE COALESCE(current_setting('extension_destdir', true), '') || setting
END || '/extension/pg_coord--' || extversion || '.sql' AS script
FROM pg_config, pg_extension WHERE name = 'SHAREDIR' AND extname = 'pg_coord' \gset
\i :script

-- In its own schema only.
\set base :DBNAME
CREATE DATABASE regress_coord_one;
CREATE DATABASE regress_coord_two;
\c regress_coord_one
CREATE EXTENSION pg_coord SCHEMA public;
CREATE EXTENSION pg_coord;
ALTER EXTENSION pg_coord SET SCHEMA public;

-- Each database has a registry of its own.
SELECT coord.join('a') > 0 AS joined;
SELECT leader, term FROM coord.campaign('e');
\c regress_coord_two
CREATE EXTENSION pg_coord;
SELECT coord.join('a') > 0 AS joined;
SELECT leader, term FROM coord.campaign('e');
SELECT leader FROM coord.resign('e') AS leader;
SELECT leader, term FROM coord.campaign('e');

-- Dropped under a session that uses it: ordinary errors; created again: a fresh registry.
PREPARE leader_of_e AS SELECT leader FROM coord.leader('e');
EXECUTE leader_of_e;
DROP EXTENSION pg_coord;
\set VERBOSITY terse
EXECUTE leader_of_e;
SELECT coord.heartbeat();
SELECT count(*) AS left_over FROM pg_class WHERE relnamespace = (SELECT oid FROM pg_namespace WHERE nspname = 'coord');
SELECT count(*) AS left_over FROM pg_proc WHERE pronamespace = (SELECT oid FROM pg_namespace WHERE nspname = 'coord');
CREATE EXTENSION pg_coord;
EXECUTE leader_of_e;
SELECT coord.heartbeat();
SELECT coord.join('b') > 0 AS joined;
SELECT leader, term FROM coord.campaign('e');
EXECUTE leader_of_e;
BEGIN;
DROP EXTENSION pg_coord;
EXECUTE leader_of_e;
ROLLBACK;
EXECUTE leader_of_e;
SELECT election, is_leader FROM coord.heartbeat();

-- A transaction that is fenced cannot take the fence away.
SELECT token FROM coord.leader('e') \gset
BEGIN;
SELECT coord.fence('e', :token);
DROP EXTENSION pg_coord;
COMMIT;
\echo :SQLSTATE
SELECT leader FROM coord.leader('e');

-- The other database's registry did not notice.
\c regress_coord_one
SELECT election, term FROM coord.elections;
DROP EXTENSION pg_coord;
DROP SCHEMA coord;

-- Objects that somebody planted are not adopted.
CREATE ROLE regress_coord_planter;
CREATE SCHEMA coord;
GRANT CREATE, USAGE ON SCHEMA coord TO regress_coord_planter;
SET ROLE regress_coord_planter;
CREATE FUNCTION coord.lock_key(key text) RETURNS bigint LANGUAGE sql AS 'SELECT 1::bigint';
RESET ROLE;
CREATE EXTENSION pg_coord;
DROP FUNCTION coord.lock_key;
SET ROLE regress_coord_planter;
CREATE TABLE coord._election (election text);
RESET ROLE;
CREATE EXTENSION pg_coord;
DROP TABLE coord._election;
SET ROLE regress_coord_planter;
CREATE TYPE coord.leadership AS (leader text);
RESET ROLE;
CREATE EXTENSION pg_coord;
DROP TYPE coord.leadership;
SET ROLE regress_coord_planter;
CREATE VIEW coord.peers AS SELECT 1;
RESET ROLE;
CREATE EXTENSION pg_coord;
DROP VIEW coord.peers;
SET ROLE regress_coord_planter;
CREATE SEQUENCE coord._incarnation;
RESET ROLE;
CREATE EXTENSION pg_coord;
DROP SCHEMA coord CASCADE;

DROP OWNED BY regress_coord_planter;
DROP ROLE regress_coord_planter;
CREATE EXTENSION pg_coord;

\c :base
DROP DATABASE regress_coord_one;
DROP DATABASE regress_coord_two;
