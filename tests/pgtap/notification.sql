-- What is told on which channel, and what is not.
SELECT plan(29);
\ir support/sessions.sql
\ir support/ear.sql
SELECT listen('__eventsource_coordination.leader',
  '__eventsource_coordination.leader.g', '__eventsource_coordination.leader.' || repeat('x', 29),
  '__eventsource_coordination.leader.' || left(encode(sha256(convert_to(repeat('é', 15), 'UTF8')), 'hex'), 24));
SELECT other.join('a');
SELECT other.join('b');

-- A first term
SELECT is(other.campaign('a', 'e'), 'a', 'a leads');
CALL hush();
SELECT is((SELECT count(*) FROM heard), 1::bigint, 'one notification');
SELECT is(channel, '__eventsource_coordination.leader', 'on the channel of the group "default"') FROM heard;
SELECT is((SELECT string_agg(key, ' ' ORDER BY key COLLATE "C") FROM heard, jsonb_object_keys(payload) key),
  'at cause election epoch event_id leader previous term token', 'with these keys');
SELECT is(last('election') || last('leader') || last('cause') || last('term'), 'eaelected1', 'what happened');
SELECT is(last('previous'), NULL, 'nobody led before');
SELECT is(last('token'), token::text, 'its token') FROM coord.leader('e');
SELECT is(last('event_id')::bigint, event_id, 'its number in the log') FROM coord.leadership_log;
SELECT is(last('at')::timestamptz, at, 'its time, as in the log') FROM coord.leadership_log;
SELECT matches(last('at'), '^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{6})?\+00:00$', 'in UTC, with six digits or none');
SELECT is(jsonb_typeof(payload -> 'epoch') || jsonb_typeof(payload -> 'term') || jsonb_typeof(payload -> 'token')
  || jsonb_typeof(payload -> 'event_id'), 'numbernumbernumbernumber', 'numbers are numbers') FROM heard;

-- No news
TRUNCATE heard;
SELECT other.campaign('a', 'e');
SELECT other.campaign('b', 'e');
SELECT other.campaign('b', 'e', 5);
SELECT other.must('a', $$SELECT count(*) FROM coord.heartbeat('{x}', 1, 1)$$);
SELECT other.must('b', $$SELECT leader FROM coord.try_acquire('e')$$);
SELECT other.run('b', $$SELECT leader || 1 / (term - 1) FROM coord.campaign('rolled back')$$);
CALL hush();
SELECT is((SELECT count(*) FROM heard), 0::bigint, 'what changes nothing, or is rolled back, is not told');

-- Handed over; ended without a successor
SELECT other.must('a', $$SELECT coord.resign('e')$$);
SELECT other.must('b', $$SELECT coord.resign('e')$$);
CALL hush();
SELECT is((SELECT string_agg(concat_ws(' ', payload ->> 'previous', COALESCE(payload ->> 'leader', '-'), payload ->> 'cause'), ', ' ORDER BY n)
  FROM heard), 'a b resigned, b - resigned', 'one each, in order');

-- Groups: those of the former and of the new leader are told
TRUNCATE heard;
SELECT other.open('g');
SELECT other.must('g', $$SELECT coord.join('in g', 'g')$$);
SELECT is(other.campaign('g', 'e'), 'in g', 'one of another group leads');
CALL hush();
SELECT is((SELECT string_agg(channel, ',') FROM heard), '__eventsource_coordination.leader.g', 'its group is told');
SELECT is(other.campaign('a', 'e') || other.must('g', $$SELECT coord.resign('e')$$), 'in gt', 'it hands over to the group "default"');
CALL hush();
SELECT is((SELECT string_agg(channel, ',' ORDER BY channel COLLATE "C") FROM heard WHERE payload ->> 'leader' = 'a'),
  '__eventsource_coordination.leader,__eventsource_coordination.leader.g', 'both are told');

-- Long groups: as they are up to 63 bytes, hashed above
TRUNCATE heard;
SELECT other.open('h');
SELECT other.must('h', format('SELECT coord.join(%L, %L)', 'h', repeat('x', 29)));
SELECT other.campaign('h', 'long');
SELECT other.must('h', 'SELECT coord.leave()');
SELECT other.must('h', format('SELECT coord.join(%L, %L)', 'h', repeat('é', 15)));
SELECT other.campaign('h', 'longer');
CALL hush();
SELECT is((SELECT string_agg(DISTINCT channel, ' ') FROM heard WHERE payload ->> 'election' = 'long'),
  '__eventsource_coordination.leader.' || repeat('x', 29), 'a channel of 63 bytes');
SELECT is((SELECT string_agg(channel, ' ') FROM heard WHERE payload ->> 'election' = 'longer'),
  '__eventsource_coordination.leader.' || left(encode(sha256(convert_to(repeat('é', 15), 'UTF8')), 'hex'), 24), 'a hashed one');

-- Names that JSON has to escape
TRUNCATE heard;
SELECT other.must('a', 'SELECT coord.leave()');
SELECT other.must('a', format('SELECT coord.join(%L)', E'"a\\'' €\U0001F600'));
SELECT other.must('a', format('SELECT leader FROM coord.campaign(%L)', E'}"\\,'));
CALL hush();
SELECT is(last('leader') || last('election'), E'"a\\'' €\U0001F600}"\\,', 'arrive as they are');

-- The end of a session
TRUNCATE heard;
SELECT other.campaign('b', E'}"\\,');
SELECT other.close('a');
SELECT ok(heard(1), 'a session''s end is told');
SELECT is(last('leader') || last('cause'), 'bsession_end', 'with the one who leads now');

-- An exit path that finds a change under way names the one to look after it, and does not touch the election.
SELECT other.join('k');
SELECT is(other.campaign('k', 'busy') || other.campaign('b', 'busy'), 'kk', 'k leads, b is next');
CALL hush();
TRUNCATE heard;
SELECT other.open('keeper');
SELECT other.must('keeper', 'SELECT pg_advisory_lock(30)');
SELECT other.join('c');
SELECT dblink_send_query('c', $$SELECT (coord.campaign('busy')).leader, set_config('lock_timeout', '0', true), pg_advisory_lock(30)$$);
SELECT ok(other.wait_for('EXISTS (SELECT FROM pg_locks WHERE locktype = ''advisory'' AND NOT granted)'), 'c''s campaign is under way');
SELECT ok(pg_terminate_backend(other.pid('k'), 1000), 'k ends without waiting for it');
SELECT ok(heard(1), 'it is told all the same');
SELECT is(concat_ws(' ', COALESCE(last('leader'), '-'), last('previous'), last('successor'), last('cause'), COALESCE(last('event_id'), '-')),
  '- k b session_end -', 'nobody leads, b is to campaign at once, nothing was logged');
SELECT other.must('keeper', 'SELECT pg_advisory_unlock(30)');
SELECT ok(other.wait_for('dblink_is_busy(''c'') = 0'), 'c is told who leads');
SELECT is(other.campaign('b', 'busy'), 'b', 'b campaigns, and leads');

SELECT * FROM finish();
