-- Names are data, never SQL text, identifiers or format strings.
CREATE TABLE regress_name (n int, name text);
INSERT INTO regress_name VALUES
  (1, 'x; DROP TABLE regress_name; --'), (2, $$x'); DROP TABLE coord._member; --$$), (3, '"quoted"'), (4, $$it's$$),
  (5, '$$'), (6, '$1'), (7, '%s %n %%'), (8, E'back\\slash \\'''), (9, U&'\+01F600 \00e9e\0301'), (10, ' blanks '),
  (11, 'a/b'), (12, 'NULL'), (13, '{a,b}'), (14, 'Case'), (15, 'case'), (16, ''''), (17, 'é'), (18, U&'e\0301');
SELECT coord.join($$it's "me" $$ || '%s; --', $$'); DROP TABLE regress_name; --$$, ARRAY(SELECT name FROM regress_name ORDER BY n),
  jsonb_build_object($$k'"$$, $$v'"\$$)) > 0 AS joined;

-- Each is an election of its own, found again under its name.
SELECT n, l.election = name AS same_name, l.leader, l.is_leader, l.term FROM regress_name, coord.campaign(name) l ORDER BY n;
SELECT n, l.leader IS NOT NULL AS led FROM regress_name, coord.leader(name) l WHERE l.election <> name ORDER BY n;
SELECT count(*) AS elections FROM coord.elections JOIN regress_name ON name = election;
SELECT count(*) AS led FROM coord.heartbeat();
SELECT count(*) AS fenced FROM (SELECT coord.fence(name, token) FROM regress_name, coord.leader(name)) f;
SELECT count(*) AS resigned FROM regress_name WHERE coord.resign(name);
SELECT count(*) AS logged FROM coord.leadership_log JOIN regress_name ON name = election WHERE cause = 'resigned';
SELECT instance_id, member_group, subscriptions = ARRAY(SELECT name FROM regress_name ORDER BY n) AS subscriptions, metadata
FROM coord.peers WHERE session_pid = pg_backend_pid();
SELECT coord.leave();

-- As instances and as groups.
SELECT n, coord.join(name, name) > 0 AS joined, coord.leave() AS left FROM regress_name ORDER BY n;

-- Under a search_path that lays traps.
SET client_min_messages = warning;
CREATE SCHEMA regress_trap;
CREATE FUNCTION regress_trap.sprung(a text, b text) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
  RAISE WARNING 'sprung as %', current_user;
  RETURN false;
END
$$;
CREATE OPERATOR regress_trap.= (leftarg = text, rightarg = text, function = regress_trap.sprung);
CREATE FUNCTION regress_trap.clock_timestamp() RETURNS timestamptz LANGUAGE plpgsql AS $$
BEGIN
  RAISE WARNING 'sprung as %', current_user;
  RETURN 'epoch';
END
$$;
CREATE TEMPORARY TABLE _election (election text, leader text);
CREATE TEMPORARY TABLE pg_class (oid oid);
CREATE TABLE regress_trap.guarded (id int);
SET search_path = regress_trap, pg_temp, pg_catalog;
SELECT coord.join('trap') > 0 AS joined;
SELECT leader, is_leader, token FROM coord.campaign('regress_trap') \gset
SELECT :'leader' AS leader, :'is_leader' AS is_leader;
SELECT leader, is_leader FROM coord.leader('regress_trap');
SELECT count(*) AS led FROM coord.heartbeat();
SELECT coord.fence('regress_trap', :token);
SELECT coord.guard_table('guarded', 'regress_trap');
SELECT coord.lock_key('k1');
SELECT coord.sweep() > '0' AS swept;
SELECT coord.depose('regress_trap');
SELECT coord.leave();
RESET search_path;
DROP TABLE _election, pg_temp.pg_class;
\set VERBOSITY terse
DROP SCHEMA regress_trap CASCADE;
DROP TABLE regress_name;
