-- Who may do what.
\set ECHO none
\getenv abs_srcdir PG_ABS_SRCDIR
\set sessions :abs_srcdir '/tests/pgtap/support/sessions.sql'
\i :sessions
\set ECHO all
SET client_min_messages = warning;
CREATE ROLE regress_coord_none;
CREATE ROLE regress_coord_observer;
CREATE ROLE regress_coord_member;
CREATE ROLE "regress coord ""admin""; DROP ROLE regress_coord_none";
CREATE ROLE regress_coord_rival;
SELECT coord.grant_access('regress_coord_observer', 'observer');
SELECT coord.grant_access('regress_coord_member', 'member');
SELECT coord.grant_access('"regress coord ""admin""; DROP ROLE regress_coord_none"', 'admin');
SELECT coord.grant_access('"regress coord ""admin""; DROP ROLE regress_coord_none"', 'admin');
SELECT coord.grant_access('regress_coord_rival', 'member');

-- Every function; nothing for PUBLIC.
SELECT p.oid::regprocedure AS function,
  has_function_privilege('regress_coord_none', p.oid, 'EXECUTE') AS none,
  has_function_privilege('regress_coord_observer', p.oid, 'EXECUTE') AS observer,
  has_function_privilege('regress_coord_member', p.oid, 'EXECUTE') AS member,
  has_function_privilege('regress coord "admin"; DROP ROLE regress_coord_none', p.oid, 'EXECUTE') AS admin
FROM pg_proc p WHERE pronamespace = 'coord'::regnamespace ORDER BY p.oid::regprocedure::text COLLATE "C";
SELECT count(*) AS for_public FROM pg_proc, aclexplode(COALESCE(proacl, acldefault('f', proowner))) a
WHERE pronamespace = 'coord'::regnamespace AND a.grantee = 0;
SELECT count(*) AS for_public FROM pg_class, aclexplode(COALESCE(relacl, acldefault('r', relowner))) a
WHERE relnamespace = 'coord'::regnamespace AND a.grantee = 0;
SELECT count(*) AS for_public FROM pg_namespace, aclexplode(COALESCE(nspacl, acldefault('n', nspowner))) a
WHERE nspname = 'coord' AND a.grantee = 0;

-- Every relation; nobody writes, nobody sees more than the views.
SELECT c.relname AS relation, r.rolname = 'regress_coord_none' AS for_none, count(*) AS roles,
  string_agg(DISTINCT p, ', ' ORDER BY p) AS privileges
FROM pg_class c, pg_roles r, unnest(ARRAY['SELECT', 'INSERT', 'UPDATE', 'DELETE', 'TRUNCATE', 'REFERENCES', 'TRIGGER']) p
WHERE c.relnamespace = 'coord'::regnamespace AND c.relkind IN ('r', 'v') AND r.rolname ~ '^regress.coord'
  AND has_table_privilege(r.oid, c.oid, p)
GROUP BY 1, 2 ORDER BY 1, 2;
SELECT r.rolname, has_schema_privilege(r.oid, 'coord', 'USAGE') AS may_use,
  has_schema_privilege(r.oid, 'coord', 'CREATE') AS may_create
FROM pg_roles r WHERE rolname ~ '^regress.coord'
ORDER BY rolname COLLATE "C";

CREATE TABLE regress_rights_call (position int, call text);
GRANT SELECT ON regress_rights_call TO PUBLIC;
INSERT INTO regress_rights_call SELECT row_number() OVER (), call FROM unnest(ARRAY[
  'coord.lock_key(''k1'')', 'coord.leader(''regress_rights'')', 'coord.join(''m'')', 'coord.heartbeat()',
  'coord.campaign(''regress_rights'')', 'coord.try_acquire(''regress_rights'')', 'coord.withdraw(''regress_rights'')',
  'coord.sweep()', 'coord.fence(''regress_rights'', 1)', 'coord.resign(''regress_rights'')', 'coord.leave()',
  'coord.guard_table(''regress_rights_call'', ''regress_rights'')', 'coord.unguard_table(''regress_rights_call'')',
  'coord.announce_shutdown(''graceful'')', 'coord.drain(''m'')', 'coord.remove_member(''m'')',
  'coord.assign(''m'', ''{s}'', ''regress_rights'', 1)', 'coord.heartbeat(publish => true)',
  'coord.migration_lock_key(gen_random_uuid())', 'coord.try_lock(''regress_rights'')',
  'coord.lock(''regress_rights'', ''0'')', 'coord.unlock(''regress_rights'')', 'coord.unlock_all()', 'coord._name_lock(''regress_rights'')',
  'coord.depose(''regress_rights'')', 'coord.grant_access(''regress_coord_none'', ''admin'')', 'coord._discard()']) call;
INSERT INTO regress_rights_call SELECT 100 + row_number() OVER (), format('(SELECT count(*) FROM coord.%I)', relname)
FROM (SELECT relname FROM pg_class WHERE relnamespace = 'coord'::regnamespace AND relkind IN ('r', 'v') ORDER BY relname) c;

-- Asked of the server itself: 42501 or not.
CREATE FUNCTION regress_rights_refused(role text, call text) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
  PERFORM set_config('role', role, true);
  EXECUTE CASE WHEN call LIKE 'coord.lock(%' THEN 'CALL ' ELSE 'SELECT ' END || call;
  RAISE EXCEPTION 'not kept' USING ERRCODE = 'P0100';
EXCEPTION WHEN insufficient_privilege THEN
  RETURN true;
WHEN OTHERS THEN
  RETURN false;
END
$$;
SELECT call, regress_rights_refused('regress_coord_none', call) AS none,
  regress_rights_refused('regress_coord_observer', call) AS observer,
  regress_rights_refused('regress_coord_member', call) AS member,
  regress_rights_refused('regress coord "admin"; DROP ROLE regress_coord_none', call) AS admin
