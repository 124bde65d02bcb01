SET check_function_bodies = off;  -- who has no rights can make them too

-- What becomes of a statement: its SQLSTATE, or done.
CREATE FUNCTION pg_temp.outcome(statement text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE statement;
  RETURN 'done';
EXCEPTION WHEN OTHERS THEN
  RETURN SQLSTATE;
END
$$;

-- Of fences on every token that the registry knows of, and on one that it does not.
CREATE FUNCTION pg_temp.fences(other bigint) RETURNS text LANGUAGE sql AS $$
  SELECT string_agg(DISTINCT pg_temp.outcome(format('SELECT coord.fence(%L, %s)', election, token)), ' ')
  FROM (SELECT election, token FROM coord.leadership_log UNION SELECT election, token FROM coord.elections
    UNION SELECT 'x', other) AS known
$$;
