-- Field case 76: a member that comes and goes moves nothing of those who stay, and the same history gives the same owners.
SELECT plan(13);
\ir support/sessions.sql
CREATE VIEW owner AS SELECT string_agg(concat(election, ' ', leader), ',' ORDER BY election) AS of_all FROM coord.elections;
CREATE FUNCTION campaign_for_all(session text, priority int) RETURNS text LANGUAGE sql AS $$
  SELECT other.must(session, format('SELECT count(*) FROM generate_series(1, 100) i, coord.campaign(''item '' || i, %s) l WHERE l.is_leader', priority))
$$;
SELECT other.join('m' || i) FROM generate_series(1, 10) i;
SELECT is((SELECT string_agg(other.must('m' || i, format('SELECT count(*) FROM generate_series(%s, %s) i, coord.campaign(''item '' || i) l WHERE l.is_leader',
  10 * i - 9, 10 * i)), ',' ORDER BY i) FROM generate_series(1, 10) i), '10,10,10,10,10,10,10,10,10,10', 'ten members own ten items each');
SELECT of_all FROM owner \gset

SELECT other.open('flapper');
CREATE FUNCTION flap(priority int) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  won text;
BEGIN
  PERFORM other.must('flapper', $q$SELECT coord.join('flapper')$q$);
  won := campaign_for_all('flapper', priority);
  PERFORM other.must('flapper', 'SELECT coord.leave()');
  RETURN won;
END
$$;
SELECT is((SELECT string_agg(flap(i * 100), ',') FROM generate_series(-4, 5) i), '0,0,0,0,0,0,0,0,0,0', 'an eleventh comes and goes, and wants everything');
SELECT is(of_all, :'of_all', 'nothing has moved') FROM owner;
SELECT is((SELECT count(*) FROM coord.leadership_log), 100::bigint, 'not even for a moment');
SELECT is((SELECT count(*) FROM coord.candidates), 0::bigint, 'it leaves no place in a queue');

-- It stays, and gets what becomes free: no more.
SELECT ok(other.must('flapper', $$SELECT coord.join('flapper')$$)::bigint > 0, 'it stays');
SELECT is(campaign_for_all('flapper', 0), '0', 'and waits');
SELECT is(other.must('m3', 'SELECT coord.leave()'), 't', 'one of the ten leaves');
SELECT is((SELECT string_agg(election, ',' ORDER BY election) FROM coord.elections WHERE leader = 'flapper'),
  (SELECT string_agg('item ' || i, ',' ORDER BY 'item ' || i) FROM generate_series(21, 30) i), 'its ten items move to the one that waits');
SELECT is((SELECT count(*) FROM coord.leadership_log), 110::bigint, 'each once, and nothing else does');

-- Its end moves those back to whoever is first in the queue, each once.
SELECT is(campaign_for_all('m1', 0) || ' ' || campaign_for_all('m2', 0), '10 10', 'two others queue');
SELECT is(other.must('flapper', 'SELECT coord.leave()'), 't', 'it leaves');
SELECT is((SELECT count(*) FROM coord.elections WHERE leader = 'm1') || ' ' || (SELECT count(*) FROM coord.leadership_log), '20 120', 'the first of them has them all');

SELECT * FROM finish();
