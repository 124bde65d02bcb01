-- Guarded tables.
SET client_min_messages = warning;
SELECT coord.join('a') > 0 AS joined;
SELECT token FROM coord.campaign('regress_guard') \gset
SELECT token AS other_token FROM coord.campaign('regress_guard_other') \gset
CREATE TABLE regress_guard (id int PRIMARY KEY, note text);
INSERT INTO regress_guard VALUES (0, 'before');
SELECT coord.guard_table('regress_guard', 'regress_guard');

-- Every way to write.
INSERT INTO regress_guard VALUES (1, 'unfenced');
\echo :SQLSTATE
\set VERBOSITY terse
UPDATE regress_guard SET note = 'unfenced';
DELETE FROM regress_guard;
TRUNCATE regress_guard;
COPY regress_guard FROM stdin;
1	unfenced
\.
INSERT INTO regress_guard VALUES (0, 'unfenced') ON CONFLICT (id) DO UPDATE SET note = excluded.note;
MERGE INTO regress_guard USING (VALUES (1)) AS given (id) ON regress_guard.id = given.id
WHEN NOT MATCHED THEN INSERT VALUES (given.id, 'unfenced');
WITH gone AS (DELETE FROM regress_guard RETURNING id) SELECT count(*) FROM gone;
SET session_replication_role = replica;
INSERT INTO regress_guard VALUES (1, 'unfenced');
TRUNCATE regress_guard;
RESET session_replication_role;

-- Reading is free, and so is a write that meets no row.
SELECT * FROM regress_guard;
SELECT id FROM regress_guard FOR UPDATE;
UPDATE regress_guard SET note = 'nobody' WHERE id = 99;

-- Fenced on another election does not count; nor does a fence of the transaction before.
BEGIN;
SELECT coord.fence('regress_guard_other', :other_token);
INSERT INTO regress_guard VALUES (1, 'wrong fence');
ROLLBACK;
BEGIN;
SELECT coord.fence('regress_guard', :token);
INSERT INTO regress_guard VALUES (1, 'fenced');
COMMIT AND CHAIN;
INSERT INTO regress_guard VALUES (2, 'unfenced');
ROLLBACK;

-- Fenced: all of them.
BEGIN;
SELECT coord.fence('regress_guard', :token);
UPDATE regress_guard SET note = note || ', then fenced' WHERE id = 0;
COPY regress_guard FROM stdin;
2	copied
3	copied
\.
DELETE FROM regress_guard WHERE id = 3;
INSERT INTO regress_guard VALUES (2, 'fenced') ON CONFLICT (id) DO UPDATE SET note = excluded.note RETURNING *;
SAVEPOINT before;
TRUNCATE regress_guard;
ROLLBACK TO before;
COMMIT;
SELECT * FROM regress_guard ORDER BY id;

-- The term has ended.
SELECT coord.resign('regress_guard');
BEGIN;
SELECT coord.fence('regress_guard', :token);
INSERT INTO regress_guard VALUES (4, 'too late');
ROLLBACK;
SELECT token FROM coord.campaign('regress_guard') \gset

-- Guarded by another election from now on; then not at all.
SELECT coord.guard_table('regress_guard', 'regress_guard_other');
BEGIN;
SELECT coord.fence('regress_guard', :token);
INSERT INTO regress_guard VALUES (4, 'old guard');
ROLLBACK;
BEGIN;
SELECT coord.fence('regress_guard_other', :other_token);
INSERT INTO regress_guard VALUES (4, 'new guard');
COMMIT;
SELECT coord.unguard_table('regress_guard');
SELECT coord.unguard_table('regress_guard');
INSERT INTO regress_guard VALUES (5, 'no guard');
SELECT count(*) AS triggers FROM pg_trigger WHERE tgrelid = 'regress_guard'::regclass;

-- Rows that another table's foreign key changes.
CREATE TABLE regress_guard_parent (id int PRIMARY KEY);
CREATE TABLE regress_guard_child (id int REFERENCES regress_guard_parent ON DELETE CASCADE);
INSERT INTO regress_guard_parent VALUES (1);
INSERT INTO regress_guard_child VALUES (1);
SELECT coord.guard_table('regress_guard_child', 'regress_guard');
DELETE FROM regress_guard_parent;
TRUNCATE regress_guard_parent CASCADE;
SELECT count(*) FROM regress_guard_child;

