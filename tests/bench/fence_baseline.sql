\if :warm = 0
BEGIN;
SELECT coord.fence('bench', :token);
UPDATE bench_row SET n = n + 1 WHERE id = :client_id;
COMMIT;
\set warm 1
\endif
BEGIN;
SELECT 1;
UPDATE bench_row SET n = n + 1 WHERE id = :client_id;
COMMIT;
