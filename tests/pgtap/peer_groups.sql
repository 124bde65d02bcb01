-- Every group has channels of its own, each plain as long as it fits into 63 bytes, hashed above.
SELECT plan(18);
\ir support/sessions.sql
\ir support/ear.sql
-- By the words of the contract: the first 24 digits of the hash, or as many as fit.
CREATE FUNCTION channel(kind text, of_group text) RETURNS text LANGUAGE sql AS $$
  SELECT CASE WHEN octet_length(plain) <= 63 THEN plain
    ELSE base || '.' || left(encode(sha256(convert_to(of_group, 'UTF8')), 'hex'), least(24, 62 - octet_length(base))) END
  FROM (SELECT '__eventsource_coordination.' || kind AS base, '__eventsource_coordination.' || kind || '.' || of_group AS plain) c
$$;
CREATE TABLE kind AS SELECT * FROM unnest('{shutdown,heartbeat,work_assignment,member,leader}'::text[]) kind;
CREATE TABLE groups AS SELECT * FROM (VALUES (1, 'g'), (2, 'Orders-EU'), (3, 'orders-eu'), (4, 'with "quotes" and $$ blanks'), (5, repeat('x', 20)),
  (6, repeat('x', 21)), (7, repeat('x', 26)), (8, repeat('x', 27)), (9, repeat('x', 28)), (10, repeat('x', 30)), (11, repeat('é', 15)),
  (12, repeat('y', 80) || '1'), (13, repeat('y', 80) || '2'), (14, repeat('😀', 50)), (15, 'default.')) g (number, name);
SELECT listen('__eventsource_coordination.' || kind) FROM kind;
SELECT listen(channel(kind, name)) FROM kind, groups;
SELECT is((SELECT count(DISTINCT channel(kind, name)) FROM kind, groups), 5 * 15::bigint, 'they are all different');
SELECT is((SELECT max(octet_length(channel(kind, name))) FROM kind, groups), 63, 'and names that LISTEN does not cut');

-- Each group lives a life: every kind arrives once, on its own channel, and on no other.
SELECT other.open('m');
CREATE FUNCTION live(of_group text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM other.must('m', format('SELECT coord.join(''m'', %L)', of_group));
  PERFORM other.must('m', format('SELECT leader FROM coord.campaign(%L)', of_group));
  PERFORM other.must('m', 'SELECT count(*) FROM coord.heartbeat(publish => true)');
  PERFORM other.must('m', format('SELECT coord.assign(''m'', ''{s}'', %L, token) FROM coord.leader(%1$L)', of_group));
  PERFORM other.must('m', $q$SELECT coord.announce_shutdown('graceful')$q$);
  PERFORM other.must('m', format('SELECT coord.resign(%L)', of_group));
  PERFORM other.must('m', 'SELECT coord.leave()');
END
$$;
CREATE FUNCTION channels() RETURNS text LANGUAGE sql AS $$
  WITH taken AS (DELETE FROM heard RETURNING *) SELECT string_agg(channel, ' ' ORDER BY n) FROM taken
$$;
CREATE FUNCTION expected(of_group text) RETURNS text LANGUAGE sql AS $$
  SELECT string_agg(channel(kind, of_group), ' ' ORDER BY n) FROM unnest('{member,leader,heartbeat,work_assignment,shutdown,leader,member}'::text[])
    WITH ORDINALITY AS k (kind, n)
$$;
SELECT format('SELECT live(%L)', name), 'CALL hush()', format('SELECT is(channels(), expected(%L), %L)', name,
  'group ' || number || ', of ' || octet_length(name) || ' bytes') FROM groups ORDER BY number \gexec
SELECT live('default');
CALL hush();
SELECT is(replace(channels(), '__eventsource_coordination.', ''), 'member leader heartbeat work_assignment shutdown leader member',
  'the group "default" has the plain names');

SELECT * FROM finish();
