\if :warm = 0
SELECT coord.try_lock(:client_id);
SELECT coord.unlock(:client_id);
\set warm 1
\endif
SELECT pg_try_advisory_lock(:client_id);
SELECT pg_advisory_unlock(:client_id);
