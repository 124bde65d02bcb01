-- The names behind the numbers of locks: recorded once, by whoever asks first; kept for a time; nothing depends on them.
SELECT plan(22);
\ir support/sessions.sql
\ir support/clean_up.sql
CREATE FUNCTION names() RETURNS text LANGUAGE sql AS $$ SELECT COALESCE(string_agg(key, ',' ORDER BY key), 'none') FROM coord._lock $$;
CREATE FUNCTION shown() RETURNS text LANGUAGE sql AS $$ SELECT string_agg(COALESCE(key, '-'), ',' ORDER BY key) FROM coord.locks $$;
SELECT other.open(name) FROM unnest('{a,b}'::text[]) name;

-- Once
SELECT is(other.run('a', $$SELECT coord.try_lock('k')$$) || names(), 'tk', 'recorded by the first who asks');
SELECT xmin AS writer FROM coord._lock \gset
SELECT ok(NOT coord.try_lock('k'), 'held');
SELECT is(other.run('b', $$CALL coord.lock('k', '0')$$) || other.run('a', $$SELECT coord.unlock('k')$$) || other.run('b', $$CALL coord.lock('k')$$), '55P03tCALL',
  'taken by others');
SELECT is(xmin, :'writer'::xid, 'it is not written again') FROM coord._lock;
BEGIN;
SELECT NOT coord.try_lock('k') AS held \gset
SELECT pg_current_xact_id_if_assigned() IS NULL AS writes_nothing \gset
COMMIT;
SELECT is(:'held'::text, 't', 'one attempt at a lock whose name is known');
SELECT is(:'writes_nothing'::text, 't', 'writes nothing');
SELECT is(other.run('b', $$SELECT coord.unlock('k')$$) || names(), 'tk', 'it outlives the lock');
SELECT is(coord.unlock('never asked for')::text || names(), 'falsek', 'giving back records nothing');

-- Lost with the transaction that recorded it, and recorded by the next one.
BEGIN;
SELECT ok(coord.try_lock('r') AND coord.try_lock('r'), 'a new key in a transaction, twice');
ROLLBACK;
SELECT is(names() || ' ' || shown(), 'k -', 'rolled back: the lock is there, without a name');
SELECT ok(coord.try_lock('r'), 'asked for again');
SELECT is(names() || ' ' || shown(), 'k,r r', 'it has one');
BEGIN;
SAVEPOINT s;
CALL coord.lock('s');
ROLLBACK TO s;
CALL coord.lock('s');
SELECT ok(coord.try_lock('t'), 'after a savepoint that was rolled back');
COMMIT;
SELECT is(shown(), 'r,s,t', 'what was held already is named by the next who asks');
SELECT coord.unlock_all();

-- By another program's lock, no name is made; by who waits for it, one is.
SELECT other.must('b', $$SELECT pg_advisory_lock(coord.lock_key('theirs'))$$);
SELECT is(shown(), '-', 'a number');
SELECT is(coord.try_lock('theirs')::text || shown(), 'falsetheirs', 'named by who tried');

-- Kept for a time after it was recorded, and while it is held.
SELECT other.join('w', '1 day');
SELECT dblink_exec('w', 'SET pg_coord.log_retention = ''7 d''');
UPDATE coord._lock SET named_at = named_at - interval '7 days' WHERE key IN ('k', 'theirs');
SELECT ok(sweep_until('names() = ''r,s,t,theirs'''), 'an old one is forgotten, not one that is held, nor a younger one');
SELECT other.must('b', 'SELECT pg_advisory_unlock_all()');
SELECT ok(sweep_until('names() = ''r,s,t'''), 'nor any longer than that');
SELECT is(other.run('w', $$SELECT coord.try_lock('k')$$) || names(), 'tk,r,s,t', 'recorded again when it is asked for');

-- The table cannot be written by a lock that is asked for in a read-only transaction, nor when somebody holds it.
BEGIN;
LOCK TABLE coord._lock IN SHARE ROW EXCLUSIVE MODE;
SELECT is(other.run('a', $$CALL coord.lock('not recorded', '1 s')$$) || other.run('a', $$SELECT coord.try_lock('nor this')$$), 'CALLt', 'a table that is locked holds up nobody');
COMMIT;
SELECT is(names(), 'k,r,s,t', 'their names are not recorded');
SELECT is(other.run('a', $$SELECT coord.try_lock('nor this')$$) || names(), 'tk,nor this,r,s,t', 'until they are asked for again');

SELECT * FROM finish();
