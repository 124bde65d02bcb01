-- The view of work that nobody healthy does.
\set ECHO none
\getenv abs_srcdir PG_ABS_SRCDIR
\set sessions :abs_srcdir '/tests/pgtap/support/sessions.sql'
\i :sessions
\set ECHO all
CREATE VIEW regress_orphans AS
SELECT instance_id, subscription, status, available_at - clock_timestamp() BETWEEN '0' AND '30 s' AS available_later
FROM coord.orphaned_subscriptions WHERE member_group = 'regress_orphans' ORDER BY 1, 2;
SELECT coord.join('a', 'regress_orphans', '{orders,bills}') > 0 AS joined;
SELECT * FROM regress_orphans;
SELECT coord.announce_shutdown('graceful') > now() AS announced;
SELECT * FROM regress_orphans;

-- Taken by a healthy peer; one by one.
SELECT other.open('b');
SELECT other.must('b', $$SELECT coord.join('b', 'regress_orphans', '{bills}') > 0$$) AS joined;
SELECT * FROM regress_orphans;
SELECT other.must('b', $$SELECT count(*) FROM coord.heartbeat('{bills,orders}')$$) AS led;
SELECT * FROM regress_orphans;
SELECT other.must('b', $$SELECT count(*) FROM coord.heartbeat('{}')$$) AS led;

-- Given up by the one that leaves, and left behind by it.
SELECT count(*) AS led FROM coord.heartbeat('{orders}');
SELECT * FROM regress_orphans;
SELECT coord.leave();
SELECT * FROM regress_orphans;
SELECT coord.remove_member('a', 'regress_orphans');
SELECT * FROM regress_orphans;
SELECT other.must('b', 'SELECT coord.leave()') AS left;
SELECT other.close('b');
DROP VIEW regress_orphans;
