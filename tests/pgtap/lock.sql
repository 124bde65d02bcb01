-- Named locks: whose they are, how long they last, and what the view says of them.
SELECT plan(62);
\ir support/sessions.sql
CREATE FUNCTION mine() RETURNS text LANGUAGE sql AS $$
  SELECT COALESCE(string_agg(COALESCE(key, '-'), ',' ORDER BY key), 'none') FROM coord.locks WHERE session_pid = pg_backend_pid()
$$;
CREATE FUNCTION held(wanted text) RETURNS bigint LANGUAGE sql AS $$ SELECT count(*) FROM coord.locks WHERE lock_id = coord.lock_key(wanted) $$;
SELECT other.open(name) FROM unnest('{b,c}'::text[]) name;

-- Field case 7: they do not stack.
SELECT ok(coord.try_lock('k') AND coord.try_lock('k'), 'whoever holds a lock is told so again');
CALL coord.lock('k');
CALL coord.lock('k', '0');
SELECT is(held('k'), 1::bigint, 'held once');
SELECT ok(coord.unlock('k'), 'given back once');
SELECT is(held('k'), 0::bigint, 'it is free');
SELECT ok(NOT coord.unlock('k'), 'and cannot be given back again');

-- Field cases 1, 8: given back by the session that holds it only.
SELECT is(other.run('b', $$SELECT coord.try_lock('k')$$), 't', 'another session takes it');
SELECT ok(NOT coord.unlock('k') AND coord.unlock_all() = 0, 'nobody else gives it back');
SELECT is(other.run('c', $$SELECT coord.unlock('k')$$), 'f', 'nobody at all');
SELECT ok(NOT coord.try_lock('k'), 'nor has it meanwhile');
SELECT is(held('k'), 1::bigint, 'and it is still held');
SELECT is(other.run('b', $$SELECT coord.unlock_all()$$), '1', 'its holder does');
SELECT is(coord.unlock_all(), 0, 'of nothing, nothing is given back');
SELECT is((SELECT count(*) FROM generate_series(1, 300) n WHERE coord.try_lock('many ' || n)), 300::bigint, 'many');
SELECT ok(coord.unlock('many 7'), 'one of them');
SELECT is(coord.unlock_all(), 299, 'all others at once');
SELECT is(mine(), 'none', 'none is left');

-- Field case 13: every lock that a careless WHERE took is seen, and freed by one call.
CREATE TABLE resource AS SELECT format('row %s', n) AS name FROM generate_series(1, 20) n;
SELECT is((SELECT name FROM resource WHERE coord.try_lock(name) ORDER BY name DESC LIMIT 1), 'row 9', 'one of twenty');
SELECT is((SELECT count(*) FROM coord.locks WHERE key LIKE 'row %'), 20::bigint, 'all of them are seen');
SELECT is(coord.unlock_all(), 20, 'and freed');

-- Field case 14: they belong to the session, not to its transactions.
BEGIN;
SELECT ok(coord.try_lock('k'), 'taken in a transaction');
SAVEPOINT s;
SELECT ok(coord.try_lock('s'), 'after a savepoint');
CALL coord.lock('c');
ROLLBACK TO s;
SELECT is(coord.unlock('s'), true, 'a rolled-back savepoint releases nothing');
ROLLBACK;
SELECT is((held('k'), held('c'))::text, '(1,1)', 'nor does a rolled-back transaction');
BEGIN;
SELECT ok(coord.unlock('k'), 'given back in a transaction');
SELECT is(other.run('b', $$SELECT coord.try_lock('k')$$), 't', 'it is free at once');
ROLLBACK;
SELECT ok(NOT coord.unlock('k'), 'which no rollback takes back');
SELECT is(coord.unlock_all(), 1, 'the other one is left');
SELECT is(other.run('b', 'SELECT 1/0') || other.run('c', $$SELECT coord.try_lock('k')$$), '22012f', 'an error releases nothing');
SELECT other.close('b');
SELECT ok(other.wait_for('held(''k'') = 0'), 'the end of the session does');
SELECT other.open('b');
SELECT is(other.run('c', $$SELECT coord.try_lock('k')$$) || other.run('b', $$SELECT coord.try_lock('k')$$), 'tf', 'the next one has it');
SELECT ok(pg_terminate_backend(other.pid('c'), 20000), 'which is terminated');
SELECT is(other.run('b', $$SELECT coord.try_lock('k')$$), 't', 'and has released it');
SELECT other.close('c');
SELECT other.open('c');

-- Released behind our back
SELECT is(other.run('b', $$SELECT coord.try_lock('l')$$), 't', 'two locks');
SELECT is(other.run('b', 'DISCARD ALL'), 'DISCARD ALL', 'DISCARD ALL');
SELECT is((held('k'), held('l'))::text, '(0,0)', 'releases them');
SELECT is(other.run('b', $$SELECT coord.unlock('k')$$) || other.run('b', 'SELECT coord.unlock_all()'), 'f0', 'which is noticed');
SELECT is(other.run('b', $$SELECT coord.try_lock('k')$$), 't', 'taken again');
SELECT other.must('b', 'SELECT pg_advisory_unlock_all()');
SELECT is(other.run('c', $$SELECT coord.try_lock('k')$$) || other.run('b', $$SELECT coord.try_lock('k')$$), 'tf', 'another one has taken it since');
SELECT is(other.run('b', $$SELECT coord.unlock('k')$$), 'f', 'and keeps it');
SELECT is(other.run('c', $$SELECT pg_advisory_unlock(coord.lock_key('k'))$$) || other.run('c', $$SELECT coord.unlock('k')$$), 'tf', 'released by its number');

