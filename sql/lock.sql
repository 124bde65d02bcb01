-- Named locks: the words, and what is refused.
\set ECHO none
\getenv abs_srcdir PG_ABS_SRCDIR
\set sessions :abs_srcdir '/tests/pgtap/support/sessions.sql'
\i :sessions
\set ECHO all
\set SHOW_CONTEXT always
SELECT coord.try_lock('regress_lock');
SELECT coord.try_lock('regress_lock') AS again;
CALL coord.lock('regress_lock');
CALL coord.lock(key => 'regress_lock', wait => '0');
SELECT coord.unlock('regress_lock');
SELECT coord.unlock('regress_lock') AS again;
SELECT coord.unlock_all();

-- Arguments
SELECT coord.try_lock(NULL);
\echo :SQLSTATE
CALL coord.lock(NULL);
\echo :SQLSTATE
CALL coord.lock(NULL, '-1 s');
\echo :SQLSTATE
SELECT coord.unlock(NULL);
\echo :SQLSTATE
SELECT coord.lock_key(NULL) IS NULL AS lock_key, coord.migration_lock_key(NULL) IS NULL AS migration_lock_key;
CALL coord.lock('regress_lock', '-1 us');
\echo :SQLSTATE
CALL coord.lock('regress_lock', '1 day 1 us');
\echo :SQLSTATE
CALL coord.lock('regress_lock', '1 mon -30 days -1 s');
\echo :SQLSTATE
CALL coord.lock('regress_lock', '1000000000 years');
\echo :SQLSTATE
CALL coord.lock('regress_lock', 'soon');
\echo :SQLSTATE
SELECT count(*) AS taken_by_refused_calls FROM coord.locks WHERE key = 'regress_lock';
CALL coord.lock('regress_lock', '1 day');
CALL coord.lock('regress_lock', '-1 s');
\echo :SQLSTATE
SELECT coord.unlock('regress_lock');

-- Another session's
SELECT other.open('b');
SELECT other.must('b', $$SELECT coord.try_lock('regress_lock')$$);
SELECT coord.try_lock('regress_lock');
CALL coord.lock('regress_lock', '0');
\echo :SQLSTATE
\set SHOW_CONTEXT never
CALL coord.lock('regress_lock', '1 us');
\echo :SQLSTATE
SET lock_timeout = '1 ms';
CALL coord.lock('regress_lock');
\echo :SQLSTATE
CALL coord.lock('regress_lock', '1 day');
\echo :SQLSTATE
RESET lock_timeout;
SET statement_timeout = '500 ms';
CALL coord.lock('regress_lock');
\echo :SQLSTATE
RESET statement_timeout;
\set SHOW_CONTEXT always
SELECT coord.unlock('regress_lock');
SELECT other.must('b', $$SELECT coord.unlock('regress_lock')$$);

-- Two keys with one number: neither is locked under the other's name. Nobody can make that happen but by a write.
SELECT coord.try_lock('regress_one'), coord.try_lock('regress_two');
SELECT coord.unlock_all();
UPDATE coord._lock SET key = 'regress_other' WHERE key = 'regress_one';
SELECT other.run('b', $$SELECT coord.try_lock('regress_one')$$);
\c
SELECT coord.try_lock('regress_one');
\echo :SQLSTATE
CALL coord.lock('regress_one');
\echo :SQLSTATE
BEGIN;
CALL coord.lock('regress_one');
\echo :SQLSTATE
ROLLBACK;
SET default_transaction_read_only = on;
SELECT coord.try_lock('regress_one');
\echo :SQLSTATE
RESET default_transaction_read_only;
SELECT coord.try_lock('regress_two') AS nobody_else;
SELECT key FROM coord.locks WHERE session_pid = pg_backend_pid();
UPDATE coord._lock SET key = 'regress_one' WHERE key = 'regress_other';
SELECT coord.try_lock('regress_one');
SELECT coord.unlock_all();

