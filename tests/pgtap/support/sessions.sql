-- Other sessions, by dblink. Every statement there stands on its own, as the registry wants it.
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS dblink;
CREATE SCHEMA IF NOT EXISTS other;

CREATE OR REPLACE FUNCTION other.conninfo(database text DEFAULT current_database()) RETURNS text LANGUAGE sql AS $$
  SELECT format('host=%L port=%s user=%L dbname=%L', split_part(current_setting('unix_socket_directories'), ',', 1),
                current_setting('port'), current_user, database)
$$;

CREATE OR REPLACE FUNCTION other.open(session text, database text DEFAULT current_database()) RETURNS void
LANGUAGE sql AS $$
  SELECT dblink_connect(session, other.conninfo(database))
$$;

-- The values of a statement's one column, with commas between; of one that fails, its SQLSTATE.
CREATE OR REPLACE FUNCTION other.run(session text, statement text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
  RETURN (SELECT string_agg(value, ',') FROM dblink(session, statement) AS answer (value text));
EXCEPTION WHEN query_canceled OR OTHERS THEN
  RETURN SQLSTATE;
END
$$;

-- Where a statement fails, in the words of the server's context.
CREATE OR REPLACE FUNCTION other.context(session text, statement text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  said text;
BEGIN
  PERFORM other.must(session, statement);
  RETURN 'did not fail';
EXCEPTION WHEN query_canceled OR OTHERS THEN
  GET STACKED DIAGNOSTICS said = PG_EXCEPTION_CONTEXT;
  RETURN said;
END
$$;

-- The values of a statement that must not fail.
CREATE OR REPLACE FUNCTION other.must(session text, statement text) RETURNS text LANGUAGE sql AS $$
  SELECT string_agg(value, ',') FROM dblink(session, statement) AS answer (value text)
$$;

CREATE OR REPLACE FUNCTION other.join(session text, timeout interval DEFAULT '1 min') RETURNS bigint LANGUAGE plpgsql AS $$
BEGIN
  PERFORM other.open(session) WHERE session <> ALL (COALESCE(dblink_get_connections(), '{}'));
  RETURN other.must(session, format('SELECT coord.join(%L, heartbeat_timeout => %L)', session, timeout));
END
$$;

-- "leader" or "leader candidate" as the caller of campaign() sees it.
CREATE OR REPLACE FUNCTION other.campaign(session text, election text, priority int DEFAULT 0) RETURNS text
LANGUAGE sql AS $$
  SELECT other.run(session, format('SELECT leader FROM coord.campaign(%L, %s)', election, priority))
$$;

CREATE OR REPLACE FUNCTION other.pid(session text) RETURNS int LANGUAGE sql AS $$
  SELECT other.must(session, 'SELECT pg_backend_pid()')::int
$$;

CREATE OR REPLACE FUNCTION other.close(session text) RETURNS void LANGUAGE sql AS $$ SELECT dblink_disconnect(session) $$;

-- Whether a condition comes true within the bound; meanwhile the sessions named in `beating` prove that they live.
CREATE OR REPLACE FUNCTION other.wait_for(condition text, beating text[] DEFAULT '{}', bound interval DEFAULT '20 s')
RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
  deadline constant timestamptz := clock_timestamp() + bound;
  met boolean;
  session text;
BEGIN
  LOOP
    FOREACH session IN ARRAY beating LOOP
      PERFORM other.must(session, 'SELECT count(*) FROM coord.heartbeat()');
    END LOOP;
    PERFORM pg_stat_clear_snapshot();
    EXECUTE 'SELECT ' || condition INTO met;
    IF met OR clock_timestamp() > deadline THEN
      RETURN COALESCE(met, false);
    END IF;
    PERFORM pg_sleep(0.05);
  END LOOP;
END
$$;
RESET client_min_messages;
