-- Field case 5: who holds an election up by a statement that does not end, and since when. The README's query.
SELECT plan(12);
\ir support/sessions.sql
CREATE VIEW turn AS
SELECT e.election, a.pid, a.usename, a.state, clock_timestamp() - a.xact_start AS open_for, a.query
FROM pg_locks l JOIN pg_stat_activity a USING (pid)
LEFT JOIN coord.elections e ON hashtextextended(e.election, 0) = (l.classid::bigint << 32 | l.objid::bigint)
WHERE l.locktype = 'userlock' AND l.objsubid = 1 AND l.granted AND a.datname = current_database();
SELECT other.join(name) FROM unnest('{a,b}'::text[]) name;
SELECT other.pid('a') AS a, other.pid('b') AS b \gset

SELECT is(other.campaign('b', 'e') || other.campaign('b', 'other'), 'bb', 'b leads');
SELECT is(count(*), 0::bigint, 'nobody holds it up') FROM turn;
SELECT dblink_send_query('a', $$SELECT coord.depose('e')::text, pg_sleep(60)::text$$);
SELECT ok(other.wait_for(format('EXISTS (SELECT FROM turn WHERE pid = %s AND query ~ ''depose'')', :a)), 'a holds it up');
SELECT is(string_agg(concat_ws(' ', election, pid, usename, state), ','), concat_ws(' ', 'e', :a, current_user, 'active'),
  'which election, and who') FROM turn;
SELECT ok(open_for BETWEEN '0 s' AND '1 min' AND clock_timestamp() - open_for > now() - interval '1 min', 'since when') FROM turn;
SELECT is(leader, 'b', 'what is not committed is not believed') FROM coord.leader('e');
SELECT is(other.run('b', $$SELECT coord.resign('e')$$), '55P03', 'who wants to change it is not told that it is held');
SELECT matches(other.context('b', $$SELECT coord.resign('e')$$), 'waiting for a change of election "e" by another session', 'but what it waited for');
SELECT dblink_send_query('b', $$SELECT coord.resign('e')::text$$);
SELECT ok(other.wait_for(format('pg_blocking_pids(%s) = ARRAY[%s]', :b, :a)), 'and for whom, while it waits');
SELECT pg_cancel_backend(:a);
SELECT ok(other.wait_for('NOT EXISTS (SELECT FROM turn)'), 'once that is cancelled, nobody holds it up');

-- An election that is not there yet has no name here.
SELECT other.join('d');
SELECT other.pid('d') AS d \gset
SELECT dblink_send_query('d', $$SELECT (coord.campaign('new')).leader, pg_sleep(60)::text$$);
SELECT ok(other.wait_for(format('EXISTS (SELECT FROM turn WHERE pid = %s AND election IS NULL)', :d)), 'a new election is held up by d');
SELECT ok(pg_terminate_backend(:d) AND other.wait_for('NOT EXISTS (SELECT FROM turn)'), 'until that is terminated');

SELECT * FROM finish();