FROM regress_rights_call ORDER BY position;

-- The words, and a whole life with the one grant that is documented.
SET ROLE regress_coord_none;
SELECT coord.join('m');
\echo :SQLSTATE
SELECT * FROM coord.peers;
\echo :SQLSTATE
SET ROLE regress_coord_observer;
SELECT coord.join('m');
\echo :SQLSTATE
SELECT coord.depose('regress_rights');
\echo :SQLSTATE
SELECT coord.try_lock('regress_rights');
\echo :SQLSTATE
CALL coord.lock('regress_rights');
\echo :SQLSTATE
SELECT key FROM coord.locks WHERE key = 'regress_rights';
SET ROLE regress_coord_member;
SELECT coord.join('m') > 0 AS joined;
SELECT leader, is_leader, token FROM coord.campaign('regress_rights') \gset
SELECT :'leader' AS leader, :'is_leader' AS is_leader;
SELECT count(*) AS led FROM coord.heartbeat();
SELECT coord.fence('regress_rights', :token);
SELECT leader FROM coord.elections WHERE election = 'regress_rights';
SELECT instance_id, status FROM coord.peers WHERE session_pid = pg_backend_pid();
SELECT leader, cause FROM coord.leadership_log WHERE election = 'regress_rights';
SELECT coord.depose('regress_rights');
\echo :SQLSTATE
SELECT coord.grant_access('regress_coord_member', 'admin');
\echo :SQLSTATE
UPDATE coord._election SET leader = 'me';
\echo :SQLSTATE
INSERT INTO coord._lock VALUES (coord.lock_key('regress_rights'), 'another', now());
\echo :SQLSTATE
SELECT coord.try_lock('regress_rights');
SELECT key, session_pid = pg_backend_pid() AS mine, waiters FROM coord.locks WHERE key = 'regress_rights';
SELECT coord.unlock('regress_rights');

-- Whoever wants to guard a table must own it.
SELECT coord.guard_table('regress_rights_call', 'regress_rights');
\echo :SQLSTATE
SELECT coord.unguard_table('regress_rights_call');
RESET ROLE;
CREATE TABLE regress_rights_own (id int);
ALTER TABLE regress_rights_own OWNER TO regress_coord_member;
GRANT INSERT ON regress_rights_own TO regress_coord_none;
SET ROLE regress_coord_member;
SELECT coord.guard_table('regress_rights_own', 'regress_rights');
SET ROLE regress_coord_none;
INSERT INTO regress_rights_own VALUES (1);
\echo :SQLSTATE
RESET ROLE;

-- A name belongs to the role that joined with it, while its session lives and after.
\set VERBOSITY terse
SELECT other.open('rival');
SELECT other.must('rival', 'SET ROLE regress_coord_rival');
SELECT other.must('rival', $$SELECT coord.join('m')$$);
\echo :SQLSTATE
SELECT other.must('rival', $$SELECT coord.join('r') > 0$$) AS joined;
SELECT other.campaign('rival', 'regress_rights');
SELECT other.must('rival', $$SELECT coord.resign('regress_rights')$$) AS resigned;
SELECT other.close('rival');
SELECT other.wait_for($$(SELECT session_pid IS NULL FROM coord.peers WHERE instance_id = 'r')$$) AS gone;
SET ROLE regress_coord_member;
SELECT coord.leave();
\set VERBOSITY default
SELECT coord.join('r');
\echo :SQLSTATE

-- So do its notice and its removal; an administrator may do both.
SELECT coord.drain('r');
\echo :SQLSTATE
SELECT coord.remove_member('r');
\echo :SQLSTATE
SELECT coord.remove_member('nobody');
SET ROLE "regress coord ""admin""; DROP ROLE regress_coord_none";
SELECT coord.remove_member('r');
SET ROLE regress_coord_member;
SELECT coord.join('m') > 0 AS joined;
SET ROLE regress_coord_rival;
SELECT coord.drain('m');
\echo :SQLSTATE
SELECT coord.remove_member('m');
\echo :SQLSTATE
SET ROLE "regress coord ""admin""; DROP ROLE regress_coord_none";
SELECT coord.drain('m') > now() AS drained;
SELECT status, shutdown_intent FROM coord.peers WHERE instance_id = 'm';
SET ROLE regress_coord_member;
SELECT coord.drain('m', intent => 'graceful') > now() AS its_own;
SELECT coord.join('m') > 0 AS joined;
SELECT coord.leave();

-- An administrator ends anybody's term.
SELECT coord.join('m') > 0 AS joined;
SELECT is_leader FROM coord.campaign('regress_rights');
SET ROLE "regress coord ""admin""; DROP ROLE regress_coord_none";
SELECT coord.depose('regress_rights');
RESET ROLE;
SELECT count(*) AS leaders FROM coord.leader('regress_rights');

-- What a lost right changes.
REVOKE EXECUTE ON FUNCTION coord.heartbeat(text[], int, float8, boolean) FROM regress_coord_member;
SET ROLE regress_coord_member;
SELECT coord.heartbeat();
\echo :SQLSTATE
SELECT coord.leave();
RESET ROLE;

DROP TABLE regress_rights_call, regress_rights_own;
DROP FUNCTION regress_rights_refused;
DROP OWNED BY regress_coord_none, regress_coord_observer, regress_coord_member, regress_coord_rival,
  "regress coord ""admin""; DROP ROLE regress_coord_none";
DROP ROLE regress_coord_none, regress_coord_observer, regress_coord_member, regress_coord_rival,
  "regress coord ""admin""; DROP ROLE regress_coord_none";
