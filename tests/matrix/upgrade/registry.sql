-- A registry, and tables that it guards.
CREATE EXTENSION pg_coord;
CREATE TABLE written (token bigint, note text);
CREATE TABLE parts (token bigint, day int) PARTITION BY RANGE (day);
CREATE TABLE parts_first PARTITION OF parts FOR VALUES FROM (0) TO (10);
SELECT coord.guard_table('written', 'x'), coord.guard_table('parts', 'x');
