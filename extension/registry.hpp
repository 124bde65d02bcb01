// The tables by name, and reads of single rows without SPI: constant cost, and no dependence on the caller's snapshot.
#pragma once

#include "pg.hpp"

namespace coord {

enum class Table { epoch, member, beat, election, candidate, change };

/// Looked up at each use, since the extension may be dropped and created anew within one session. InvalidOid if absent.
Oid find_table(Table table);
/// The same; an error if the extension is not installed in this database.
Oid table_oid(Table table);

/// The role whose rights the registry is changed with.
Oid registry_owner();

/// Takes a weak lock on all tables and the event sequence, or on none of them: never waits. False as well if the
/// extension is gone. For the exit path, where a wait could not be interrupted.
bool lock_registry_at_once();

/// An election as its row says it; see leadership.hpp for what to believe of it. Times in PostgreSQL's microseconds.
struct ElectionRow {
  const char* election = nullptr;
  int32 epoch = 0;
  int64 term = 0;
  int64 leader_incarnation = 0;  // 0: nobody
  const char* leader_group = nullptr;
  const char* leader = nullptr;
  int32 leader_pid = 0;
  TimestampTz leader_start = 0;
  TimestampTz elected_at = 0;
};

/// How often a member must be heard, and when it was.
struct BeatRow {
  int64 timeout;  // microseconds
  TimestampTz last;
};

/// The newest committed row, in the current memory context. Waits at most a second for a locked table (55P03).
bool read_election(const char* election, ElectionRow* row);
/// The same under the election's lock: also sees this transaction's own changes, and leaves no trace for SSI.
bool read_election_locked(const char* election, ElectionRow* row);
bool read_beat(int64 incarnation, BeatRow* row);

/// Calls `take` with every election whose row names this member.
void each_election_led_by(int64 incarnation, void (*take)(const ElectionRow&, void*), void* context);

/// The only row of the epoch table, if it is there.
struct EpochRow {
  int64 system_identifier;
  int32 timeline;
  Oid database;
  Oid registry;
  int32 epoch;
};
bool read_epoch(EpochRow* row);

}  // namespace coord
