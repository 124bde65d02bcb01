-- What members that leave, have left or were lost ran, and nobody healthy of their group does.
SELECT plan(29);
\ir support/sessions.sql
CREATE FUNCTION join(session text, subscriptions text[], member_group text DEFAULT 'default', timeout interval DEFAULT '1 min') RETURNS bigint
LANGUAGE plpgsql AS $$
BEGIN
  PERFORM other.open(session) WHERE session <> ALL (COALESCE(dblink_get_connections(), '{}'));
  RETURN other.must(session, format('SELECT coord.join(%L, %L, %L, heartbeat_timeout => %L)', session, member_group, subscriptions, timeout));
END
$$;
CREATE FUNCTION orphans(of_group text DEFAULT 'default') RETURNS text LANGUAGE sql AS $$
  SELECT string_agg(concat_ws(' ', instance_id, subscription, status), ', ' ORDER BY instance_id, subscription)
  FROM coord.orphaned_subscriptions WHERE member_group = of_group
$$;
CREATE FUNCTION status(instance text) RETURNS text LANGUAGE sql AS $$ SELECT status FROM coord.peers WHERE instance_id = instance $$;
CREATE FUNCTION announce(session text, span interval) RETURNS timestamptz LANGUAGE sql AS $$
  SELECT other.must(session, format('SELECT coord.announce_shutdown(''graceful'', %L)', span))::timestamptz
$$;

-- Healthy
SELECT join('a', '{orders,bills,orders}');
SELECT is(orphans(), NULL, 'a healthy member''s are not orphaned');

-- Draining, and until when; terminated
SELECT announce('a', '1 min') AS deadline \gset
SELECT is(orphans(), 'a bills draining, a orders draining', 'a draining one''s are, each once');
SELECT is(array_agg(DISTINCT available_at), ARRAY[:'deadline'::timestamptz], 'and will be free at its deadline') FROM coord.orphaned_subscriptions;
SELECT announce('a', '0');
SELECT is(orphans(), 'a bills terminated, a orders terminated', 'terminated');
SELECT is((SELECT count(available_at) FROM coord.orphaned_subscriptions), 0::bigint, 'free already');
SELECT other.must('a', 'SELECT coord.leave()');
SELECT is(orphans(), 'a bills terminated, a orders terminated', 'and when it has left');
SELECT join('a', '{bills}');
SELECT is(orphans(), NULL, 'until it is back');
SELECT other.must('a', 'SELECT coord.leave()');
SELECT is(orphans(), NULL, 'whoever leaves without a notice leaves nothing behind');

-- Silent, dead, forgotten
SELECT join('a', '{bills}', timeout => '1 s');
SELECT ok(other.wait_for('orphans() = ''a bills stale'''), 'silent');
SELECT is((SELECT count(available_at) FROM coord.orphaned_subscriptions), 0::bigint, 'free at once');
SELECT other.must('a', 'SELECT count(*) FROM coord.heartbeat()');
SELECT is(orphans(), NULL, 'not any more: it is back');
SELECT other.close('a');
SELECT ok(other.wait_for('(SELECT session_pid IS NULL FROM coord.peers)'), 'its session ends');
SELECT is(orphans(), 'a bills stale', 'dead');
SELECT join('w', '{}', timeout => '1 day');
SELECT is(other.must('w', $$SELECT coord.remove_member('a')$$), 't', 'it is forgotten');
SELECT is(orphans(), NULL, 'with what it ran');

-- Taken over: by somebody healthy of the same group, and by nobody else
SELECT join('a', '{orders,bills,mails}');
SELECT announce('a', '1 min');
SELECT join('b', '{bills}');
SELECT is(orphans(), 'a mails draining, a orders draining', 'what b runs is not orphaned');
SELECT other.must('b', $$SELECT count(*) FROM coord.heartbeat('{bills,mails,orders}')$$);
SELECT is(orphans(), NULL, 'b runs it all');
SELECT join('g', '{orders}', 'g');
SELECT other.must('b', $$SELECT count(*) FROM coord.heartbeat('{}')$$);
SELECT is(orphans(), 'a bills draining, a mails draining, a orders draining', 'another group''s member does not count');
SELECT announce('g', '1 min');
SELECT is(orphans('g'), 'g orders draining', 'its own group has its own orphans');
SELECT other.must('b', $$SELECT count(*) FROM coord.heartbeat('{orders}')$$);
SELECT is(orphans('g') || orphans(), 'g orders draininga bills draining, a mails draining', 'nor does b over there');
SELECT announce('b', '0');
SELECT is(orphans(), 'a bills draining, a mails draining, a orders draining, b orders terminated', 'b has left as well: both are told');

-- An empty list hides nothing and adds nothing (W24)
SELECT other.must('a', $$SELECT count(*) FROM coord.heartbeat('{}')$$);
SELECT is(orphans(), 'b orders terminated', 'a says that it runs nothing any more');
SELECT other.must('a', $$SELECT count(*) FROM coord.heartbeat()$$);
SELECT is(orphans(), 'b orders terminated', 'a heartbeat without a list leaves it so');

-- Texts of every kind
SELECT other.must('a', format('SELECT count(*) FROM coord.heartbeat(%L)', ARRAY[E'\' " \\ €\U0001F600', 'x; DROP TABLE', '', 'Orders', 'orders']));
SELECT is((SELECT count(*) FROM coord.orphaned_subscriptions WHERE instance_id = 'a'
  AND subscription = ANY (ARRAY[E'\' " \\ €\U0001F600', 'x; DROP TABLE', '', 'Orders', 'orders'])), 5::bigint, 'as they are, by every letter');

-- Many
SELECT join('many', ARRAY(SELECT 's' || i FROM generate_series(1, 5000) i));
SELECT announce('many', '1 min');
SELECT join('half', ARRAY(SELECT 's' || i FROM generate_series(1, 5000, 2) i));
SELECT clock_timestamp() AS asked \gset
SELECT is(count(*), 2500::bigint, 'five thousand, half of them taken over') FROM coord.orphaned_subscriptions WHERE instance_id = 'many';
SELECT cmp_ok(clock_timestamp() - :'asked', '<', interval '2 s', 'in no time');
SELECT other.must('half', format('SELECT count(*) FROM coord.heartbeat(%L)', ARRAY(SELECT 's' || i FROM generate_series(1, 5000) i)));
SELECT is(count(*), 0::bigint, 'all of them') FROM coord.orphaned_subscriptions WHERE instance_id = 'many';
SELECT join('half', '{}');
SELECT is(count(*), 5000::bigint, 'none of them') FROM coord.orphaned_subscriptions WHERE instance_id = 'many';
SELECT is((SELECT count(*) FROM coord.peers WHERE instance_id = 'many' AND cardinality(subscriptions) = 5000), 1::bigint, 'the peer shows its list whole');

SELECT * FROM finish();
