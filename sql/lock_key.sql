-- The number of a name, as other programs compute it. V19, "a" NUL "b", cannot be written as text in SQL.
CREATE TABLE regress_vector (v int, key text, lock_id bigint, classid bigint, objid bigint);
INSERT INTO regress_vector VALUES
  (1, '', 7183457195969485844, 1672528962, 2566659092),
  (2, 'a', 5374906597990186442, 1251442962, 3390815690),
  (3, 'k1', 7690443832738788232, 1790570987, 2407347080),
  (4, 'migration:tenant-abc', 2549018982395383070, 593489730, 1533512990),
  (5, 'cutover:tenant-123', 7696161359070260854, 1791902202, 3849875062),
  (6, 'migration:00000000-0000-0000-0000-000000000000', 4826041402961503139, 1123650326, 651764643),
  (7, 'cutover:00000000-0000-0000-0000-000000000000', 1326370806243621539, 308819768, 2325314211),
  (8, 'migration:550e8400-e29b-41d4-a716-446655440000', 7508373195906285641, 1748179363, 4279173193),
  (10, 'cutover:550E8400-E29B-41D4-A716-446655440000', 6370104028789832666, 1483155421, 709721050),
  (11, 'cutover:ffffffff-ffff-ffff-ffff-ffffffffffff', 6335426401114264033, 1475081406, 3406565857),
  (12, 'dual-write:550e8400-e29b-41d4-a716-446655440000', 8244772734875098025, 1919635742, 2752404393),
  (13, ' cutover:550e8400-e29b-41d4-a716-446655440000', 440180501199123569, 102487509, 1795617905),
  (14, E'cutover:550e8400-e29b-41d4-a716-446655440000\n', 2305499089512427064, 536790836, 4099927608),
  (15, U&'migration:tenant-\00e9\00e0\00fc', 2347861682513055554, 546654146, 3220246338),
  (17, U&'\9501:\79df\6237-\4e00', 3944293590761612269, 918352415, 2133992429),
  (21, 'lock:' || repeat('a', 1000), 84773542585690681, 19737878, 2083252793),
  (26, 'leader:orders-subscription', 6653766975499297841, 1549200847, 2698798129),
  (28, 'test:lock:1', 7969057621508907331, 1855440815, 1420321091),
  (29, 'test:exclusion:1', 354666856228965264, 82577312, 1797376912);
SELECT v, coord.lock_key(key), coord.lock_key(key) = lock_id AS lock_id, coord.lock_key(key) >> 32 = classid AS classid,
  coord.lock_key(key) & 4294967295 = objid AS objid
FROM regress_vector ORDER BY v;

-- The server's own advisory lock on that number is the same lock.
SELECT pg_advisory_lock(coord.lock_key('k1'));
SELECT l.classid, l.objid, l.objsubid, mode FROM pg_locks l JOIN regress_vector v ON v.v = 3
WHERE locktype = 'advisory' AND pid = pg_backend_pid() AND l.classid::bigint = v.classid AND l.objid::bigint = v.objid;
SELECT pg_advisory_unlock(coord.lock_key('k1'));

-- Whatever the session believes about bytes and letters.
SET search_path = '';
SET bytea_output = 'escape';
DO $$ BEGIN IF current_setting('server_version_num')::int < 190000 THEN SET standard_conforming_strings = off; END IF; END $$;
SELECT coord.lock_key('k1');
RESET ALL;

-- As an operator would compute it; the bits of keys that a program makes of a tenant.
SELECT bool_and(coord.lock_key(key) =
  ('x' || encode(substring(sha256(convert_to(key, 'UTF8')) FROM 1 FOR 8), 'hex'))::bit(64)::bigint & 9223372036854775807) AS same
FROM regress_vector;
SELECT v, coord.lock_key(coord.migration_lock_key(split_part(key, ':', 2)::uuid, split_part(key, ':', 1))) = lock_id AS same
FROM regress_vector WHERE v IN (6, 7, 8, 10, 11, 12) ORDER BY v;
SELECT coord.lock_key(coord.migration_lock_key('550E8400-E29B-41D4-A716-446655440000')) = lock_id AS same FROM regress_vector WHERE v = 8;
SELECT coord.lock_key(coord.migration_lock_key('00000000-0000-0000-0000-000000000000', operation => '')) = coord.lock_key(':00000000-0000-0000-0000-000000000000') AS empty;
SELECT key FROM regress_vector WHERE coord.lock_key(key) NOT BETWEEN 0 AND 9223372036854775807;

-- Sessions remember some numbers. Asked again among many others, keys of every length have the same.
SELECT count(*) AS asked, bool_and(coord.lock_key(key) = lock_id AND coord.lock_key(key) = lock_id) AS same
FROM (SELECT key, ('x' || encode(substring(sha256(convert_to(key, 'UTF8')) FROM 1 FOR 8), 'hex'))::bit(64)::bigint & 9223372036854775807 AS lock_id
  FROM (SELECT repeat('k', n % 70) || n % 500 AS key FROM generate_series(1, 2000) n) made OFFSET 0) keys;

-- A function of the key alone: it may be part of an index, and of a generated column.
CREATE TABLE regress_indexed (key text, lock_id bigint GENERATED ALWAYS AS (coord.lock_key(key)) STORED);
CREATE INDEX ON regress_indexed (coord.lock_key(key));
INSERT INTO regress_indexed SELECT key FROM regress_vector;
SELECT count(*) AS same FROM regress_indexed JOIN regress_vector USING (key, lock_id);
DROP TABLE regress_indexed;

-- In a database of another encoding: still the bytes of the key in UTF-8. Where the server does not know what the bytes
-- mean, they must be UTF-8.
\set base :DBNAME
CREATE DATABASE regress_coord_latin1 ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0;
CREATE DATABASE regress_coord_ascii ENCODING 'SQL_ASCII' LOCALE 'C' TEMPLATE template0;
\c regress_coord_latin1
CREATE EXTENSION pg_coord;
SET client_encoding = 'UTF8';
SELECT octet_length(U&'migration:tenant-\00e9\00e0\00fc') AS bytes, coord.lock_key(U&'migration:tenant-\00e9\00e0\00fc') AS v15;
SELECT coord.try_lock(U&'migration:tenant-\00e9\00e0\00fc');
SELECT key = U&'migration:tenant-\00e9\00e0\00fc' AS key, lock_id AS v15 FROM coord.locks;
\c regress_coord_ascii
CREATE EXTENSION pg_coord;
SELECT coord.lock_key(E'migration:tenant-\303\251\303\240\303\274') AS v15;
SELECT coord.lock_key(E'tenant-\351');
\echo :SQLSTATE
SELECT coord.try_lock(E'tenant-\351');
\echo :SQLSTATE
SELECT count(*) AS locks FROM coord.locks;
\c :base
DROP DATABASE regress_coord_latin1;
DROP DATABASE regress_coord_ascii;
DROP TABLE regress_vector;
