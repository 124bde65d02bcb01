-- Field case 13: calls that take something, in a WHERE clause. Whatever was granted is seen and given back by one call; conditions
-- that cost less go first; a plan that stops early takes no more than it returns.
SELECT plan(20);
CREATE TABLE resource AS SELECT format('row %s', n) AS name FROM generate_series(1, 20) n;
ANALYZE resource;
CREATE FUNCTION led() RETURNS text LANGUAGE sql AS $$
  SELECT COALESCE(string_agg(election, ',' ORDER BY election), 'none') FROM coord.elections WHERE leader = 'me'
$$;
CREATE FUNCTION held() RETURNS text LANGUAGE sql AS $$ SELECT COALESCE(string_agg(key, ',' ORDER BY key), 'none') FROM coord.locks $$;
SELECT string_agg(name, ',' ORDER BY name) AS everything, max(name) AS last FROM resource \gset
SELECT ok(coord.join('me') > 0, 'a member');

-- Sorted afterwards: every row is asked for.
SELECT is((SELECT name FROM resource WHERE (coord.campaign(name)).is_leader ORDER BY name DESC LIMIT 1), :'last', 'one of twenty');
SELECT is(led(), :'everything', 'all of them were granted, and are seen');
SELECT is((SELECT count(*) FROM coord.heartbeat() h WHERE h.is_leader), 20::bigint, 'also by the next heartbeat');
SELECT ok(coord.leave(), 'one call');
SELECT is(led(), 'none', 'gives them all back');

-- By an index: the first that is granted is the last that is asked for.
CREATE INDEX ON resource (name);
SET enable_seqscan = off;
SET enable_sort = off;
SET enable_bitmapscan = off;
SELECT ok(coord.join('me') > 0, 'again');
SELECT is((SELECT name FROM resource WHERE (coord.campaign(name)).is_leader ORDER BY name DESC LIMIT 1), :'last', 'one by the index');
SELECT is(led(), :'last', 'only that one');
SELECT is((SELECT name FROM resource WHERE coord.try_lock(name) ORDER BY name DESC LIMIT 1), :'last', 'a lock');
SELECT is(held(), :'last', 'likewise');
SELECT ok(coord.leave() AND coord.unlock_all() = 1, 'given back');
RESET enable_seqscan;
RESET enable_sort;
RESET enable_bitmapscan;

-- What is cheaper is looked at first, wherever it stands.
SELECT ok(coord.join('me') > 0, 'again');
SELECT is((SELECT count(*) FROM resource WHERE coord.try_lock(name) AND name LIKE '%7'), 2::bigint, 'locks of some rows');
SELECT is(held(), 'row 17,row 7', 'are not taken on others');
SELECT is((SELECT count(*) FROM resource WHERE (coord.try_acquire(name)).is_leader AND name LIKE '%7'), 2::bigint, 'nor are elections');
SELECT is(led(), 'row 17,row 7', 'led');
SELECT is_empty($$SELECT oid::regprocedure FROM pg_proc WHERE pronamespace = 'coord'::regnamespace
  AND proname IN ('campaign', 'try_acquire', 'try_lock') AND (procost < 1000 OR provolatile <> 'v')$$, 'for the planner thinks them dear, and never the same twice');

-- One of many, on purpose
CREATE FUNCTION take_one() RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  candidate text;
BEGIN
  FOR candidate IN SELECT name FROM resource ORDER BY name LOOP
    IF coord.try_lock(candidate) THEN
      RETURN candidate;
    END IF;
  END LOOP;
  RETURN NULL;
END
$$;
SELECT coord.unlock_all();
SELECT is(take_one() || ' ' || held(), 'row 1 row 1', 'a loop takes exactly one');
SELECT ok(coord.unlock_all() = 1 AND coord.leave(), 'given back');

SELECT * FROM finish();