-- Odd keys. A newline or a space makes another one, like a letter's case.
CREATE VIEW regress_odd AS SELECT * FROM (VALUES (1, ''), (2, 'lock:' || repeat('a', 1000)), (3, E'cut\nover'), (4, 'cut over'),
  (5, 'Cut over'), (6, ' cut over'), (7, U&'\9501:\79df\6237-\4e00'), (8, U&'migration:tenant-\00e9'), (9, U&'migration:tenant-e\0301'),
  (10, 'a''b";--'), (11, '%s%n')) odd (n, key);
SELECT n, coord.try_lock(key) AS locked FROM regress_odd ORDER BY n;
SELECT n, octet_length(l.key) AS bytes FROM coord.locks l FULL JOIN regress_odd o ON o.key = l.key COLLATE "C"
WHERE session_pid = pg_backend_pid() ORDER BY n;
SELECT other.open('b');
SELECT n, other.run('b', format('SELECT coord.try_lock(%L)', key)) AS locked FROM regress_odd ORDER BY n;
SELECT bool_and(other.run('b', format('CALL coord.lock(%L, ''0'')', key)) = '55P03') AS held FROM regress_odd;
SELECT coord.unlock_all();
CALL coord.lock(repeat(U&'\9501', 100000));
SELECT octet_length(key) AS bytes FROM coord.locks WHERE session_pid = pg_backend_pid();
SELECT coord.unlock(repeat(U&'\9501', 100000));
SELECT coord.migration_lock_key('550E8400-E29B-41D4-A716-446655440000'), coord.migration_lock_key('{550e8400e29b41d4a716446655440000}', 'cutover');

-- In a read-only transaction, of every kind. A name that nobody recorded before is not recorded there.
BEGIN READ ONLY;
SELECT coord.try_lock('regress_lock');
CALL coord.lock('regress_read_only');
COMMIT;
SELECT key FROM coord.locks WHERE session_pid = pg_backend_pid() ORDER BY key;
SELECT coord.try_lock('regress_read_only');
SELECT key FROM coord.locks WHERE session_pid = pg_backend_pid() ORDER BY key;
SELECT coord.unlock_all();
BEGIN ISOLATION LEVEL SERIALIZABLE READ ONLY DEFERRABLE;
CALL coord.lock('regress_lock', '1 s');
SELECT coord.unlock('regress_lock');
COMMIT;

-- From procedures, blocks and functions it commits nothing of theirs.
CREATE TABLE regress_work (id int);
DO $$ BEGIN INSERT INTO regress_work VALUES (1); CALL coord.lock('regress_lock'); RAISE 'undone'; END $$;
DO $$ BEGIN
  INSERT INTO regress_work VALUES (2);
  BEGIN
    INSERT INTO regress_work VALUES (3);
    CALL coord.lock('regress_lock', '-1 s');
  EXCEPTION WHEN invalid_parameter_value THEN
    INSERT INTO regress_work VALUES (4);
  END;
END $$;
CREATE FUNCTION regress_locks() RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN CALL coord.lock('regress_in_function'); RETURN true; END $$;
SELECT regress_locks();
SELECT id FROM regress_work ORDER BY id;
SELECT coord.unlock_all() AS outlived_the_undone_block;

-- A fenced transaction, and one that is prepared
SELECT coord.join('regress_lock') > 0 AS joined;
SELECT token FROM coord.campaign('regress_lock') \gset
BEGIN;
SELECT coord.fence('regress_lock', :token);
CALL coord.lock('regress_lock');
INSERT INTO regress_work VALUES (5);
COMMIT;
BEGIN;
SELECT coord.try_lock('regress_prepared');
INSERT INTO regress_work VALUES (6);
PREPARE TRANSACTION 'regress_lock';
SELECT key, session_pid = pg_backend_pid() AS mine, instance_id FROM coord.locks WHERE instance_id = 'regress_lock' ORDER BY key;
ROLLBACK PREPARED 'regress_lock';
SELECT coord.unlock('regress_prepared') AS still_held;
SELECT coord.leave() AS "left";
SELECT coord.unlock('regress_lock') AS still_held;

-- A key is never text of a statement.
SELECT coord.try_lock('x''); DROP TABLE regress_work; --');
SELECT coord.unlock_all();
SELECT other.close('b');
DROP VIEW regress_odd;
DROP FUNCTION regress_locks;
DROP TABLE regress_work;
