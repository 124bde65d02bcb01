-- The form of what is told: keys and their order, times, sizes, texts, and the channel of every group.
SELECT plan(43);
\ir support/sessions.sql
\ir support/ear.sql
CREATE FUNCTION channel(kind text) RETURNS text LANGUAGE sql AS $$ SELECT '__eventsource_coordination.' || kind $$;
SELECT listen(channel('shutdown'), channel('heartbeat'), channel('work_assignment'), channel('member'));
CREATE FUNCTION keys() RETURNS text LANGUAGE sql AS $$
  SELECT string_agg(key, ' ' ORDER BY number) FROM (SELECT raw FROM heard ORDER BY n DESC LIMIT 1) h,
    json_object_keys(raw::json) WITH ORDINALITY AS k (key, number)
$$;
CREATE FUNCTION types() RETURNS text LANGUAGE sql AS $$
  SELECT string_agg(json_typeof(value), ' ' ORDER BY number) FROM (SELECT raw FROM heard ORDER BY n DESC LIMIT 1) h,
    json_each(raw::json) WITH ORDINALITY AS k (key, value, number)
$$;
CREATE FUNCTION bytes() RETURNS int LANGUAGE sql AS $$ SELECT octet_length(raw) FROM heard ORDER BY n DESC LIMIT 1 $$;
CREATE FUNCTION iso(stamp timestamptz) RETURNS text LANGUAGE sql AS $$
  SELECT replace(to_char(stamp AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US'), '.000000', '') || '+00:00'
$$;
CREATE FUNCTION texts() RETURNS text[] LANGUAGE sql AS $body$
  SELECT ARRAY[E'\' " \\ $$ % \n\t €\U0001F600', 'x; DROP TABLE', '', 'NULL', 'a,b', '{}']
$body$;
-- Settings that would change how times and numbers are written
SELECT other.open('a');
SELECT dblink_exec('a', $$SET timezone = 'Asia/Kolkata'; SET datestyle = 'SQL, DMY'; SET intervalstyle = 'sql_standard'$$);
SELECT other.must('a', format('SELECT coord.join(%L, subscriptions => %L, metadata => ''{"zone": 7}'')', 'a', texts()));
SELECT other.join('b');

-- A bell
CALL hush();
DELETE FROM heard WHERE n > (SELECT min(n) FROM heard);
SELECT is(keys() || ': ' || types(), 'instance_id incarnation event at: string number string string', 'what is told of a member');
SELECT is(payload ->> 'incarnation', incarnation::text, 'of which incarnation') FROM heard, coord.peers WHERE instance_id = 'a';
SELECT matches(last('at'), '^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{6})?\+00:00$', 'and when');
SELECT ok(joined_at - last('at')::timestamptz BETWEEN '-1 s' AND '1 s', 'in UTC, whatever the session''s time zone') FROM coord.peers WHERE instance_id = 'a';

-- A heartbeat
SELECT other.campaign('a', 'e');
SELECT other.must('a', 'SELECT count(*) FROM coord.heartbeat(in_flight_count => 3, load_factor => 0.1)');
CALL hush();
SELECT is((SELECT channel FROM heard ORDER BY n DESC LIMIT 1), channel('heartbeat'), 'a heartbeat on its channel');
SELECT is(keys(), 'instance_id timestamp subscriptions in_flight_count is_leader load_factor incarnation', 'its keys in their order');
SELECT is(types(), 'string string array number boolean number number', 'and their types');
SELECT is(concat_ws(' ', last('instance_id'), last('in_flight_count'), last('is_leader'), last('load_factor')), 'a 3 true 0.1', 'its values');
SELECT is(last('subscriptions')::jsonb, to_jsonb(texts()), 'texts of every kind, in their order');
SELECT is(last('incarnation')::bigint, incarnation, 'its incarnation') FROM coord.peers WHERE instance_id = 'a';
SELECT matches(last('timestamp'), '^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{6})?\+00:00$', 'its time');
SELECT ok(clock_timestamp() - last('timestamp')::timestamptz BETWEEN '0' AND '20 s', 'is the server''s, and now');
SELECT other.must('b', $$SELECT count(*) FROM coord.heartbeat('{}', load_factor => 1e300)$$);
CALL hush();
SELECT is(concat_ws(' ', last('subscriptions'), last('is_leader'), last('load_factor')::float8 = 1e300), '[] false t', 'an empty list, no leader, a large number');

-- A notice
SELECT other.must('a', $$SELECT coord.announce_shutdown('health_failure', '90 s', 5, '{"b": [1, null, "\"é\""], "a": {}}')$$);
CALL hush();
SELECT is((SELECT channel FROM heard ORDER BY n DESC LIMIT 1), channel('shutdown'), 'a notice on its channel');
SELECT is(keys(), 'instance_id intent initiated_at expected_completion_at subscriptions in_flight_count metadata incarnation', 'its keys in their order');
SELECT is(types(), 'string string string string array number object number', 'and their types');
SELECT is(concat_ws(' ', last('instance_id'), last('intent'), last('in_flight_count'), last('incarnation')), concat_ws(' ', 'a health_failure 5', incarnation), 'its values')
FROM coord.peers WHERE instance_id = 'a';
SELECT is(last('initiated_at') || last('expected_completion_at'), iso(shutdown_initiated_at) || iso(shutdown_deadline), 'its times, as in the registry')
FROM coord.peers WHERE instance_id = 'a';
SELECT is(last('expected_completion_at')::timestamptz - last('initiated_at')::timestamptz, '90 s', 'the deadline');
SELECT is(last('metadata')::jsonb, '{"b": [1, null, "\"é\""], "a": {}}', 'the notice''s own metadata');
SELECT is(last('subscriptions')::jsonb, to_jsonb(texts()), 'its subscriptions');
SELECT other.must('b', $$SELECT coord.drain('a', intent => 'maintenance', drain_timeout => '10 s')$$);
CALL hush();
SELECT is(concat_ws(' ', last('instance_id'), last('intent'), last('in_flight_count'), last('metadata')), 'a maintenance 5 {}', 'one on its behalf is its own');

-- Work
SELECT other.must('a', $$SELECT coord.join('a')$$);
SELECT other.must('a', format($$SELECT coord.assign('b', %L, 'e', token, 7) FROM coord.leader('e')$$, texts())) AS id \gset
CALL hush();
SELECT is((SELECT channel FROM heard ORDER BY n DESC LIMIT 1), channel('work_assignment'), 'work on its channel');
SELECT is(keys(), 'target_instance_id subscriptions source_instance_id assigned_at priority target_incarnation assignment_id election token',
  'its keys in their order');
SELECT is(types(), 'string array string string number number number string number', 'and their types');
SELECT is(concat_ws(' ', last('target_instance_id'), last('source_instance_id'), last('assigned_at'), last('priority'), last('target_incarnation'),
  last('assignment_id'), last('election'), last('token')),
  concat_ws(' ', 'b a', iso(assigned_at), 7, target_incarnation, :'id', 'e', token), 'its values, as in the registry') FROM coord.assignments;
SELECT is(last('subscriptions')::jsonb, to_jsonb(texts()), 'its list');

-- Sizes (field case 22): the longest that fits, a byte more, and far more
CREATE FUNCTION announce(pad text, subscriptions text[] DEFAULT '{}') RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM other.must('a', format('SELECT count(*) FROM coord.heartbeat(%L)', subscriptions));
  PERFORM other.must('a', format('SELECT coord.announce_shutdown(''graceful'', metadata => jsonb_build_object(''pad'', %L::text))', pad));
END
$$;
SELECT announce('');
CALL hush();
SELECT 7999 - bytes() AS room \gset
SELECT announce(repeat('x', :room));
CALL hush();
SELECT is(bytes() || COALESCE(last('truncated'), '-'), '7999-', 'whole, up to the last byte');
SELECT announce(repeat('x', :room + 1));
CALL hush();
SELECT is(keys() || (bytes() <= 7999), 'instance_id intent initiated_at expected_completion_at in_flight_count metadata incarnation truncatedtrue',
  'a byte more: without the list');
SELECT announce(repeat('x', :room + 3));
CALL hush();
SELECT is(keys() || (bytes() < 1000), 'instance_id intent initiated_at expected_completion_at in_flight_count incarnation truncatedtrue',
  'more than that saves: without metadata as well');
SELECT is(last('truncated') || json_typeof(raw::json -> 'truncated'), 'trueboolean', 'and says so') FROM heard ORDER BY n DESC LIMIT 1;
SELECT announce(repeat('é', :room / 2));
CALL hush();
SELECT ok(bytes() BETWEEN 7998 AND 7999, 'bytes count, not letters');
SELECT announce(repeat('é', :room / 2 + 1));
CALL hush();
SELECT is(last('truncated'), 'true', 'one letter more');
SELECT announce('short', ARRAY(SELECT 'subscription ' || i FROM generate_series(1, 5000) i));
CALL hush();
SELECT is(keys() || last('metadata'), 'instance_id intent initiated_at expected_completion_at in_flight_count metadata incarnation truncated{"pad": "short"}',
  'five thousand subscriptions: without the list only');
SELECT is(cardinality(subscriptions), 5000, 'the registry has it') FROM coord.peers WHERE instance_id = 'a';
SELECT announce(repeat('€', 33333), ARRAY(SELECT repeat('€', 100) || i FROM generate_series(1, 5000) i));
CALL hush();
SELECT is(last('truncated'), 'true', 'both, with 100 kB of metadata');
SELECT is(octet_length(shutdown_metadata ->> 'pad'), 99999, 'the registry has it all') FROM coord.peers WHERE instance_id = 'a';
DELETE FROM heard WHERE channel <> channel('heartbeat');
SELECT is(keys() || last('truncated'), 'instance_id timestamp in_flight_count is_leader load_factor incarnation truncatedtrue', 'a heartbeat without its list');
SELECT ok(max(octet_length(raw)) <= 7999, 'no payload is longer than a notification may be') FROM heard;
SELECT other.must('a', $$SELECT coord.join('a')$$);
SELECT other.must('a', format($$SELECT coord.assign('b', %L, 'e', token) FROM coord.leader('e')$$,
  ARRAY(SELECT 'é' || i FROM generate_series(1, 5000) i))) AS id \gset
CALL hush();
SELECT is(keys(), 'target_instance_id source_instance_id assigned_at priority target_incarnation assignment_id election token truncated',
  'work without its list');
SELECT is(concat_ws(' ', last('truncated'), last('assignment_id'), last('token')), concat_ws(' ', 'true', assignment_id, token), 'with number and token')
FROM coord.assignments WHERE assignment_id = :id AND cardinality(subscriptions) = 5000;

-- The longest names, of letters that JSON has to escape
SELECT other.must('b', 'SELECT coord.leave()');
SELECT other.must('b', format('SELECT coord.join(%L)', repeat(E'"\\', 98) || '😀'));
SELECT is(other.must('b', format('SELECT leader IS NOT NULL FROM coord.campaign(%L)', repeat(E'\\"', 100))), 't', 'names of 200 bytes');
SELECT other.must('b', format('SELECT coord.assign(%L, ''{s}'', %L, token) FROM coord.leader(%2$L)', repeat(E'"\\', 98) || '😀', repeat(E'\\"', 100)));
CALL hush();
SELECT is(last('target_instance_id') || last('source_instance_id') || last('election') || last('subscriptions'),
  repeat(repeat(E'"\\', 98) || '😀', 2) || repeat(E'\\"', 100) || '["s"]', 'arrive whole');

SELECT * FROM finish();
