-- Every object of the extension, and what each level of access may do with it. Made from the catalogues: a new object is in
-- this list, or the test fails. Letters as in an aclitem: r SELECT, a INSERT, w UPDATE, d DELETE, D TRUNCATE, x REFERENCES,
-- t TRIGGER, X EXECUTE, U USAGE, C CREATE. `none` was granted nothing, `visitor` USAGE of the schema and nothing else.
SET client_min_messages = warning;
CREATE ROLE regress_matrix_owner;
CREATE ROLE regress_matrix_none IN ROLE regress_matrix_owner;
CREATE ROLE regress_matrix_visitor IN ROLE regress_matrix_owner;
CREATE ROLE regress_matrix_observer IN ROLE regress_matrix_owner;
CREATE ROLE regress_matrix_member IN ROLE regress_matrix_owner;
CREATE ROLE regress_matrix_admin IN ROLE regress_matrix_owner;
GRANT USAGE ON SCHEMA coord TO regress_matrix_visitor;
SELECT coord.grant_access('regress_matrix_observer', 'observer');
SELECT coord.grant_access('regress_matrix_member', 'member');
SELECT coord.grant_access('regress_matrix_admin', 'admin');

CREATE FUNCTION regress_matrix_letters(acl aclitem[], role text) RETURNS text LANGUAGE sql AS $$
  SELECT COALESCE(string_agg(DISTINCT CASE privilege_type WHEN 'SELECT' THEN 'r' WHEN 'INSERT' THEN 'a' WHEN 'UPDATE' THEN 'w'
    WHEN 'DELETE' THEN 'd' WHEN 'TRUNCATE' THEN 'D' WHEN 'REFERENCES' THEN 'x' WHEN 'TRIGGER' THEN 't' WHEN 'EXECUTE' THEN 'X'
    WHEN 'USAGE' THEN 'U' WHEN 'CREATE' THEN 'C' ELSE privilege_type END || CASE WHEN is_grantable THEN '*' ELSE '' END, ''), '')
  FROM aclexplode(acl) WHERE grantee IN (0, ('regress_matrix_' || role)::regrole)
$$;
-- Indexes, arrays and the row types of tables and views have no rights of their own.
CREATE VIEW regress_matrix_object AS
SELECT m.classid, m.objid, (pg_identify_object(m.classid, m.objid, 0)).type AS kind, n.nspname, c.relkind,
  COALESCE(p.oid::regprocedure::text, c.oid::regclass::text, t.oid::regtype::text, n.nspname, pg_describe_object(m.classid, m.objid, 0)) AS object,
  CASE WHEN p.prosecdef THEN 'owner' WHEN p.oid IS NOT NULL THEN 'caller' ELSE '' END AS runs_as,
  COALESCE(p.proacl, c.relacl, t.typacl, n.nspacl, acldefault(CASE WHEN p.oid IS NOT NULL THEN 'f' WHEN c.relkind = 'S' THEN 's'
    WHEN c.oid IS NOT NULL THEN 'r' WHEN t.oid IS NOT NULL THEN 'T' WHEN n.oid IS NOT NULL THEN 'n' END::"char",
    COALESCE(p.proowner, c.relowner, t.typowner, n.nspowner))) AS acl
