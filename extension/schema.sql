-- Tables. Nobody but the owner reads or writes them; names are compared byte by byte (COLLATE "C").

-- The history that this registry belongs to; written when the first term on a new one is granted.
CREATE TABLE coord._epoch (
  one boolean PRIMARY KEY CHECK (one),
  system_identifier bigint NOT NULL,
  timeline int NOT NULL,
  database oid NOT NULL,
  registry oid NOT NULL,
  epoch int NOT NULL
);

CREATE SEQUENCE coord._incarnation;

-- One row per instance; session_pid and session_start name the session that it is bound to: null when it left after a
-- notice. told_lost_after: the last heartbeat before the loss that its peers have been told of.
CREATE TABLE coord._member (
  member_group text COLLATE "C" NOT NULL,
  instance_id text COLLATE "C" NOT NULL,
  incarnation bigint NOT NULL UNIQUE,
  role oid NOT NULL,
  session_pid int,
  session_start timestamptz,
  client_addr inet,
  subscriptions text[] NOT NULL,
  metadata jsonb NOT NULL,
  joined_at timestamptz NOT NULL,
  shutdown_intent text COLLATE "C",
  shutdown_initiated_at timestamptz,
  shutdown_deadline timestamptz,
  shutdown_metadata jsonb,
  told_lost_after timestamptz,
  PRIMARY KEY (member_group, instance_id)
) WITH (fillfactor = 70);

-- What every heartbeat writes, in place: no new version of the row, nothing to vacuum. beat.cpp knows the first five
-- columns by their place. heartbeat_timeout is in microseconds; shutdown_deadline is the member's, here since every
-- judgement reads this row.
CREATE TABLE coord._beat (
  incarnation bigint PRIMARY KEY REFERENCES coord._member (incarnation) ON DELETE CASCADE,
  heartbeat_timeout bigint NOT NULL,
  last_heartbeat_at timestamptz NOT NULL,
  in_flight_count int NOT NULL DEFAULT 0,
  load_factor float8 NOT NULL DEFAULT 0,
  shutdown_deadline timestamptz
);

-- Read by column number in registry.cpp.
CREATE TABLE coord._election (
  election text COLLATE "C" PRIMARY KEY,
  epoch int NOT NULL,
  term bigint NOT NULL,
  leader_incarnation bigint,
  leader_group text COLLATE "C",
  leader text COLLATE "C",
  leader_pid int,
  leader_start timestamptz,
  elected_at timestamptz
) WITH (fillfactor = 50);
CREATE INDEX _election_leader ON coord._election (leader_incarnation);

CREATE TABLE coord._candidate (
  election text COLLATE "C" NOT NULL,
  incarnation bigint NOT NULL,
  priority int NOT NULL,
  queued_at timestamptz NOT NULL,
  PRIMARY KEY (election, incarnation)
);
CREATE INDEX _candidate_incarnation ON coord._candidate (incarnation);

CREATE TABLE coord._change (
  event_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  election text COLLATE "C" NOT NULL,
  epoch int NOT NULL,
  term bigint NOT NULL,
  previous text COLLATE "C",
  leader text COLLATE "C",
  cause text NOT NULL,
  at timestamptz NOT NULL
);
CREATE INDEX _change_election ON coord._change (election, term);

-- Work handed out by a leader to one incarnation of a member.
CREATE TABLE coord._assignment (
  assignment_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  member_group text COLLATE "C" NOT NULL,
  target_instance_id text COLLATE "C" NOT NULL,
  target_incarnation bigint NOT NULL,
  source_instance_id text COLLATE "C" NOT NULL,
  subscriptions text[] NOT NULL,
  priority int NOT NULL,
  election text COLLATE "C" NOT NULL,
  token bigint NOT NULL,
  assigned_at timestamptz NOT NULL
);
CREATE INDEX _assignment_target ON coord._assignment (target_incarnation, assignment_id);

-- The keys that locks were asked for by.
CREATE TABLE coord._lock (
  lock_id bigint PRIMARY KEY,
  key text COLLATE "C" NOT NULL,
  named_at timestamptz NOT NULL
);

-- Elections and their terms are dumped, so that tokens go on rising after a restore; members are not.
SELECT pg_catalog.pg_extension_config_dump('coord._epoch', '');
SELECT pg_catalog.pg_extension_config_dump('coord._election', '');
SELECT pg_catalog.pg_extension_config_dump('coord._lock', '');

CREATE TYPE coord.leadership AS (
  election text,
  leader text,
  is_leader boolean,
  epoch int,
  term bigint,
  token bigint,
  elected_at timestamptz
);
COMMENT ON TYPE coord.leadership IS
  'who leads an election; is_leader says whether this session does, token is for coord.fence()';

CREATE FUNCTION coord._session_alive(pid int, start timestamptz) RETURNS boolean
LANGUAGE c VOLATILE PARALLEL SAFE AS 'MODULE_PATHNAME', 'coord_session_alive';
COMMENT ON FUNCTION coord._session_alive(int, timestamptz) IS
  'whether a session lives; null on a standby, which cannot see its primary''s sessions';
REVOKE ALL ON FUNCTION coord._session_alive(int, timestamptz) FROM PUBLIC;

CREATE FUNCTION coord._current_epoch() RETURNS int
LANGUAGE c VOLATILE PARALLEL SAFE AS 'MODULE_PATHNAME', 'coord_current_epoch';
COMMENT ON FUNCTION coord._current_epoch() IS
  'the epoch in force; 0 after a restore, clone or promotion until the first grant, null on a standby';
REVOKE ALL ON FUNCTION coord._current_epoch() FROM PUBLIC;

CREATE FUNCTION coord._heard(last timestamptz, timeout bigint) RETURNS boolean
LANGUAGE c VOLATILE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'coord_heard';
COMMENT ON FUNCTION coord._heard(timestamptz, bigint) IS
  'whether a member last heard then is within its timeout (microseconds) by the server''s clock';
REVOKE ALL ON FUNCTION coord._heard(timestamptz, bigint) FROM PUBLIC;
