\if :warm = 0
SELECT coord.try_lock(:client_id);
SELECT coord.unlock(:client_id);
\set warm 1
\endif
SELECT coord.try_lock(:client_id);
SELECT coord.unlock(:client_id);