FROM (
  SELECT d.classid, d.objid FROM pg_depend d JOIN pg_extension e ON d.refclassid = 'pg_extension'::regclass AND d.refobjid = e.oid
    WHERE e.extname = 'pg_coord' AND d.deptype = 'e'
  UNION SELECT 'pg_proc'::regclass, oid FROM pg_proc WHERE pronamespace = 'coord'::regnamespace
  UNION SELECT 'pg_class'::regclass, oid FROM pg_class WHERE relnamespace = 'coord'::regnamespace
  UNION SELECT 'pg_type'::regclass, oid FROM pg_type WHERE typnamespace = 'coord'::regnamespace
  UNION SELECT 'pg_namespace'::regclass, oid FROM pg_namespace WHERE nspname = 'coord'
) m
LEFT JOIN pg_proc p ON m.classid = 'pg_proc'::regclass AND p.oid = m.objid
LEFT JOIN pg_class c ON m.classid = 'pg_class'::regclass AND c.oid = m.objid
LEFT JOIN pg_type t ON m.classid = 'pg_type'::regclass AND t.oid = m.objid
LEFT JOIN pg_namespace n ON m.classid = 'pg_namespace'::regclass AND n.oid = m.objid
WHERE c.relkind IS DISTINCT FROM 'c' AND c.relkind IS DISTINCT FROM 'i' AND t.typcategory IS DISTINCT FROM 'A'
  AND NOT EXISTS (SELECT FROM pg_class r WHERE r.oid = t.typrelid AND r.relkind <> 'c');

SELECT kind, object, regress_matrix_letters(acl, 'none') AS none, regress_matrix_letters(acl, 'visitor') AS visitor,
  regress_matrix_letters(acl, 'observer') AS observer, regress_matrix_letters(acl, 'member') AS member,
  regress_matrix_letters(acl, 'admin') AS admin, runs_as
FROM regress_matrix_object ORDER BY kind COLLATE "C", object COLLATE "C";
SELECT attrelid::regclass, attname, attacl FROM pg_attribute JOIN pg_class c ON c.oid = attrelid
WHERE relnamespace = 'coord'::regnamespace AND attacl IS NOT NULL;
SELECT oid::regtype, typacl FROM pg_type WHERE typnamespace = 'coord'::regnamespace AND typacl IS NOT NULL;
SELECT p.oid::regprocedure AS under_the_caller_s_search_path FROM pg_proc p WHERE pronamespace = 'coord'::regnamespace
  AND (prosecdef OR prolang <> (SELECT oid FROM pg_language WHERE lanname = 'c'))
  AND NOT COALESCE(proconfig, '{}') @> ARRAY['search_path=pg_catalog, pg_temp'];

-- Asked of the server itself. A call with some value for every argument: 42501 for whom the list says so, and for nobody else.
-- An argument of a type that has no value here yet needs one.
CREATE TABLE regress_matrix_table (id int);
ALTER TABLE regress_matrix_table OWNER TO regress_matrix_owner;
CREATE TABLE regress_matrix_value (type regtype, value text);
INSERT INTO regress_matrix_value VALUES ('text', 'matrix'), ('text[]', '{s}'), ('jsonb', '{}'), ('interval', '1 s'), ('int', '1'),
  ('bigint', '1'), ('float8', '0.5'), ('boolean', 'false'), ('uuid', '00000000-0000-0000-0000-000000000000'),
  ('timestamptz', '2025-01-01'), ('regclass', 'regress_matrix_table'), ('regrole', 'regress_matrix_none');
