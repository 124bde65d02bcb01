-- Work handed out by a leader: fenced, numbered in order, and for one incarnation of a healthy member.
SELECT plan(38);
\ir support/sessions.sql
CREATE FUNCTION token(election text) RETURNS bigint LANGUAGE sql AS $$ SELECT token FROM coord.leader(election) $$;
CREATE FUNCTION assign(session text, target text, election text, token bigint, subscriptions text[] DEFAULT '{s}', priority int DEFAULT 0)
RETURNS text LANGUAGE sql AS $$
  SELECT other.run(session, format('SELECT coord.assign(%L, %L, %L, %s, %s)', target, subscriptions, election, token, priority))
$$;
CREATE FUNCTION assigned(instance text) RETURNS bigint LANGUAGE sql AS $$
  SELECT count(*) FROM coord.assignments WHERE target_instance_id = instance
$$;
CREATE FUNCTION status(instance text) RETURNS text LANGUAGE sql AS $$ SELECT status FROM coord.peers WHERE instance_id = instance $$;
SELECT other.join(name, '1 day') FROM unnest('{a,b,c}'::text[]) name;
SELECT is(other.campaign('a', 'e') || other.campaign('b', 'e') || other.campaign('b', 'f'), 'aab', 'a leads e, b is next; b leads f');
SELECT token('e') AS token \gset

-- Only under the term in force, only by the one who leads it
SELECT assign('a', 'c', 'e', :token, '{orders,bills,orders}', 7) AS first \gset
SELECT is(concat_ws(' ', target_instance_id, source_instance_id, subscriptions, priority, election, token, member_group),
  'c a {orders,bills,orders} 7 e ' || :token || ' default', 'what was assigned, as it was said') FROM coord.assignments;
SELECT is(target_incarnation, incarnation, 'to this incarnation') FROM coord.assignments, coord.peers WHERE instance_id = 'c';
SELECT ok(assigned_at BETWEEN joined_at AND clock_timestamp(), 'by the server''s clock') FROM coord.assignments, coord.peers WHERE instance_id = 'c';
SELECT is(assign('b', 'c', 'e', :token), 'PC005', 'the token alone does not make a leader');
SELECT is(assign('a', 'c', 'e', :token - 1) || assign('a', 'c', 'e', :token + 1) || assign('a', 'c', 'none', :token), 'PC002PC002PC002',
  'nor does leading without its token');
SELECT is(assign('a', 'c', 'f', token('f')), 'PC005', 'nor does leading something else');
SELECT ok(assign('a', 'b', 'e', :token)::bigint > :first AND assign('a', 'a', 'e', :token)::bigint > :first, 'a healthy peer, or itself');
SELECT is(assigned('c') || ',' || assigned('b') || ',' || assigned('a'), '1,1,1', 'each has its own');

-- Numbers rise, per target: a cursor misses nothing.
SELECT string_agg(assign('a', 'c', 'e', :token, ARRAY['n' || i]), ',' ORDER BY i) AS numbers FROM generate_series(1, 20) i \gset
SELECT is((SELECT string_agg(assignment_id::text, ',' ORDER BY assigned_at, assignment_id) FROM coord.assignments
  WHERE target_instance_id = 'c' AND assignment_id > :first), :'numbers', 'in the order of the calls');
SELECT is((SELECT string_agg(subscriptions[1], ',' ORDER BY assignment_id) FROM coord.assignments
  WHERE target_instance_id = 'c' AND assignment_id > :first), (SELECT string_agg('n' || i, ',' ORDER BY i) FROM generate_series(1, 20) i),
  'with what each said');
SELECT is(other.run('a', format($$SELECT coord.assign('c', '{undone}', 'e', %s) / 0$$, :token)), '22012', 'one that is rolled back');
SELECT is(assigned('c'), 21::bigint, 'was none');

-- Five thousand subscriptions, and texts of every kind
SELECT ok(assign('a', 'b', 'e', :token, ARRAY(SELECT 'subscription ' || i FROM generate_series(1, 5000) i))::bigint > 0, 'a long list');
SELECT is(cardinality(subscriptions) || subscriptions[5000], '5000subscription 5000', 'is kept whole') FROM coord.assignments
WHERE target_instance_id = 'b' ORDER BY assignment_id DESC LIMIT 1;
SELECT assign('a', 'b', 'e', :token, ARRAY[E'\' " \\ $$ % \n\t €\U0001F600', 'x; DROP TABLE', '']);
SELECT is(subscriptions, ARRAY[E'\' " \\ $$ % \n\t €\U0001F600', 'x; DROP TABLE', ''], 'arrives as it is') FROM coord.assignments
WHERE target_instance_id = 'b' ORDER BY assignment_id DESC LIMIT 1;