-- Other programs' locks on the same number
SELECT other.must('b', $$SELECT pg_advisory_lock(coord.lock_key('k'))$$);
SELECT ok(NOT coord.try_lock('k'), 'another session''s excludes');
SELECT is(other.run('b', $$SELECT coord.unlock('k')$$) || other.run('b', 'SELECT coord.unlock_all()'), 'f0', 'what was not taken here is not given back here');
SELECT is(held('k'), 1::bigint, 'it is held still');
SELECT is(other.run('b', $$SELECT coord.try_lock('k')$$) || other.run('b', $$SELECT coord.unlock('k')$$), 'tt', 'both in one session');
SELECT is(held('k'), 1::bigint, 'the other one is held still');
SELECT is(other.run('c', $$SELECT pg_try_advisory_lock(coord.lock_key('k'))$$), 'f', 'and excludes');
SELECT other.must('b', $$SELECT pg_advisory_unlock(coord.lock_key('k'))$$);
SELECT ok(coord.try_lock('k'), 'until it is released');
SELECT is(other.run('c', $$SET lock_timeout = '100 ms'$$) || other.run('c', $$CALL coord.lock('k')$$), 'SET55P03', 'after a wait that failed');
SELECT ok(coord.unlock('k'), 'the lock is free');
SELECT is(other.run('c', $$SELECT pg_try_advisory_lock(coord.lock_key('k'))$$) || other.run('c', $$SELECT coord.unlock('k')$$), 'tf', 'and the waiter''s own lock by its number is its own');
SELECT is(held('k'), 1::bigint, 'which it keeps');
SELECT other.must('c', 'SELECT pg_advisory_unlock_all()');

-- The view
SELECT coord.join('holder');
SELECT set_config('application_name', 'pgtap_lock', false), coord.try_lock('k');
SELECT is(row(key, lock_id, instance_id, session_pid, application_name, client_addr, waiters, longest_wait)::text,
  format('(k,%s,holder,%s,pgtap_lock,,0,)',
    ('x' || left(encode(sha256('k'), 'hex'), 16))::bit(64)::bigint & 9223372036854775807, pg_backend_pid()), 'a member''s lock') FROM coord.locks WHERE key = 'k';
SELECT dblink_send_query(name, $$CALL coord.lock('k')$$) FROM unnest('{b,c}'::text[]) name;
SELECT ok(other.wait_for('(SELECT waiters = 2 FROM coord.locks WHERE key = ''k'')'), 'two wait for it');
SELECT ok(longest_wait BETWEEN '0 s' AND '1 min' AND clock_timestamp() - longest_wait > now() - interval '1 min', 'for so long') FROM coord.locks WHERE key = 'k';
SELECT is((SELECT count(*) FROM coord.locks), 1::bigint, 'who waits holds nothing');
SELECT pg_cancel_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted;
SELECT ok(other.wait_for('dblink_is_busy(''b'') + dblink_is_busy(''c'') = 0'), 'they give up');
SELECT is((SELECT waiters FROM coord.locks), 0, 'and are gone');
SELECT other.close(name) FROM unnest('{b,c}'::text[]) name;
SELECT other.open(name) FROM unnest('{b,c}'::text[]) name;
SELECT coord.leave();
SELECT is(instance_id, NULL, 'it outlives the membership') FROM coord.locks WHERE key = 'k';
SELECT coord.unlock_all();

-- Field case 11: numbers that no key has, negative and extreme ones, exactly; two small numbers are another kind.
SELECT pg_advisory_lock(n) FROM unnest(ARRAY[0, -1, 1, 4294967296, -4294967296, 2147483648, 9223372036854775807, -9223372036854775808]) n;
SELECT pg_advisory_lock_shared(42), pg_advisory_lock(7, 8), pg_advisory_lock(0, 0), pg_advisory_lock(-1, -1);
SELECT is((SELECT string_agg(concat(lock_id, key), ' ' ORDER BY lock_id) FROM coord.locks),
  '-9223372036854775808 -4294967296 -1 0 1 42 2147483648 4294967296 9223372036854775807', 'by their signed numbers, without names');
SELECT pg_advisory_unlock_all();
SELECT coord.try_lock('k'), pg_advisory_lock(1001, 1002);
SELECT is(mine(), 'k', 'and with one');

-- Field case 19: another database's
\set base :DBNAME
CREATE DATABASE pgtap_lock_other;
SELECT other.open('elsewhere', 'pgtap_lock_other');
SELECT dblink_exec('elsewhere', 'CREATE EXTENSION pg_coord');
SELECT is(other.run('elsewhere', $$SELECT coord.try_lock('k')$$), 't', 'the same key in another database is another lock');
SELECT is(other.run('elsewhere', 'SELECT session_pid = pg_backend_pid() FROM coord.locks') || (SELECT session_pid = pg_backend_pid() FROM coord.locks WHERE key = 'k'),
  'ttrue', 'each is seen in its own database');
SELECT dblink_send_query('elsewhere', 'SELECT pg_advisory_unlock_all()');
SELECT other.close('elsewhere');
DROP DATABASE pgtap_lock_other WITH (FORCE);

SELECT * FROM finish();
