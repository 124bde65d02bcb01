-- New terms stand above all that ever was; numbers go on.
\ir outcome.sql
SELECT greatest(max(token), :overtaken) AS highest FROM (SELECT token FROM coord.elections UNION SELECT token FROM coord.leadership_log) t \gset
SELECT max(incarnation) AS incarnation FROM (SELECT incarnation FROM coord._member UNION SELECT target_incarnation FROM coord._assignment) t \gset
SELECT max(event_id) AS event FROM coord.leadership_log \gset
SELECT max(assignment_id) AS assignment FROM coord._assignment \gset
SELECT count(*) AS journal FROM coord.leadership_log \gset
SELECT count(*) AS rows FROM written \gset

SELECT 'a member''s number is greater', coord.join('worker', subscriptions => '{orders}') > :incarnation, true;
SELECT format('SELECT %L, is_leader AND token > %s, true FROM coord.campaign(%L)',
  'leads at once, with a token greater than all before: ' || election, :highest, election) FROM coord.elections ORDER BY election \gexec
SELECT 'as well where nobody ever led', is_leader AND token > :highest, true FROM coord.campaign('new');
SELECT 'one leads', leader, 'worker' FROM coord.leader('x');
SELECT token FROM coord.leader('x') \gset

SELECT 'tokens of before fence nothing', string_agg(DISTINCT pg_temp.outcome(format('SELECT coord.fence(%L, %s)', election, token)), ' '), 'PC002'
FROM (SELECT election, token FROM coord.leadership_log WHERE event_id <= :event UNION SELECT 'x', :overtaken) AS known;
BEGIN;
SELECT coord.fence('x', :token) \g /dev/null
INSERT INTO written VALUES (:token, 'after');
INSERT INTO parts VALUES (:token, 2);
COMMIT;
SELECT 'a fenced write', count(*) - :rows, 1 FROM written;
SELECT 'one without a fence', pg_temp.outcome('INSERT INTO written VALUES (1)'), 'PC002';

SELECT 'the journal goes on', count(*) > :journal AND count(*) = (SELECT count(DISTINCT event_id) FROM coord.leadership_log), true FROM coord.leadership_log;
SELECT 'with greater numbers', min(event_id) > :event, true FROM coord.leadership_log WHERE token > :highest;
SELECT 'work has a greater number', coord.assign('worker', '{orders}', 'x', :token) > :assignment, true;
SELECT 'and is seen', subscriptions, '{orders}' FROM coord.assignments WHERE token = :token;
SELECT 'what has a healthy member again is no orphan', string_agg(DISTINCT subscription, ' ' ORDER BY subscription), 'mail' FROM coord.orphaned_subscriptions;
SELECT pg_advisory_lock(coord.lock_key('ключ')) \g /dev/null
SELECT 'the name of a lock is known', key, 'ключ' FROM coord.locks;
SELECT 'a lock is taken', coord.try_lock('a key'), true;
SELECT 'the version', extversion, default_version FROM pg_extension JOIN pg_available_extensions ON extname = name WHERE extname = 'pg_coord';