-- Partitions of today, of tomorrow, and below them.
CREATE TABLE regress_guard_split (id int, note text) PARTITION BY RANGE (id);
CREATE TABLE regress_guard_split_1 PARTITION OF regress_guard_split FOR VALUES FROM (1) TO (10) PARTITION BY LIST (id);
CREATE TABLE regress_guard_split_1a PARTITION OF regress_guard_split_1 FOR VALUES IN (1, 2, 3);
SELECT coord.guard_table('regress_guard_split', 'regress_guard');
CREATE TABLE regress_guard_split_1b PARTITION OF regress_guard_split_1 FOR VALUES IN (4, 5, 6);
CREATE TABLE regress_guard_split_2 PARTITION OF regress_guard_split FOR VALUES FROM (10) TO (20);
CREATE TABLE regress_guard_split_3 (id int, note text);
ALTER TABLE regress_guard_split ATTACH PARTITION regress_guard_split_3 FOR VALUES FROM (20) TO (30);
INSERT INTO regress_guard_split VALUES (1);
INSERT INTO regress_guard_split VALUES (4);
INSERT INTO regress_guard_split VALUES (10);
INSERT INTO regress_guard_split VALUES (20);
INSERT INTO regress_guard_split_1a VALUES (1);
INSERT INTO regress_guard_split_1b VALUES (4);
INSERT INTO regress_guard_split_2 VALUES (10);
INSERT INTO regress_guard_split_3 VALUES (20);
TRUNCATE regress_guard_split;
TRUNCATE regress_guard_split_1;
TRUNCATE regress_guard_split_1a;
COPY regress_guard_split FROM stdin;
20	unfenced
\.
SET session_replication_role = replica;
INSERT INTO regress_guard_split VALUES (1);
INSERT INTO regress_guard_split_1a VALUES (1);
INSERT INTO regress_guard_split_1b VALUES (4);
INSERT INTO regress_guard_split_2 VALUES (10);
INSERT INTO regress_guard_split_3 VALUES (20);
TRUNCATE regress_guard_split_1a;
RESET session_replication_role;
BEGIN;
SELECT coord.fence('regress_guard', :token);
INSERT INTO regress_guard_split SELECT i, 'fenced' FROM unnest('{1,4,10,20}'::int[]) i;
UPDATE regress_guard_split SET id = 11 WHERE id = 1;
COMMIT;
UPDATE regress_guard_split SET id = 12 WHERE id = 4;
SELECT tableoid::regclass, id FROM regress_guard_split ORDER BY id;

-- TRUNCATE of a partition that came later: once the guard is put on again.
SELECT coord.guard_table('regress_guard_split', 'regress_guard');
TRUNCATE regress_guard_split_1b;
TRUNCATE regress_guard_split_2;
TRUNCATE regress_guard_split_3;
SELECT coord.unguard_table('regress_guard_split');
INSERT INTO regress_guard_split VALUES (2);
TRUNCATE regress_guard_split, regress_guard_split_1a;

-- Names that need quotes, in every place where they stand.
CREATE SCHEMA "regress ""guard""";
CREATE TABLE "regress ""guard"""."it's; DROP TABLE x" (id int);
SELECT coord.guard_table('"regress ""guard"""."it''s; DROP TABLE x"', E'it''s a "\\name" %s $$; --');
INSERT INTO "regress ""guard"""."it's; DROP TABLE x" VALUES (1);
SELECT token AS odd_token FROM coord.campaign(E'it''s a "\\name" %s $$; --') \gset
BEGIN;
SELECT coord.fence(E'it''s a "\\name" %s $$; --', :odd_token);
INSERT INTO "regress ""guard"""."it's; DROP TABLE x" VALUES (1);
COMMIT;
SELECT * FROM "regress ""guard"""."it's; DROP TABLE x";
SELECT coord.unguard_table('"regress ""guard"""."it''s; DROP TABLE x"');

-- What cannot be guarded.
\set VERBOSITY sqlstate
SELECT coord.guard_table('regress_guard_nowhere', 'regress_guard');
SELECT coord.guard_table('coord.peers', 'regress_guard');
SELECT coord.guard_table('pg_class', 'regress_guard');

-- The extension does not go from under a guard.
SELECT coord.guard_table('regress_guard', 'regress_guard');
\set VERBOSITY default
DROP EXTENSION pg_coord;
SELECT coord.leave();
DROP TABLE regress_guard, regress_guard_parent, regress_guard_child, regress_guard_split;
DROP SCHEMA "regress ""guard""" CASCADE;
