-- Nobody leads, nobody lives, no token is good. overtaken: a token that the old cluster granted afterwards.
\ir outcome.sql
SELECT 'the registry knows of elections', count(*) >= 4, true FROM coord.elections;
SELECT 'the journal knows of terms', count(*) >= 5, true FROM coord.leadership_log;
SELECT 'nobody leads', count(*), 0 FROM coord.elections AS e, LATERAL coord.leader(e.election);
SELECT 'nobody leads, says the view', count(*), 0 FROM coord.elections WHERE leader IS NOT NULL OR candidates > 0;
SELECT 'nobody waits', count(*), 0 FROM coord.candidates;
SELECT 'no member lives', count(*), 0 FROM coord.peers WHERE status NOT IN ('stale', 'terminated') OR session_pid IS NOT NULL OR leads;
SELECT 'members are remembered', count(*) > 0, true FROM coord.peers;
SELECT 'what they ran is orphaned', count(*), 2 FROM coord.orphaned_subscriptions WHERE subscription IN ('orders', 'invoices');
SELECT 'it is on no history that the registry knows', coord._current_epoch(), 0;
SELECT 'no token fences anything', pg_temp.fences(:overtaken), 'PC002';
SELECT 'guarded: ' || statement, pg_temp.outcome(statement), 'PC002' FROM unnest(ARRAY[
  'INSERT INTO written VALUES (1)', 'UPDATE written SET token = 1', 'DELETE FROM written', 'TRUNCATE written',
  'INSERT INTO parts VALUES (1, 1)', 'DELETE FROM parts_first', 'TRUNCATE parts']) AS statement;
