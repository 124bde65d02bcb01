-- What somebody may plant who may create objects: everything of pg_catalog that has simple types, better fitting versions of
-- what has not, types and relations. Whatever is run counts by whose rights, in sequences, which no rollback sets back.
SET client_min_messages = warning;
CREATE ROLE pgtap_mallory;
CREATE SCHEMA evil AUTHORIZATION pgtap_mallory;
GRANT USAGE ON SCHEMA evil TO PUBLIC;
GRANT CREATE ON SCHEMA public TO pgtap_mallory;
CREATE FUNCTION sprung(whose text) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
  count bigint;
BEGIN
  EXECUTE format('SELECT last_value - 1 FROM evil.%I', whose) INTO count;
  RETURN count;
END
$$;
SET ROLE pgtap_mallory;
CREATE SEQUENCE evil.own MINVALUE 0;
CREATE SEQUENCE evil.others MINVALUE 0;
SELECT setval('evil.own', 1), setval('evil.others', 1);
GRANT ALL ON ALL SEQUENCES IN SCHEMA evil TO PUBLIC;
CREATE FUNCTION evil.sprung() RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_catalog.nextval(CASE WHEN current_user OPERATOR(pg_catalog.=) 'pgtap_mallory' THEN pg_catalog.regclassin('evil.own')
    ELSE pg_catalog.regclassin('evil.others') END);
  RETURN true;
END
$$;

-- Clones, in that schema and in public
DO $$
DECLARE
  simple constant oid[] := '{text,name,bigint,int,boolean,timestamptz,interval,float8,jsonb,oid,regclass,inet,uuid,text[],bytea}'::regtype[];
  place text;
  f record;
BEGIN
  FOREACH place IN ARRAY '{evil,public}'::text[] LOOP
    FOR f IN SELECT proname, array_to_string(proargtypes::regtype[], ', ') AS types, prorettype::regtype AS result,
        (SELECT string_agg('$' || n, ', ') FROM generate_series(1, pronargs) n) AS arguments
      FROM pg_proc WHERE pronamespace = 'pg_catalog'::regnamespace AND prokind = 'f' AND NOT proretset AND provariadic = 0
        AND proargtypes::oid[] <@ simple AND prorettype = ANY (simple) LOOP
      EXECUTE format('CREATE FUNCTION %I.%I(%s) RETURNS %s LANGUAGE plpgsql AS %L', place, f.proname, f.types, f.result,
        format('BEGIN PERFORM evil.sprung(); RETURN pg_catalog.%I(%s); END', f.proname, f.arguments));
    END LOOP;
    FOR f IN SELECT o.oprname, p.proname, NULLIF(oprleft, 0)::regtype AS a, oprright::regtype AS b
      FROM pg_operator o JOIN pg_proc p ON p.oid = o.oprcode JOIN pg_proc c ON c.proname = p.proname
        AND c.proargtypes::oid[] = p.proargtypes::oid[] AND c.pronamespace = place::regnamespace
      WHERE oprnamespace = 'pg_catalog'::regnamespace LOOP
      EXECUTE format('CREATE OPERATOR %I.%s (%srightarg = %s, function = %I.%I)', place, f.oprname,
        'leftarg = ' || f.a || ', ', f.b, place, f.proname);
    END LOOP;
  END LOOP;
END
$$;

-- Better fitting than the polymorphic ones; not in public, where this test itself would run into them
CREATE FUNCTION evil.differ(a text[], b text[]) RETURNS boolean LANGUAGE plpgsql AS
  'BEGIN PERFORM evil.sprung(); RETURN pg_catalog.array_ne(a, b); END';
CREATE OPERATOR evil.<> (leftarg = text[], rightarg = text[], function = evil.differ);
CREATE FUNCTION evil.unnest(a text[]) RETURNS SETOF text LANGUAGE plpgsql AS
  'BEGIN PERFORM evil.sprung(); RETURN QUERY SELECT pg_catalog.unnest(a); END';
CREATE FUNCTION evil.format(a text, b text) RETURNS text LANGUAGE plpgsql AS
  'BEGIN PERFORM evil.sprung(); RETURN pg_catalog.format(a, b); END';
CREATE FUNCTION evil.format(a text, b regclass, c text) RETURNS text LANGUAGE plpgsql AS
  'BEGIN PERFORM evil.sprung(); RETURN pg_catalog.format(a, b, c); END';
CREATE FUNCTION evil.next(a bigint, b bigint) RETURNS bigint LANGUAGE plpgsql AS
  'BEGIN PERFORM evil.sprung(); RETURN b; END';
CREATE FUNCTION evil.next(a bigint) RETURNS bigint LANGUAGE plpgsql AS 'BEGIN PERFORM evil.sprung(); RETURN 1; END';
CREATE AGGREGATE evil.max(bigint) (sfunc = evil.next, stype = bigint, initcond = '0');
CREATE AGGREGATE evil.count(*) (sfunc = evil.next, stype = bigint, initcond = '0');

-- Types, a cast, a table with everything that runs code
CREATE TYPE evil.sneaky AS ENUM ('x');
CREATE FUNCTION evil.revealed(a evil.sneaky) RETURNS text LANGUAGE plpgsql AS 'BEGIN PERFORM evil.sprung(); RETURN ''x''; END';
CREATE CAST (evil.sneaky AS text) WITH FUNCTION evil.revealed(evil.sneaky) AS IMPLICIT;
CREATE TABLE evil.mined (id int DEFAULT evil.sprung()::int CHECK (evil.sprung()));
CREATE FUNCTION evil.fire() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM evil.sprung(); RETURN NULL; END';
CREATE TRIGGER fire AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON evil.mined FOR EACH STATEMENT EXECUTE FUNCTION evil.fire();
ALTER TABLE evil.mined ENABLE ROW LEVEL SECURITY;
CREATE POLICY fire ON evil.mined USING (evil.sprung());
DO $$
DECLARE
  name text;
BEGIN
  FOREACH name IN ARRAY '{text,jsonb,timestamptz,regclass,oid,inet,int8}'::text[] LOOP
    EXECUTE format('CREATE DOMAIN evil.%I AS pg_catalog.%1$I CHECK (evil.sprung())', name);
  END LOOP;
END
$$;
RESET ROLE;

-- For a session: its temporary schema, and a search_path that leads into every trap.
CREATE FUNCTION lay_traps(session text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  name text;
BEGIN
  FOREACH name IN ARRAY '{pg_class,pg_proc,pg_namespace,pg_inherits,pg_locks,pg_database,pg_stat_activity,pg_roles}'::text[] LOOP
    PERFORM dblink_exec(session, format('CREATE TEMP VIEW %I AS SELECT * FROM pg_catalog.%1$I WHERE evil.sprung()', name));
  END LOOP;
  FOREACH name IN ARRAY '{_member,_beat,_election,_candidate,_change,_lock,_assignment,_epoch,peers,locks}'::text[] LOOP
    PERFORM dblink_exec(session, format('CREATE TEMP VIEW %I AS SELECT 1 AS election WHERE evil.sprung()', name));
  END LOOP;
  PERFORM dblink_exec(session, 'SET search_path = evil, public, pg_temp, pg_catalog');
END
$$;
RESET client_min_messages;
