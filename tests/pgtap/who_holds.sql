-- Field case 71: who leads, who holds a lock, since when, from which session: told by the registry to a plain role, whatever the
-- holder calls itself.
SELECT plan(10);
\ir support/sessions.sql
CREATE ROLE pgtap_coord_monitor;
CREATE ROLE pgtap_coord_holder;
CREATE ROLE pgtap_coord_guise;
GRANT pgtap_coord_guise TO pgtap_coord_holder;
SELECT coord.grant_access('pgtap_coord_monitor', 'observer'), coord.grant_access('pgtap_coord_holder', 'member');
SELECT other.open(name) FROM unnest('{h,o}'::text[]) name;
SELECT dblink_exec('h', 'SET SESSION AUTHORIZATION pgtap_coord_holder');
SELECT dblink_exec('o', 'SET SESSION AUTHORIZATION pgtap_coord_monitor');
SELECT ok(other.must('h', $$SELECT coord.join('h', metadata => '{"label": "third floor"}', heartbeat_timeout => '10 min')$$)::bigint > 0, 'a member');
SELECT is(other.campaign('h', 'e') || other.must('h', $$SELECT coord.try_lock('k')$$), 'ht', 'leads, and holds a lock');
SELECT other.pid('h') AS pid \gset
SELECT token, elected_at FROM coord.leader('e') \gset
SELECT dblink_exec('h', $$SET application_name = 'somebody else'; SET ROLE pgtap_coord_guise$$);

SELECT is(other.must('o', 'SELECT concat_ws('' '', election, leader, leader_pid, token, elected_at) FROM coord.elections'),
  concat_ws(' ', 'e', 'h', :pid, :token, :'elected_at'), 'who leads, in which session, under which token, since when');
SELECT is(other.must('o', $$SELECT concat_ws(' ', instance_id, status, session_pid, leads, metadata ->> 'label') FROM coord.peers$$),
  concat_ws(' ', 'h healthy', :pid, 't third floor'), 'who that is');
SELECT is(other.must('o', $$SELECT heartbeat_timeout - (clock_timestamp() - last_heartbeat_at) BETWEEN '9 min' AND '10 min' FROM coord.peers$$), 't',
  'how long its lead will last without another sign of life');
SELECT is(other.must('o', $$SELECT concat_ws(' ', leader, cause, token) FROM coord.leadership_log$$), 'h elected ' || :token, 'how it came to that');
SELECT is(other.must('o', $$SELECT concat_ws(' ', key, instance_id, session_pid) FROM coord.locks$$), 'k h ' || :pid, 'whose the lock is');
SELECT is(other.must('o', 'SELECT pg_has_role(''pg_monitor'', ''member'')'), 'f', 'without any right to monitor');
SELECT is(other.run('o', 'SELECT count(*) FROM coord._member') || other.run('o', $$SELECT coord.depose('e')$$), '4250142501', 'and without any other');
SELECT is(other.must('h', 'RESET ROLE') || other.must('h', 'SELECT coord.leave()'), 'RESETt', 'it leaves under its own role');

SELECT * FROM finish();
SELECT dblink_disconnect(name) FROM unnest('{h,o}'::text[]) name;
DROP OWNED BY pgtap_coord_monitor, pgtap_coord_holder, pgtap_coord_guise;
DROP ROLE pgtap_coord_monitor, pgtap_coord_holder, pgtap_coord_guise;
