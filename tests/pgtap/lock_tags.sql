-- The locks by which elections are changed are no advisory locks: nobody who takes those with the same numbers is in the way.
SELECT plan(12);
\ir support/sessions.sql
CREATE TABLE turn (classid bigint, objid bigint);
CREATE FUNCTION signed(number bigint) RETURNS int LANGUAGE sql AS $$ SELECT (number - CASE WHEN number >= 2147483648 THEN 4294967296 ELSE 0 END)::int $$;
-- Every form of an advisory lock on those two numbers; how many could not be taken.
CREATE FUNCTION refused(kind text) RETURNS bigint LANGUAGE sql AS $$
  SELECT count(*) FROM turn, unnest(ARRAY[format('%s', classid << 32 | objid), format('%s, %s', signed(classid), signed(objid))]) arguments
  WHERE other.must('stranger', format('SELECT pg_try_advisory_%s(%s)', kind, arguments)) <> 't'
$$;
SELECT other.join(name) FROM unnest('{a,b}'::text[]) name;
SELECT other.open(name) FROM unnest('{stranger,keeper}'::text[]) name;

-- What the server shows of a campaign under way
SELECT other.must('keeper', 'SELECT pg_advisory_lock(40)');
SELECT dblink_send_query('a', $$SELECT (coord.campaign('e')).leader, set_config('lock_timeout', '0', true), pg_advisory_lock(40)$$);
SELECT ok(other.wait_for('EXISTS (SELECT FROM pg_locks WHERE locktype = ''advisory'' AND NOT granted)'), 'a''s campaign is under way');
INSERT INTO turn SELECT DISTINCT classid::bigint, objid::bigint FROM pg_locks WHERE locktype = 'userlock';
SELECT cmp_ok(count(*), '>=', 1::bigint, 'it is changed under locks that everybody can see') FROM turn;

-- Taken while it is under way
SELECT is(refused('lock'), 0::bigint, 'a stranger takes advisory locks on the same numbers');
SELECT is(refused('lock_shared'), 0::bigint, 'and shared ones');
SELECT other.must('keeper', 'SELECT pg_advisory_unlock(40)');
SELECT is((SELECT leader FROM dblink_get_result('a') AS r (leader text, setting text, lock text)), 'a', 'a leads');
SELECT count(*) FROM dblink_get_result('a') AS r (leader text, setting text, lock text);

-- Held all the time: nobody is kept waiting, and no leader is made of the stranger.
SELECT is(other.campaign('b', 'e') || other.must('a', $$SELECT coord.resign('e')$$), 'at', 'a hands over to b');
SELECT is(leader, 'b', 'who leads') FROM coord.leader('e');
SELECT is(other.must('b', $$SELECT coord.fence('e', token) IS NOT NULL FROM coord.leader('e')$$), 't', 'and may write');
SELECT is(other.must('b', $$SELECT coord.resign('e')$$) || other.campaign('a', 'e'), 'ta', 'the next term begins under them as well');
SELECT is(other.must('a', 'SELECT coord.leave()') || (SELECT count(*) FROM coord.leader('e')), 't0', 'and ends');
-- They are the stranger's, for all to see.
SELECT is(count(*), (SELECT 2 * count(*) FROM turn), 'each is shown with its holder') FROM coord.locks
WHERE session_pid = other.pid('stranger') AND instance_id IS NULL AND key IS NULL;
SELECT is(string_agg(lock_id::text, ' '), '40', 'nothing of the elections is') FROM coord.locks WHERE session_pid <> other.pid('stranger');

SELECT * FROM finish();
