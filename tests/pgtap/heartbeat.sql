-- What a heartbeat costs: one narrow row, overwritten in place. This session beats itself, so that no snapshot of a caller is open.
SELECT plan(11);
CREATE VIEW beats AS SELECT n_tup_upd AS updates, n_dead_tup AS dead FROM pg_stat_user_tables WHERE relid = 'coord._beat'::regclass;
CREATE VIEW others AS SELECT sum(n_tup_ins + n_tup_upd + n_tup_del) AS writes FROM pg_stat_user_tables
WHERE schemaname = 'coord' AND relname <> '_beat';
SELECT coord.join('a');
SELECT leader FROM coord.campaign('e');
SELECT count(*) FROM coord.heartbeat('{orders}', 1, 0.5);
SELECT pg_stat_force_next_flush();
SELECT writes FROM others \gset
SELECT ctid AS place FROM coord._beat \gset

DO $$
BEGIN
  FOR i IN 1..400 LOOP
    PERFORM coord.heartbeat('{orders}', 100 + i % 2, 0.5);
    COMMIT;
    PERFORM coord.campaign('e');
    COMMIT;
  END LOOP;
END
$$;
SELECT pg_stat_force_next_flush();
SELECT is(concat(updates, ' ', dead), '0 0', 'four hundred heartbeats made no version of a row') FROM beats;
SELECT is(concat(ctid, ' ', in_flight_count), :'place' || ' 100', 'they are written where the row is') FROM coord._beat;
SELECT cmp_ok(last_heartbeat_at, '>', clock_timestamp() - interval '5 s', 'with their time') FROM coord._beat;
SELECT is(pg_relation_size('coord._beat'), 8192::bigint, 'the table stays small');
SELECT cmp_ok(pg_relation_size('coord._beat_pkey'), '<=', 2 * 8192::bigint, 'and its index as well');
SELECT is(writes, :writes::numeric, 'nothing else was written: unchanged values and idempotent calls write nothing') FROM others;

-- A burst that says nothing new is recorded once in a tenth of a second.
SELECT clock_timestamp() AS begun, pg_current_wal_insert_lsn() AS at \gset
DO $$
BEGIN
  FOR i IN 1..3000 LOOP
    PERFORM coord.heartbeat();
    COMMIT;
  END LOOP;
END
$$;
SELECT 2 + 10 * extract(epoch FROM clock_timestamp() - :'begun') AS most \gset
SELECT cmp_ok(pg_current_wal_insert_lsn() - :'at', '<=', 8192 + 200 * :most::numeric, 'a burst of heartbeats writes little');

-- Another list of subscriptions is written, and that once.
SELECT count(*) FROM coord.heartbeat('{orders,bills}');
SELECT count(*) FROM coord.heartbeat('{orders,bills}');
SELECT pg_stat_force_next_flush();
SELECT is(writes, :writes::numeric + 1, 'a change is written once') FROM others;
SELECT is(concat(subscriptions, in_flight_count, load_factor), '{orders,bills}1000.5', 'and seen') FROM coord.peers;

-- It answers the same in every shape.
SELECT is((SELECT count(*) FROM coord.heartbeat() h WHERE h.is_leader AND h.election = 'e'), 1::bigint, 'what is led, as rows');
SELECT is((coord.heartbeat()).leader, 'a', 'and as a value');

SELECT * FROM finish();
