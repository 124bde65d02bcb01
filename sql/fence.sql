-- Fences: what the call refuses, and what the COMMIT does.
\set ECHO none
\getenv abs_srcdir PG_ABS_SRCDIR
\set sessions :abs_srcdir '/tests/pgtap/support/sessions.sql'
\i :sessions
\set ECHO all
CREATE TABLE regress_fence (id int);
SELECT coord.join('a') > 0 AS joined;

-- No such election, a token of nobody's, a term that has ended.
SELECT coord.fence('regress_fence', 1);
\echo :SQLSTATE
SELECT token FROM coord.campaign('regress_fence') \gset
SELECT coord.fence('regress_fence', :token);
\set VERBOSITY terse
SELECT format('SELECT coord.fence(''regress_fence'', token + (%s)) FROM coord.leader(''regress_fence'')', wrong)
FROM unnest(ARRAY['-1', '1', '1::bigint << 40', '-token', '-token - 1', '9223372036854775807 - token']) wrong \gexec
\set VERBOSITY default
SELECT coord.fence('regress_fence', 0);
\echo :SQLSTATE
SELECT coord.resign('regress_fence');
SELECT coord.fence('regress_fence', :token);
\echo :SQLSTATE

-- Anybody may write under the leader's term, also from another session, also in a transaction that only reads.
SELECT token FROM coord.campaign('regress_fence') \gset
SELECT other.open('worker');
SELECT other.must('worker', 'BEGIN READ ONLY');
SELECT other.must('worker', format('SELECT coord.fence(%L, %s)', 'regress_fence', :token));
SELECT other.must('worker', 'COMMIT');

-- The term ends between the call and the COMMIT.
SELECT dblink_exec('worker', 'BEGIN');
SELECT other.must('worker', format('SELECT coord.fence(%L, %s)', 'regress_fence', :token));
SELECT dblink_exec('worker', 'INSERT INTO regress_fence VALUES (1)');
SELECT coord.resign('regress_fence');
SELECT dblink_exec('worker', 'COMMIT');
\echo :SQLSTATE
SELECT count(*) AS written FROM regress_fence;

-- The next term is not that one, though the same session leads.
SELECT token FROM coord.campaign('regress_fence') \gset
SELECT dblink_exec('worker', 'BEGIN');
SELECT other.must('worker', format('SELECT coord.fence(%L, %s)', 'regress_fence', :token));
SELECT dblink_exec('worker', 'INSERT INTO regress_fence VALUES (2)');
SELECT coord.resign('regress_fence');
SELECT token FROM coord.campaign('regress_fence') \gset
SELECT dblink_exec('worker', 'COMMIT');
\echo :SQLSTATE
SELECT count(*) AS written FROM regress_fence;

-- In force: committed, however often it was asked for.
BEGIN;
SELECT coord.fence('regress_fence', :token) FROM generate_series(1, 3);
INSERT INTO regress_fence VALUES (4);
COMMIT;
SELECT id FROM regress_fence;

-- A statement by itself is a transaction too.
SELECT coord.fence('regress_fence', :token);
SELECT coord.fence('regress_fence', :token) FROM coord.resign('regress_fence');
\echo :SQLSTATE
SELECT is_leader FROM coord.leader('regress_fence');

-- A rolled-back savepoint keeps the fence; a call that failed has promised nothing.
BEGIN;
SAVEPOINT before;
SELECT coord.fence('regress_fence', :token);
ROLLBACK TO before;
INSERT INTO regress_fence VALUES (5);
SELECT other.must('worker', 'SELECT coord.depose(''regress_fence'')');
COMMIT;
\echo :SQLSTATE
BEGIN;
SAVEPOINT before;
SELECT coord.fence('regress_fence', :token);
\echo :SQLSTATE
ROLLBACK TO before;
INSERT INTO regress_fence VALUES (6);
COMMIT;
SELECT id FROM regress_fence ORDER BY id;

-- Not beyond its transaction, in neither direction.
SELECT token FROM coord.campaign('regress_fence') \gset
BEGIN;
SELECT coord.fence('regress_fence', :token);
COMMIT AND CHAIN;
SELECT other.must('worker', 'SELECT coord.depose(''regress_fence'')');
INSERT INTO regress_fence VALUES (7);
COMMIT;
SELECT token FROM coord.campaign('regress_fence') \gset
BEGIN;
SELECT coord.fence('regress_fence', :token);
ROLLBACK;
SELECT other.must('worker', 'SELECT coord.depose(''regress_fence'')');
INSERT INTO regress_fence VALUES (8);
SELECT id FROM regress_fence ORDER BY id;

-- Several fences: all must hold.
SELECT token AS one FROM coord.campaign('regress_fence') \gset
SELECT token AS two FROM coord.campaign('regress_fence_two') \gset
BEGIN;
SELECT coord.fence('regress_fence_two', :two), coord.fence('regress_fence', :one);
INSERT INTO regress_fence VALUES (9);
COMMIT;
BEGIN;
SELECT coord.fence('regress_fence_two', :two), coord.fence('regress_fence', :one);
INSERT INTO regress_fence VALUES (10);
SELECT other.must('worker', 'SELECT coord.depose(''regress_fence_two'')');
COMMIT;
SELECT id FROM regress_fence WHERE id > 8;

-- A deferred trigger runs before the check, and may fence.
CREATE FUNCTION regress_fence_late() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM coord.fence('regress_fence', NEW.id);
  RETURN NULL;
END
$$;
ALTER TABLE regress_fence ALTER id TYPE bigint;
CREATE CONSTRAINT TRIGGER late AFTER INSERT ON regress_fence DEFERRABLE INITIALLY DEFERRED
FOR EACH ROW EXECUTE FUNCTION regress_fence_late();
INSERT INTO regress_fence VALUES (:one);
INSERT INTO regress_fence VALUES (0);
\echo :SQLSTATE
DROP TRIGGER late ON regress_fence;

-- A prepared transaction would hold up every take-over.
BEGIN;
SELECT coord.fence('regress_fence', :one);
PREPARE TRANSACTION 'regress_fence';
\echo :SQLSTATE
SELECT count(*) FROM pg_prepared_xacts WHERE gid = 'regress_fence';

SELECT coord.leave();
SELECT other.close('worker');
DROP TABLE regress_fence;
DROP FUNCTION regress_fence_late;
