-- A change of the registry is a statement of its own; reads run anywhere.
SELECT coord.join('a') > 0 AS joined;
SELECT token FROM coord.campaign('regress_block') \gset
CREATE VIEW regress_block_state AS
SELECT (SELECT count(*) FROM coord.elections) AS elections, (SELECT count(*) FROM coord.candidates) AS candidates,
  (SELECT count(*) FROM coord.peers WHERE shutdown_intent IS NULL) AS peers,
  (SELECT count(*) FROM coord.assignments) AS assignments, (SELECT max(event_id) FROM coord.leadership_log) AS event;
SELECT * FROM regress_block_state \gset before_

CREATE TABLE regress_block_call (position int, call text);
INSERT INTO regress_block_call VALUES
  (1, 'coord.join(''a'')'), (2, 'coord.heartbeat()'), (3, 'coord.campaign(''regress_block_too'')'),
  (4, 'coord.try_acquire(''regress_block_too'')'), (5, 'coord.resign(''regress_block'')'),
  (6, 'coord.withdraw(''regress_block'')'), (7, 'coord.depose(''regress_block'')'), (8, 'coord.sweep()'),
  (9, 'coord.leave()'), (10, 'coord.announce_shutdown(''graceful'')'), (11, 'coord.drain(''a'')'),
  (12, 'coord.remove_member(''a'')'), (13, 'coord.assign(''a'', ''{s}'', ''regress_block'', 1)');

-- An explicit block.
BEGIN;
SELECT coord.campaign('regress_block_too');
ROLLBACK;
\set VERBOSITY terse
BEGIN;
SAVEPOINT before;
SELECT format('SELECT %s', call), 'ROLLBACK TO before' FROM regress_block_call ORDER BY position \gexec
COMMIT;

-- Several statements in one message, first and last.
SELECT coord.campaign('regress_block_too') \; SELECT 1;
\echo :SQLSTATE
SELECT 1 \; SELECT coord.campaign('regress_block_too');
\echo :SQLSTATE

-- A block with EXCEPTION in PL/pgSQL is a subtransaction.
CREATE FUNCTION regress_block_try(call text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE format('SELECT %s', call);
  RETURN 'done';
EXCEPTION WHEN OTHERS THEN
  RETURN SQLSTATE;
END
$$;
SELECT call, regress_block_try(call) FROM regress_block_call ORDER BY position;

-- A function or a procedure inside a block is inside the block.
CREATE FUNCTION regress_block_function() RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM coord.campaign('regress_block_too');
END
$$;
CREATE PROCEDURE regress_block_procedure() LANGUAGE plpgsql AS $$
BEGIN
  PERFORM coord.campaign('regress_block_too');
  COMMIT;
END
$$;
BEGIN;
SELECT regress_block_function();
\echo :SQLSTATE
ROLLBACK;
BEGIN;
CALL regress_block_procedure();
\echo :SQLSTATE
ROLLBACK;

-- Nothing of all this left a trace.
SELECT (s.elections, s.candidates, s.peers, s.assignments, s.event) =
  (:before_elections, :before_candidates, :before_peers, :before_assignments, :before_event) AS untouched
FROM regress_block_state s;
SELECT leader, is_leader FROM coord.leader('regress_block');

-- By itself a function or a procedure is one statement.
CALL regress_block_procedure();
SELECT leader, is_leader FROM coord.leader('regress_block_too');
SELECT coord.resign('regress_block_too');
SELECT regress_block_function();
SELECT leader, is_leader FROM coord.leader('regress_block_too');
-- One that fails afterwards has granted nothing.
SELECT coord.resign('regress_block_too');
SELECT term FROM coord.elections WHERE election = 'regress_block_too' \gset
SELECT (coord.campaign('regress_block_too')).leader, 1 / (term - :term) FROM coord.elections WHERE election = 'regress_block_too';
SELECT count(*) AS leaders FROM coord.leader('regress_block_too');
SELECT term - :term AS terms_later FROM coord.campaign('regress_block_too');

-- In a parallel plan, by a wrapper that claims to be safe there.
CREATE FUNCTION regress_block_safe(call text) RETURNS text LANGUAGE plpgsql PARALLEL SAFE AS $$
BEGIN
  EXECUTE format('SELECT %s', call);
  RETURN call;
END
$$;
BEGIN;
SET LOCAL parallel_setup_cost = 0;
SET LOCAL parallel_tuple_cost = 0;
SET LOCAL min_parallel_table_scan_size = 0;
SET LOCAL parallel_leader_participation = off;
EXPLAIN (COSTS OFF) SELECT regress_block_safe('coord.heartbeat()') FROM regress_block_call;
SAVEPOINT before;
SELECT regress_block_safe('coord.heartbeat()') FROM regress_block_call;
\echo :SQLSTATE
ROLLBACK TO before;
SELECT regress_block_safe('coord.fence(''regress_block'', 1)') FROM regress_block_call;
\echo :SQLSTATE
ROLLBACK;

-- Fences and reads.
BEGIN;
SELECT coord.fence('regress_block', :token);
SELECT leader, is_leader FROM coord.leader('regress_block');
SELECT leader FROM coord.elections WHERE election = 'regress_block';
SELECT instance_id, status FROM coord.peers WHERE session_pid = pg_backend_pid();
SELECT count(*) FROM coord.candidates;
SELECT count(*) FROM coord.orphaned_subscriptions;
SELECT count(*) FROM coord.assignments;
SELECT coord.lock_key('k1');
COMMIT;

-- Read-only sessions can read.
\set VERBOSITY default
SET default_transaction_read_only = on;
SELECT coord.campaign('regress_block_too');
\set VERBOSITY terse
SELECT format('SELECT %s', call) FROM regress_block_call ORDER BY position \gexec
SELECT coord.sweep();
\echo :SQLSTATE
SET default_transaction_isolation = serializable;
SET default_transaction_deferrable = on;
SELECT coord.heartbeat();
\echo :SQLSTATE
SELECT leader, is_leader FROM coord.leader('regress_block');
SELECT leader FROM coord.elections WHERE election = 'regress_block';
SELECT instance_id, status FROM coord.peers WHERE session_pid = pg_backend_pid();
SELECT coord.fence('regress_block', :token);
RESET default_transaction_read_only;
RESET default_transaction_deferrable;

-- Whatever isolation level the administrator chose.
SHOW transaction_isolation;
SELECT count(*) AS led FROM coord.heartbeat();
SELECT coord.resign('regress_block');
SELECT leader, is_leader FROM coord.try_acquire('regress_block');
SELECT coord.depose('regress_block');
SELECT leader, is_leader FROM coord.campaign('regress_block');
SELECT coord.withdraw('regress_block');
SELECT coord.sweep() > '0' AS swept;
SELECT coord.leave();
SET default_transaction_isolation = 'repeatable read';
SELECT coord.join('a') > 0 AS joined;
SELECT leader, is_leader FROM coord.campaign('regress_block');
SELECT count(*) AS led FROM coord.heartbeat();
SELECT coord.leave();
RESET default_transaction_isolation;

DROP FUNCTION regress_block_function, regress_block_try, regress_block_safe;
DROP PROCEDURE regress_block_procedure;
DROP VIEW regress_block_state;
DROP TABLE regress_block_call;
