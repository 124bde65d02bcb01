-- What members tried that did harm once.
\set VERBOSITY sqlstate
CREATE ROLE regress_hostile;
SELECT coord.grant_access('regress_hostile', 'member');
GRANT CREATE ON SCHEMA public TO regress_hostile;
SET ROLE regress_hostile;
-- The guard's trigger function without its argument
CREATE TABLE regress_hostile_table (i int);
CREATE TRIGGER planted BEFORE INSERT ON regress_hostile_table FOR EACH ROW EXECUTE FUNCTION coord._require_fence();
INSERT INTO regress_hostile_table VALUES (1);
SELECT coord._require_fence();
-- Intervals that wrap around
SELECT coord.join('hostile', heartbeat_timeout => make_interval(months => 1850367846, days => 27));
SELECT coord.join('hostile', heartbeat_timeout => make_interval(months => -1850367846, days => -27));
-- A join that is taken back leaves the former membership in force, and what it led can be resigned
SELECT coord.join('hostile') > 0 AS joined;
SELECT is_leader FROM coord.campaign('regress_hostile');
SELECT coord.leave(), coord.join('hostile'), 1 / (random() * 0)::int;
SELECT count(*) AS led FROM coord.heartbeat();
SELECT coord.leave();
SELECT count(*) AS led FROM coord.leader('regress_hostile');
-- A join that is taken back is none
SELECT coord.join('hostile'), 1 / (random() * 0)::int;
SELECT count(*) FROM coord.heartbeat();
-- Children of a guarded table
CREATE TABLE regress_hostile_parent (i int);
CREATE TABLE regress_hostile_child () INHERITS (regress_hostile_parent);
INSERT INTO regress_hostile_child VALUES (1);
SELECT coord.guard_table('regress_hostile_parent', 'regress_hostile');
UPDATE regress_hostile_parent SET i = 2;
DELETE FROM regress_hostile_parent;
INSERT INTO regress_hostile_child VALUES (2);
TRUNCATE regress_hostile_parent;
SELECT coord.unguard_table('regress_hostile_parent');
UPDATE regress_hostile_parent SET i = 2;
RESET ROLE;
DROP TABLE regress_hostile_table, regress_hostile_parent CASCADE;
DROP OWNED BY regress_hostile;
DROP ROLE regress_hostile;
