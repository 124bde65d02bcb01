-- What a pool does before it gives the session to somebody else.
\set ECHO none
\getenv abs_srcdir PG_ABS_SRCDIR
\set sessions :abs_srcdir '/tests/pgtap/support/sessions.sql'
\i :sessions
\set ECHO all
SELECT coord.join('a') > 0 AS joined;
SELECT leader FROM coord.campaign('regress_discard');
SELECT leader FROM coord.campaign('regress_discard_alone');
SELECT other.join('b') > 0 AS joined;
SELECT other.campaign('b', 'regress_discard');

-- Not by lesser means, nor where DISCARD ALL itself is refused.
DISCARD PLANS;
DISCARD SEQUENCES;
DISCARD TEMP;
RESET ALL;
DEALLOCATE ALL;
UNLISTEN *;
SELECT pg_advisory_unlock_all();
BEGIN;
DISCARD ALL;
\echo :SQLSTATE
ROLLBACK;
SELECT 1 \; DISCARD ALL;
SELECT count(*) AS led FROM coord.heartbeat();

-- Membership, leaderships, places in queues: all gone; the next leads.
DISCARD ALL;
SELECT coord.heartbeat();
\echo :SQLSTATE
SELECT count(*) AS members FROM coord.peers WHERE instance_id = 'a' AND member_group = 'default';
SELECT leader, is_leader FROM coord.leader('regress_discard');
SELECT count(*) AS leaders FROM coord.leader('regress_discard_alone');
SELECT election, previous, leader, cause FROM coord.leadership_log
WHERE cause = 'discarded' AND election IN ('regress_discard', 'regress_discard_alone') ORDER BY election;

-- Without a membership it is what it always was; the session may join again.
DISCARD ALL;
SELECT coord.join('a') > 0 AS joined;
SELECT leader FROM coord.campaign('regress_discard');
DISCARD ALL;
SELECT count(*) AS queued FROM coord.candidates WHERE election = 'regress_discard';
SELECT coord.leave();

-- It needs no right that was taken away meanwhile, and no search_path.
CREATE ROLE regress_coord_discard;
SELECT coord.grant_access('regress_coord_discard', 'member');
SET SESSION AUTHORIZATION regress_coord_discard;
SELECT coord.join('c') > 0 AS joined;
SELECT leader FROM coord.campaign('regress_discard_alone');
RESET SESSION AUTHORIZATION;
DROP OWNED BY regress_coord_discard;
SET SESSION AUTHORIZATION regress_coord_discard;
SET search_path = '';
SELECT coord.leave();
DISCARD ALL;
SELECT count(*) AS members FROM coord.peers WHERE instance_id = 'c';
SELECT count(*) AS leaders FROM coord.leader('regress_discard_alone');
DROP ROLE regress_coord_discard;
SELECT other.must('b', 'SELECT coord.leave()') AS left;
SELECT other.close('b');
