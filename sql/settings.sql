-- The settings, and what guards them.
LOAD 'pg_coord';
SELECT name, setting, unit, context, vartype, min_val, short_desc FROM pg_settings WHERE name LIKE 'pg_coord.%' ORDER BY name;
SHOW pg_coord.log_retention;
SHOW pg_coord.member_retention;
SET pg_coord.log_retention = '7 d';
SHOW pg_coord.log_retention;
\set VERBOSITY sqlstate
SET pg_coord.log_retention = 0;
SET pg_coord.member_retention = '-1 d';
\set VERBOSITY default
SET pg_coord.member_retention = 'for ever';
SET pg_coord.no_such_setting = 1;
SHOW pg_coord.log_retention;
RESET pg_coord.log_retention;
SHOW pg_coord.log_retention;
CREATE ROLE regress_coord_settings;
SET ROLE regress_coord_settings;
SET pg_coord.log_retention = '1 min';
\echo :SQLSTATE
SET pg_coord.member_retention = '1 min';
\echo :SQLSTATE
SHOW pg_coord.log_retention;
RESET ROLE;
DROP ROLE regress_coord_settings;
