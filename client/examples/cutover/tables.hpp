#pragma once

namespace cutover {

/// One statement each.
inline constexpr const char* tables[] = {
    R"(CREATE TABLE IF NOT EXISTS routing (
  tenant uuid PRIMARY KEY,
  store text NOT NULL DEFAULT 'source' CHECK (store IN ('source', 'target')),
  state text NOT NULL DEFAULT 'dual_write' CHECK (state IN ('normal', 'dual_write', 'migrated')),
  -- The token of the cutover for which writes rest, and until when at the latest.
  paused_by bigint,
  paused_until timestamptz
))",
    R"(CREATE TABLE IF NOT EXISTS event (
  store text NOT NULL,
  tenant uuid NOT NULL,
  number bigint NOT NULL,
  PRIMARY KEY (store, tenant, number)
))",
    // That a pause is over is written before anything goes by it: the clock that says so may go back, and the
    // cutover that paused must not switch on what it saw before.
    R"(CREATE OR REPLACE FUNCTION accept_event(of_tenant uuid, event_number bigint) RETURNS boolean
LANGUAGE plpgsql AS $$
DECLARE
  route routing;
BEGIN
  UPDATE routing SET paused_by = NULL, paused_until = NULL
    WHERE tenant = of_tenant AND paused_until <= clock_timestamp();
  SELECT * INTO STRICT route FROM routing WHERE tenant = of_tenant FOR SHARE;
  IF route.paused_by IS NOT NULL THEN
    RETURN false;
  END IF;
  INSERT INTO event (store, tenant, number) VALUES (route.store, of_tenant, event_number);
  RETURN true;
END
$$)",
};

}  // namespace cutover
