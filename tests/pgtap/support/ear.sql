-- A session that listens, and what it has heard. After sessions.sql.
SET client_min_messages = warning;
CREATE TABLE heard (n serial, channel text, payload jsonb, raw text);
CREATE FUNCTION hear() RETURNS bigint LANGUAGE sql AS $$
  INSERT INTO heard (channel, payload, raw) SELECT notify_name, extra::jsonb, extra FROM dblink_get_notify('ear');
  SELECT count(*) FROM heard
$$;
-- Waits for that many, then for a last word of our own: whatever was sent before it has arrived by then.
CREATE FUNCTION heard(wanted int) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
  PERFORM other.wait_for(format('hear() >= %s', wanted), bound => '5 s');
  RETURN (SELECT count(*) = wanted FROM heard);
END
$$;
CREATE PROCEDURE hush() LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('end', 'null');
  COMMIT;
  PERFORM other.wait_for('hear() > 0 AND EXISTS (SELECT FROM heard WHERE channel = ''end'')');
  DELETE FROM heard WHERE channel = 'end';
  COMMIT;
END
$$;
CREATE FUNCTION last(part text) RETURNS text LANGUAGE sql AS $$ SELECT payload ->> part FROM heard ORDER BY n DESC LIMIT 1 $$;
CREATE FUNCTION listen(VARIADIC channels text[]) RETURNS void LANGUAGE sql AS $$
  SELECT dblink_exec('ear', format('LISTEN %I', channel)) FROM unnest(channels) channel
$$;
-- What was heard in words, channel by channel and in order; it begins anew after that.
CREATE FUNCTION told() RETURNS text LANGUAGE sql AS $$
  WITH taken AS (DELETE FROM heard RETURNING *)
  SELECT COALESCE(string_agg(concat_ws(' ', replace(channel, '__eventsource_coordination.', ''), payload ->> 'event',
    COALESCE(payload ->> 'instance_id', payload ->> 'target_instance_id', payload ->> 'election')), ', ' ORDER BY n), 'nothing') FROM taken
$$;
SELECT other.open('ear');
SELECT listen('end');
RESET client_min_messages;
