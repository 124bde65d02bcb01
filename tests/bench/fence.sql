BEGIN;
SELECT coord.fence('bench', :token);
UPDATE bench_row SET n = n + 1 WHERE id = :client_id;
COMMIT;