-- To nobody but the healthy (field case 74)
SELECT is(assign('a', 'nobody', 'e', :token), 'PC001', 'an unknown one');
SELECT other.open('g');
SELECT other.must('g', $$SELECT coord.join('g', 'g')$$);
SELECT is(assign('a', 'g', 'e', :token), 'PC001', 'another group''s');
SELECT other.must('b', $$SELECT coord.announce_shutdown('graceful')$$);
SELECT is(assign('a', 'b', 'e', :token) || status('b'), 'PC001draining', 'a draining one');
SELECT other.must('b', $$SELECT coord.announce_shutdown('graceful', '0')$$);
SELECT is(assign('a', 'b', 'e', :token) || status('b'), 'PC001terminated', 'a terminated one');
SELECT other.join('b', '1 s');
SELECT ok(other.wait_for('status(''b'') = ''stale'''), 'b is silent');
SELECT is(assign('a', 'b', 'e', :token), 'PC001', 'a silent one');
SELECT other.join('d');
SELECT other.close('d');
SELECT ok(other.wait_for('status(''d'') = ''stale'''), 'd''s session ends');
SELECT is(assign('a', 'd', 'e', :token), 'PC001', 'a dead one');
SELECT other.join('b', '1 day');
SELECT other.must('a', $$SELECT coord.announce_shutdown('graceful')$$);
SELECT is(assign('a', 'a', 'e', :token), 'PC001', 'nor to itself, while it drains');
SELECT ok(assign('a', 'b', 'e', :token)::bigint > 0, 'a draining leader may still hand work out');
SELECT other.must('a', $$SELECT coord.announce_shutdown('graceful', '0')$$);
SELECT is(assign('a', 'b', 'e', :token), 'PC005', 'but not after its deadline, though nobody has taken over yet');

-- Handed over: the old token is worth nothing, whoever shows it; what it assigned stays.
SELECT other.join('a', '1 day');
SELECT is(other.campaign('b', 'e') || other.must('a', $$SELECT coord.resign('e')$$), 'at', 'b leads');
SELECT is(assign('a', 'c', 'e', :token) || assign('b', 'c', 'e', :token), 'PC002PC002', 'the old token');
SELECT is(assign('a', 'c', 'e', token('e')), 'PC005', 'the new one, from the old leader');
SELECT ok(assign('b', 'c', 'e', token('e'))::bigint > 0, 'from the new one');
SELECT is((SELECT count(DISTINCT token) || string_agg(DISTINCT source_instance_id, ',') FROM coord.assignments WHERE target_instance_id = 'c'), '2a,b',
  'every row says who, and under which token');

-- A new incarnation has nothing of the former one's (field case 77); the same session joining again keeps its own.
SELECT other.must('c', $$SELECT coord.join('c', heartbeat_timeout => '1 day')$$);
SELECT is(assigned('c'), 22::bigint, 'the same incarnation');
SELECT other.close('c');
SELECT ok(other.wait_for('status(''c'') = ''stale'''), 'its session ends');
SELECT other.join('c');
SELECT is(assigned('c'), 0::bigint, 'another incarnation');
SELECT assign('b', 'c', 'e', token('e')) AS new \gset
SELECT is((SELECT string_agg(assignment_id::text, ',') FROM coord.assignments WHERE target_instance_id = 'c'), :'new', 'gets work of its own');

-- Forgotten after their time, or with their target
SELECT dblink_exec('b', 'SET pg_coord.log_retention = ''7 d''');
UPDATE coord._assignment SET assigned_at = assigned_at - interval '7 days 1 minute' WHERE assignment_id = :new;
SELECT count(*) AS before FROM coord._assignment \gset
DO $$
BEGIN
  FOR round IN 1..40 LOOP
    PERFORM dblink_exec('b', 'DO ''BEGIN FOR i IN 1..100 LOOP PERFORM coord.sweep(); COMMIT; END LOOP; END''');
    EXIT WHEN (SELECT min(assigned_at) > clock_timestamp() - interval '7 days' FROM coord._assignment);
  END LOOP;
END
$$;
SELECT is((SELECT count(*) FROM coord._assignment WHERE target_instance_id = 'c'), 0::bigint, 'what is old is forgotten, and what is nobody''s any more');
SELECT ok(count(*) BETWEEN 1 AND :before - 23, 'the rest is not') FROM coord._assignment;

SELECT * FROM finish();
