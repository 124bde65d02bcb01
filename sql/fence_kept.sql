-- A fence cannot be exchanged: what was begun under one term does not commit under the next.
\set ECHO none
\getenv abs_srcdir PG_ABS_SRCDIR
\set sessions :abs_srcdir '/tests/pgtap/support/sessions.sql'
\i :sessions
\set ECHO all
CREATE TABLE regress_fence (id int);
SELECT coord.join('a') > 0 AS joined;
SELECT token FROM coord.campaign('regress_kept') \gset
SELECT other.open('worker');
SELECT other.must('worker', 'BEGIN');
SELECT other.must('worker', format('SELECT coord.fence(%L, %s)', 'regress_kept', :token));
SELECT other.must('worker', 'INSERT INTO regress_fence VALUES (1)');
SELECT coord.resign('regress_kept');
SELECT token FROM coord.campaign('regress_kept') \gset

-- Refused here or by the COMMIT.
SELECT other.run('worker', format('SELECT coord.fence(%L, %s)', 'regress_kept', :token)) IS NOT NULL AS asked;
SELECT other.run('worker', 'COMMIT') IN ('PC002', 'ROLLBACK') AS refused;
SELECT count(*) AS written FROM regress_fence;

SELECT coord.leave();
SELECT other.close('worker');
DROP TABLE regress_fence;
