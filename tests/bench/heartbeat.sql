\if :joined = 0
SELECT coord.join('member' || :client_id);
\set joined 1
\endif
SELECT election FROM coord.heartbeat();
