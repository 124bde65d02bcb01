-- Another history of the same registry: tokens go on rising, and its rows are not believed.
SELECT plan(24);
\ir support/sessions.sql
CREATE FUNCTION unused(database text) RETURNS boolean LANGUAGE sql AS $$
  SELECT NOT EXISTS (SELECT FROM pg_stat_activity WHERE datname = database)
$$;
SELECT other.join('a');
SELECT is(coord._current_epoch(), 0, 'no epoch before the first grant');
SELECT is(other.campaign('a', 'e') || other.must('a', $$SELECT coord.resign('e')$$) || other.campaign('a', 'e'), 'ata', 'a leads');
SELECT is(coord._current_epoch(), epoch, 'the epoch of its token is in force') FROM coord.leader('e');
SELECT epoch, term, token FROM coord.leader('e') \gset

-- Dumped and restored: the rows that pg_dump carries, in a registry with other tables.
CREATE DATABASE pgtap_restored;
SELECT other.open('r', 'pgtap_restored');
SELECT dblink_exec('r', 'CREATE EXTENSION pg_coord; CREATE EXTENSION dblink');
SELECT dblink_exec('r', format('INSERT INTO coord.%I SELECT (r).* FROM dblink(%L, %L) AS t (r coord.%1$I)', relname,
  other.conninfo(), format('SELECT t FROM coord.%I t', relname))) FROM unnest('{_epoch,_election}'::text[]) relname;
SELECT is(other.must('r', 'SELECT leader FROM coord._election'), 'a', 'the row names a leader whose session lives');
SELECT is(other.must('r', $$SELECT count(*) FROM coord.leader('e')$$), '0', 'but nobody leads here');
SELECT is(other.must('r', 'SELECT leader FROM coord.elections'), NULL, 'as the view says');
SELECT is(other.must('r', 'SELECT coord._current_epoch()'), '0', 'no epoch is in force yet');
SELECT is(other.run('r', format('SELECT coord.fence(''e'', %s)', :token)), 'PC002', 'the old token is worth nothing here');
SELECT other.must('r', $$SELECT coord.join('r')$$);
SELECT is(other.campaign('r', 'e'), 'r', 'r leads');
SELECT is(other.must('r', $$SELECT (epoch, term) FROM coord.leader('e')$$), format('(%s,%s)', :epoch + 1, :term + 1),
  'in the next epoch and the next term');
SELECT ok(other.must('r', $$SELECT token FROM coord.leader('e')$$)::bigint > :token, 'with a greater token');
SELECT is(other.campaign('r', 'new') || other.must('r', $$SELECT (epoch, term) FROM coord.leader('new')$$),
  format('r(%s,1)', :epoch + 1), 'the epoch is that of the registry, not of one election');
SELECT is(token, :token::bigint, 'where it came from, nothing changed') FROM coord.leader('e');

-- Copied: the same object ids in another database.
SELECT other.close('r');
SELECT ok(other.wait_for('unused(''pgtap_restored'')'), 'the original is at rest');
CREATE DATABASE pgtap_cloned TEMPLATE pgtap_restored;
SELECT other.open('r', 'pgtap_restored');
SELECT other.open('c', 'pgtap_cloned');
SELECT other.must('r', $$SELECT coord.join('r')$$);
SELECT other.must('c', $$SELECT coord.join('c')$$);
SELECT is(other.campaign('r', 'e') || other.campaign('c', 'e'), 'rc', 'both have a leader');
SELECT is(other.must('r', $$SELECT epoch FROM coord.leader('e')$$)::int, :epoch + 1, 'the original keeps its epoch');
SELECT is(other.must('c', $$SELECT epoch FROM coord.leader('e')$$)::int, :epoch + 2, 'the copy has one of its own');

-- Nor do tokens start again for what an administrator does to the tables.
SELECT other.must('c', $$SELECT token FROM coord.leader('e')$$) AS token \gset
SELECT is(other.must('c', $$SELECT coord.resign('e')$$) || other.campaign('c', 'e'), 'tc', 'c resigns and leads again');
SELECT is(other.must('c', $$SELECT token FROM coord.leader('e')$$)::bigint, :token + 1, 'the token rises by one');
SELECT dblink_exec('c', 'VACUUM FULL coord._election');
SELECT dblink_exec('c', 'VACUUM FULL coord._epoch');
SELECT is(other.must('c', $$SELECT coord.resign('e')$$) || other.campaign('c', 'e'), 'tc', 'once more, after VACUUM FULL');
SELECT is(other.must('c', $$SELECT token FROM coord.leader('e')$$)::bigint, :token + 2, 'it goes on rising');
SELECT dblink_exec('c', 'DELETE FROM coord._election');
SELECT is(other.run('c', format('SELECT coord.fence(''e'', %s)', :token + 2)), 'PC002', 'a row that was deleted ends its term');
SELECT is(other.campaign('c', 'e') || (other.must('c', $$SELECT token FROM coord.leader('e')$$)::bigint - :token), 'c3', 'and the next goes on after it');
SELECT is(other.must('c', 'SELECT coord._current_epoch()')::int, :epoch + 2, 'in the same epoch');

SELECT * FROM finish();
SELECT other.close('r'), other.close('c');
DROP DATABASE pgtap_restored;
DROP DATABASE pgtap_cloned;
