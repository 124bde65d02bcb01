-- Several terms of several elections, work that is handed out, fenced writes, locks, and a notice, all by a session that ends.
SELECT coord.join('worker', subscriptions => '{orders,invoices}', metadata => '{"a": 1}', heartbeat_timeout => '1 hour');
SELECT coord.campaign('x');
SELECT coord.resign('x');
SELECT coord.campaign('ended');
SELECT coord.resign('ended');
SELECT coord.campaign('größte Wahl');
SELECT coord.depose('größte Wahl');
SELECT token FROM coord.campaign('x') \gset
SELECT coord.assign('worker', '{orders}', 'x', :token, 3);
BEGIN;
SELECT coord.fence('x', :token);
INSERT INTO written VALUES (:token, 'before');
INSERT INTO parts VALUES (:token, 1);
COMMIT;
SELECT coord.try_lock('a key');
SELECT coord.try_lock('ключ');
SELECT coord.announce_shutdown('maintenance', '1 hour');
