-- Elections

CREATE FUNCTION coord.campaign(election text, priority int DEFAULT 0) RETURNS coord.leadership
LANGUAGE c VOLATILE PARALLEL UNSAFE COST 1000 SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS 'MODULE_PATHNAME', 'coord_campaign';
COMMENT ON FUNCTION coord.campaign(text, int) IS
  'one attempt to lead: this session leads, or stands in the queue (higher priority first, then first come)';
REVOKE ALL ON FUNCTION coord.campaign(text, int) FROM PUBLIC;

CREATE FUNCTION coord.try_acquire(election text) RETURNS coord.leadership
LANGUAGE c VOLATILE PARALLEL UNSAFE COST 1000 SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS 'MODULE_PATHNAME', 'coord_try_acquire';
COMMENT ON FUNCTION coord.try_acquire(text) IS 'one attempt to lead, without queueing';
REVOKE ALL ON FUNCTION coord.try_acquire(text) FROM PUBLIC;

CREATE FUNCTION coord.resign(election text) RETURNS boolean
LANGUAGE c VOLATILE PARALLEL UNSAFE COST 1000 SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS 'MODULE_PATHNAME', 'coord_resign';
COMMENT ON FUNCTION coord.resign(text) IS
  'hands over to the next in the queue; true if this session led. It is not queued again';
REVOKE ALL ON FUNCTION coord.resign(text) FROM PUBLIC;

CREATE FUNCTION coord.withdraw(election text) RETURNS boolean
LANGUAGE c VOLATILE PARALLEL UNSAFE COST 1000 SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS 'MODULE_PATHNAME', 'coord_withdraw';
COMMENT ON FUNCTION coord.withdraw(text) IS 'leaves the queue; true if this session stood in it';
REVOKE ALL ON FUNCTION coord.withdraw(text) FROM PUBLIC;

CREATE FUNCTION coord.depose(election text) RETURNS boolean
LANGUAGE c VOLATILE PARALLEL UNSAFE COST 1000 SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS 'MODULE_PATHNAME', 'coord_depose';
COMMENT ON FUNCTION coord.depose(text) IS
  'for administrators: ends the term, whoever leads, and hands over; true if somebody led';
REVOKE ALL ON FUNCTION coord.depose(text) FROM PUBLIC;

-- Reads rows without SPI and qualifies nothing: it needs neither the owner's rights nor a search_path.
CREATE FUNCTION coord.leader(election text) RETURNS SETOF coord.leadership
LANGUAGE c VOLATILE PARALLEL RESTRICTED ROWS 1 AS 'MODULE_PATHNAME', 'coord_leader';
COMMENT ON FUNCTION coord.leader(text) IS
  'who leads now: the row of a leader whose session lives and is not silent, or no row';
REVOKE ALL ON FUNCTION coord.leader(text) FROM PUBLIC;