CREATE FUNCTION regress_matrix_outcome(role text, statement text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
  PERFORM set_config('role', 'regress_matrix_' || role, true);
  EXECUTE statement;
  RAISE EXCEPTION 'not kept' USING ERRCODE = 'P0100';
EXCEPTION WHEN OTHERS THEN
  RETURN CASE SQLSTATE WHEN 'P0100' THEN 'done' ELSE SQLSTATE END;
END
$$;
CREATE VIEW regress_matrix_call AS
SELECT p.oid, format('%s coord.%I(%s)', CASE prokind WHEN 'p' THEN 'CALL' ELSE 'SELECT' END, proname,
  (SELECT string_agg(COALESCE(quote_literal(value), 'no value') || '::' || a.type, ', ' ORDER BY n)
   FROM unnest(proargtypes::regtype[]) WITH ORDINALITY a (type, n) LEFT JOIN regress_matrix_value v USING (type))) AS statement
FROM pg_proc p WHERE pronamespace = 'coord'::regnamespace;
SELECT statement AS has_no_value FROM regress_matrix_call WHERE statement LIKE '%no value%';
SELECT role, c.oid::regprocedure AS function, o.outcome
FROM regress_matrix_call c CROSS JOIN unnest('{none,visitor,observer,member,admin}'::text[]) role
CROSS JOIN LATERAL (SELECT regress_matrix_outcome(role, statement) OFFSET 0) AS o (outcome)
WHERE (outcome = '42501') = (has_function_privilege('regress_matrix_' || role, c.oid, 'EXECUTE')
  AND has_schema_privilege('regress_matrix_' || role, 'coord', 'USAGE'))
ORDER BY role, c.oid::regprocedure::text COLLATE "C";
SELECT pg_advisory_unlock_all();

-- The same with statements: reading is by the views only, writing by nobody. Refused for want of rights, or (42809, 42830,
-- 55000) for what not even the owner could do.
CREATE TABLE regress_matrix_attempt (n serial, kind text, statement text);
INSERT INTO regress_matrix_attempt (kind, statement)
SELECT kind, statement FROM unnest('{table,view}'::text[]) kind, unnest(ARRAY['SELECT * FROM %1$s', 'INSERT INTO %1$s DEFAULT VALUES',
  'UPDATE %1$s SET %2$I = %2$I', 'DELETE FROM %1$s', 'TRUNCATE %1$s', 'LOCK TABLE %1$s IN ACCESS EXCLUSIVE MODE',
  'DROP %3$s %1$s', 'ALTER TABLE %1$s RENAME TO planted', 'ALTER TABLE %1$s OWNER TO CURRENT_USER',
  'CREATE TRIGGER planted BEFORE INSERT ON %1$s FOR EACH STATEMENT EXECUTE FUNCTION suppress_redundant_updates_trigger()',
  'CREATE RULE planted AS ON INSERT TO %1$s DO NOTHING', 'CREATE POLICY planted ON %1$s',
  'CREATE TABLE regress_matrix.planted (c %4$s REFERENCES %1$s)']) statement
UNION ALL SELECT 'sequence', statement FROM unnest(ARRAY['SELECT last_value FROM %1$s', 'SELECT nextval(%1$L)', 'SELECT setval(%1$L, 1)',
  'ALTER SEQUENCE %1$s RESTART']) statement
UNION ALL SELECT 'function', statement FROM unnest(ARRAY['DROP FUNCTION %1$s', 'ALTER FUNCTION %1$s SET search_path = public',
  'ALTER FUNCTION %1$s RENAME TO planted', 'ALTER FUNCTION %1$s OWNER TO CURRENT_USER']) statement
UNION ALL SELECT 'schema', statement FROM unnest(ARRAY['CREATE TABLE coord.planted ()', 'CREATE FUNCTION coord.campaign(election text)
  RETURNS int LANGUAGE sql AS ''SELECT 1''', 'CREATE TYPE coord.planted AS ()', 'CREATE OPERATOR coord.= (leftarg = text, rightarg = text, function = texteq)',
  'DROP SCHEMA coord CASCADE', 'ALTER SCHEMA coord RENAME TO planted', 'DROP EXTENSION pg_coord CASCADE', 'ALTER EXTENSION pg_coord UPDATE',
  'CREATE EVENT TRIGGER planted ON ddl_command_end EXECUTE FUNCTION pg_catalog.now()',
  'SET pg_coord.log_retention = 1', 'SET session_replication_role = replica']) statement;
CREATE SCHEMA regress_matrix AUTHORIZATION regress_matrix_owner;
CREATE TABLE regress_matrix_seen AS
SELECT a.n, a.kind, split_part(a.statement, E'\n', 1) AS statement, role, regress_matrix_outcome(role, format(a.statement, object,
  (SELECT attname FROM pg_attribute WHERE attrelid = o.objid ORDER BY attnum DESC LIMIT 1), upper(a.kind),
  (SELECT atttypid::regtype FROM pg_attribute WHERE attrelid = o.objid AND attnum = 1))) AS outcome
FROM regress_matrix_attempt a JOIN regress_matrix_object o USING (kind) CROSS JOIN unnest('{none,visitor,observer,member,admin}'::text[]) role;
UPDATE regress_matrix_seen SET outcome = 'refused' WHERE outcome IN ('42501', '42809', '42830', '55000');
SELECT kind, statement, string_agg(DISTINCT outcome, ' ' ORDER BY outcome) FILTER (WHERE role = 'none') AS none,
  string_agg(DISTINCT outcome, ' ' ORDER BY outcome) FILTER (WHERE role = 'visitor') AS visitor,
  string_agg(DISTINCT outcome, ' ' ORDER BY outcome) FILTER (WHERE role = 'observer') AS observer,
  string_agg(DISTINCT outcome, ' ' ORDER BY outcome) FILTER (WHERE role = 'member') AS member,
  string_agg(DISTINCT outcome, ' ' ORDER BY outcome) FILTER (WHERE role = 'admin') AS admin
FROM regress_matrix_seen GROUP BY n, kind, statement ORDER BY n;

-- Taking access back, giving less, giving again.
CREATE FUNCTION regress_matrix_same(one text, other text) RETURNS boolean LANGUAGE sql AS $$
  SELECT bool_and(regress_matrix_letters(acl, one) = regress_matrix_letters(acl, other)) FROM regress_matrix_object
$$;
SELECT coord.grant_access('regress_matrix_member', 'observer');
SELECT regress_matrix_same('member', 'observer') AS less, regress_matrix_same('member', 'none') AS nothing;
REVOKE ALL ON ALL ROUTINES IN SCHEMA coord FROM regress_matrix_member, regress_matrix_admin;
REVOKE ALL ON ALL TABLES IN SCHEMA coord FROM regress_matrix_member, regress_matrix_admin;
REVOKE ALL ON SCHEMA coord FROM regress_matrix_member, regress_matrix_admin;
SELECT regress_matrix_same('member', 'none') AS member_has_nothing, regress_matrix_same('admin', 'none') AS admin_has_nothing;
SELECT coord.grant_access('regress_matrix_admin', 'observer');
SELECT regress_matrix_same('admin', 'observer') AS observes;

DROP VIEW regress_matrix_call, regress_matrix_object;
DROP TABLE regress_matrix_table, regress_matrix_value, regress_matrix_attempt, regress_matrix_seen;
DROP SCHEMA regress_matrix;
DROP FUNCTION regress_matrix_same, regress_matrix_outcome, regress_matrix_letters;

-- Default privileges of a database do not reach into the schema.
\set base :DBNAME
CREATE DATABASE regress_coord_matrix;
\c regress_coord_matrix
ALTER DEFAULT PRIVILEGES GRANT ALL ON TABLES TO PUBLIC;
ALTER DEFAULT PRIVILEGES GRANT ALL ON SEQUENCES TO regress_matrix_none;
ALTER DEFAULT PRIVILEGES GRANT ALL ON ROUTINES TO regress_matrix_none WITH GRANT OPTION;
ALTER DEFAULT PRIVILEGES GRANT ALL ON SCHEMAS TO regress_matrix_none;
CREATE EXTENSION pg_coord;
SELECT count(*) AS relations_for_others FROM pg_class, aclexplode(relacl) a WHERE relnamespace = 'coord'::regnamespace AND a.grantee <> relowner;
SELECT count(*) AS routines_for_others FROM pg_proc, aclexplode(proacl) a WHERE pronamespace = 'coord'::regnamespace AND a.grantee <> proowner;
SELECT count(*) AS schemas_for_others FROM pg_namespace, aclexplode(nspacl) a WHERE nspname = 'coord' AND a.grantee <> nspowner;
\c :base
DROP DATABASE regress_coord_matrix;
DROP OWNED BY regress_matrix_none, regress_matrix_visitor, regress_matrix_observer, regress_matrix_member, regress_matrix_admin;
DROP ROLE regress_matrix_none, regress_matrix_visitor, regress_matrix_observer, regress_matrix_member, regress_matrix_admin, regress_matrix_owner;
