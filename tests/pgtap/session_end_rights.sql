-- What runs at the end of a session runs with the owner's rights, and must run nothing of the member's.
SELECT plan(5);
\ir support/sessions.sql
CREATE ROLE pgtap_coord_mallory;
SELECT coord.grant_access('pgtap_coord_mallory', 'member');
CREATE SCHEMA mallory AUTHORIZATION pgtap_coord_mallory;
SELECT other.open('m');
SELECT dblink_exec('m', 'SET SESSION AUTHORIZATION pgtap_coord_mallory');
SELECT dblink_exec('m', $$
  CREATE TABLE mallory.sprung (role text);
  CREATE FUNCTION mallory.same(a bigint, b bigint) RETURNS boolean LANGUAGE plpgsql AS 'BEGIN
    INSERT INTO mallory.sprung VALUES (current_user);
    RETURN a OPERATOR(pg_catalog.=) b;
  END';
  CREATE FUNCTION mallory.same(a text, b text) RETURNS boolean LANGUAGE plpgsql AS 'BEGIN
    INSERT INTO mallory.sprung VALUES (current_user);
    RETURN a OPERATOR(pg_catalog.=) b;
  END';
  CREATE FUNCTION mallory.pg_notify(channel text, payload text) RETURNS void LANGUAGE plpgsql AS 'BEGIN
    INSERT INTO mallory.sprung VALUES (current_user);
  END';
  CREATE OPERATOR mallory.= (leftarg = bigint, rightarg = bigint, function = mallory.same);
  CREATE OPERATOR mallory.= (leftarg = text, rightarg = text, function = mallory.same)$$);
SELECT ok(other.join('m') > 0, 'a member with a search_path full of traps');
SELECT is(other.campaign('m', 'e'), 'm', 'leads');
SELECT dblink_exec('m', 'SET search_path = mallory, pg_catalog');
SELECT other.close('m');
SELECT ok(other.wait_for('(SELECT session_pid IS NULL FROM coord.peers)'), 'and ends');
SELECT is((SELECT string_agg(DISTINCT role, ' ') FROM mallory.sprung), NULL, 'no trap was sprung, by whatever role');

-- The same with DISCARD ALL.
SELECT other.open('m');
SELECT dblink_exec('m', 'SET SESSION AUTHORIZATION pgtap_coord_mallory');
SELECT other.join('m');
SELECT other.campaign('m', 'e');
TRUNCATE mallory.sprung;
SELECT dblink_exec('m', 'SET search_path = mallory, pg_catalog');
SELECT dblink_exec('m', 'DISCARD ALL');
SELECT is((SELECT string_agg(DISTINCT role, ' ') FROM mallory.sprung), NULL, 'nor by DISCARD ALL');

SELECT * FROM finish();
SELECT other.close('m');
DROP OWNED BY pgtap_coord_mallory CASCADE;
DROP ROLE pgtap_coord_mallory;
