CREATE EXTENSION pg_coord;
CREATE TABLE bench_row (id int PRIMARY KEY, n bigint NOT NULL) WITH (fillfactor = 10);
INSERT INTO bench_row SELECT id, 0 FROM generate_series(0, 63) id;
