-- Nothing that was planted is run with anybody else's rights: by no call, no view, no end of a session, under whatever
-- search_path; planted after CREATE EXTENSION or before it.
SELECT plan(23);
\ir support/sessions.sql
\ir support/traps.sql
SELECT coord.grant_access('pgtap_mallory', 'member');

-- The traps work: the member springs them itself, and so does a careless function of the owner's.
CREATE FUNCTION careless(a text, b text) RETURNS boolean LANGUAGE plpgsql SECURITY DEFINER AS 'BEGIN RETURN a = b AND now() IS NOT NULL; END';
CREATE FUNCTION open_as(session text, role text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM other.open(session);
  PERFORM dblink_exec(session, format('SET SESSION AUTHORIZATION %I', role));
  PERFORM lay_traps(session);
END
$$;
SELECT open_as('m', 'pgtap_mallory');
SELECT other.must('m', 'SELECT count(*) FROM pg_locks WHERE ''a'' = ''b'' OR clock_timestamp() IS NOT NULL');
SELECT ok(sprung('own') > 2, 'traps are in the way');
SELECT is(sprung('others'), 0::bigint, 'of whoever runs into them');
SELECT other.must('m', 'SELECT public.careless(''a'', ''a'')');
SELECT ok(sprung('others') >= 2, 'and with the rights of a function that does not mind its search_path');
SELECT setval('evil.others', 1);
SELECT other.close('m');

-- Every routine with some argument, every view. The statements themselves name nothing that could be a trap.
CREATE FUNCTION everything() RETURNS SETOF text LANGUAGE sql AS $$
  SELECT format('%s coord.%I(%s)', CASE prokind WHEN 'p' THEN 'CALL' ELSE 'SELECT' END, proname, (SELECT string_agg(CASE a.type
    WHEN 'text[]'::regtype THEN '''{s}''' WHEN 'jsonb'::regtype THEN '''{}''' WHEN 'interval'::regtype THEN '''1 min'''
    WHEN 'text'::regtype THEN '''shadowed''' WHEN 'boolean'::regtype THEN '''true''' WHEN 'uuid'::regtype THEN quote_literal(gen_random_uuid())
    WHEN 'timestamptz'::regtype THEN '''2025-01-01''' WHEN 'regclass'::regtype THEN '''evil.mined'''
    WHEN 'regrole'::regtype THEN '''pgtap_mallory''' ELSE '''1''' END, ', ' ORDER BY n)
    FROM unnest(proargtypes::regtype[]) WITH ORDINALITY a (type, n)))
  FROM pg_proc WHERE pronamespace = 'coord'::regnamespace AND proname NOT IN ('grant_access', 'leave', '_discard')
  UNION ALL SELECT format('TABLE coord.%I', relname) FROM pg_class WHERE relnamespace = 'coord'::regnamespace AND relkind = 'v'
  ORDER BY 1  -- lock before unlock, or a lock is left to whoever comes next
$$;
CREATE FUNCTION run_everything(session text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  statement text;
  worked int := 0;
  strange text := '';
BEGIN
  FOR statement IN SELECT * FROM everything() LOOP
    BEGIN
      PERFORM dblink_exec(session, statement);
      worked := worked + 1;
    EXCEPTION WHEN prohibited_sql_statement_attempted THEN -- it has returned rows
      worked := worked + 1;
    WHEN OTHERS THEN
      IF SQLSTATE !~ '^(PC00[1-5]|22023|42501|42809|39P01|42710)$' THEN
        strange := strange || statement || ': ' || SQLSTATE || '; ';
      END IF;
    END;
  END LOOP;
  RETURN CASE WHEN worked > 15 THEN strange ELSE format('only %s of them worked; ', worked) || strange END;
END
$$;

-- A life: what it does, it does right.
CREATE FUNCTION life(session text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  statement text;
  answers text := '';
BEGIN
  FOREACH statement IN ARRAY ARRAY['SELECT coord.join(''%1$s'', subscriptions => ''{s}'') IS NOT NULL',
    'SELECT is_leader FROM coord.campaign(''e'')', 'SELECT coord.fence(''e'', token) FROM coord.leader(''e'')',
    'SELECT election FROM coord.heartbeat(''{t}'', 1, 0.5, true)', 'SELECT coord.assign(''%1$s'', ''{w}'', ''e'', token) IS NOT NULL FROM coord.leader(''e'')',
    'SELECT coord.try_lock(''k'')', 'SELECT coord.unlock(''k'')', 'SELECT coord.sweep() IS NOT NULL', 'SELECT coord.resign(''e'')',
    'SELECT coord.leave()'] LOOP
    answers := answers || COALESCE(other.run(session, format(statement, session)), 'nothing') || ' ';
  END LOOP;
  RETURN answers;
END
$$;
CREATE FUNCTION expected_life() RETURNS text LANGUAGE sql AS $$ SELECT 't t  e t t t t t t ' $$;
CREATE FUNCTION dies(session text) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
  PERFORM other.must(session, 'SELECT coord.leave()');
  PERFORM other.must(session, format('SELECT coord.join(%L) IS NOT NULL', session));
  PERFORM other.campaign(session, 'last');
  PERFORM other.campaign('heir', 'last');
  PERFORM other.close(session);
  RETURN other.wait_for('(SELECT leader = ''heir'' FROM coord.leader(''last''))');
END
$$;
SELECT other.join('heir');

SELECT open_as('m', 'pgtap_mallory');
SELECT is(life('m'), expected_life(), 'a member''s life');
SELECT is(run_everything('m'), '', 'all that it may call');
SELECT is(other.run('m', 'SELECT coord.lock_key(''x''::evil.sneaky) = coord.lock_key(''x'')'), 't', 'a type with a cast');
SELECT is(dblink_exec('m', 'DISCARD ALL'), 'DISCARD ALL', 'DISCARD ALL');
SELECT dblink_exec('m', 'SET SESSION AUTHORIZATION pgtap_mallory');
SELECT lay_traps('m');
SELECT ok(dies('m'), 'and death');
SELECT is(sprung('others'), 0::bigint, 'spring no trap with other rights');

-- The owner and every superuser, led into the traps
SELECT open_as('root', current_user);
SELECT other.must('heir', 'SELECT coord.resign(''last'')');
SELECT is(life('root'), expected_life(), 'the same by a superuser');
SELECT is(run_everything('root'), '', 'everything');
SELECT is(other.run('root', 'SELECT coord.grant_access(''pgtap_mallory'', ''admin'')'), '', 'grants');
SELECT is(other.run('root', 'SELECT coord.guard_table(''evil.mined'', ''e'')') || other.run('root', 'SELECT coord.unguard_table(''evil.mined'')'), '',
  'a guard on a table that is full of them');
SELECT ok(dies('root'), 'its end');
SELECT is(sprung('others'), 0::bigint, 'no trap is sprung');

-- Planted before: CREATE EXTENSION under that search_path
SELECT other.close('heir');
SELECT open_as('root', current_user);
SELECT dblink_exec('root', 'DROP EXTENSION pg_coord');
SELECT is(dblink_exec('root', 'CREATE EXTENSION pg_coord'), 'CREATE EXTENSION', 'created among them');
SELECT is_empty($$SELECT pg_describe_object(classid, objid, 0), pg_describe_object(refclassid, refobjid, 0) FROM pg_depend d
  WHERE pg_describe_object(classid, objid, 0) LIKE '%coord.%' AND (refclassid, refobjid) IN (
    SELECT 'pg_proc'::regclass::oid, oid FROM pg_proc WHERE pronamespace IN ('evil'::regnamespace, 'public'::regnamespace)
    UNION SELECT 'pg_operator'::regclass::oid, oid FROM pg_operator WHERE oprnamespace IN ('evil'::regnamespace, 'public'::regnamespace)
    UNION SELECT 'pg_type'::regclass::oid, oid FROM pg_type WHERE typnamespace IN ('evil'::regnamespace, 'public'::regnamespace)
    UNION SELECT 'pg_class'::regclass::oid, oid FROM pg_class WHERE relnamespace IN ('evil'::regnamespace, 'public'::regnamespace))$$,
  'and nothing of it refers to any of them');
SELECT coord.grant_access('pgtap_mallory', 'member');
SELECT other.join('heir');
SELECT open_as('m', 'pgtap_mallory');
SELECT is(life('m'), expected_life(), 'a member''s life there');
SELECT is(run_everything('m') || run_everything('root'), '', 'everything, by both');
SELECT ok(dies('m'), 'death');
SELECT is(sprung('others'), 0::bigint, 'spring no trap');

-- What a superuser's maintenance runs of a member's, it runs with the member's rights, and the registry says no.
CREATE ROLE pgtap_rival;
SELECT coord.grant_access('pgtap_rival', 'member');
SELECT open_as('r', 'pgtap_rival');
SELECT other.must('r', 'SELECT coord.join(''rival'') IS NOT NULL');
SELECT open_as('m', 'pgtap_mallory');
SELECT dblink_exec('m', $$
  SET search_path = pg_catalog;
  CREATE TABLE evil.outcome (what text, state text);
  CREATE FUNCTION evil.attempt(i int) RETURNS int LANGUAGE plpgsql AS 'DECLARE call text; BEGIN
    FOREACH call IN ARRAY ''{coord.drain(''''rival''''),coord.remove_member(''''left''''),coord.join(''''usurper'''')}''::text[] LOOP
      BEGIN
        EXECUTE ''SELECT '' || call;
        INSERT INTO evil.outcome VALUES (call, ''done'');
      EXCEPTION WHEN OTHERS THEN
        INSERT INTO evil.outcome VALUES (call, SQLSTATE);
      END;
    END LOOP;
    RETURN i;
  END';
  CREATE FUNCTION evil.index(i int) RETURNS int LANGUAGE plpgsql IMMUTABLE AS 'BEGIN RETURN evil.attempt(i); END';
  CREATE TABLE evil.bait (i int)$$);
SELECT dblink_exec('m', 'CREATE INDEX ON evil.bait (evil.index(i))');
SELECT dblink_exec('m', 'INSERT INTO evil.bait SELECT 1');
SELECT dblink_exec('m', 'TRUNCATE evil.outcome');
SELECT dblink_exec('root', statement) FROM unnest('{ANALYZE evil.bait,REINDEX TABLE evil.bait,CLUSTER evil.bait USING bait_index_idx}'::text[]) statement;
SELECT is((SELECT string_agg(DISTINCT what || ' ' || state, ', ') FROM evil.outcome),
  'coord.drain(''rival'') 42501, coord.join(''usurper'') 42501, coord.remove_member(''left'') 42501', 'no index expression draws on the rights of who analyses');
SELECT is((SELECT status FROM coord.peers WHERE instance_id = 'rival'), 'healthy', 'the rival notices nothing');

SELECT * FROM finish();
SELECT other.close(session) FROM unnest(dblink_get_connections()) session;
SELECT other.wait_for('NOT EXISTS (SELECT FROM pg_stat_activity WHERE usename LIKE ''pgtap_%'')');
DROP OWNED BY pgtap_mallory, pgtap_rival CASCADE;
DROP ROLE pgtap_mallory, pgtap_rival;
