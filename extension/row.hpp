// Rows of the registry, read without SPI: constant cost, and no dependence on the caller's snapshot. All
// functions read what is committed now, and this transaction's own changes; texts are allocated in the
// current memory context.
#pragma once

#include "pg.hpp"
#include "registry.hpp"

namespace coord {

/// An election as its row says it; see leadership.hpp for what to believe of it. Times in PostgreSQL's
/// microseconds.
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
  int32 in_flight_count;
  float8 load_factor;
  TimestampTz deadline;  // of its shutdown notice; no_deadline (rules/notice.hpp) without one
};

bool read_election(const char* election, ElectionRow* row);
/// The same under the election's turn; leaves no trace for serializable transactions.
bool read_election_locked(const char* election, ElectionRow* row);

bool read_beat(int64 incarnation, BeatRow* row);

struct MemberRow {
  const char* group = nullptr;
  const char* instance = nullptr;
  int32 session_pid = 0;
  TimestampTz session_start = 0;
};
bool read_member(int64 incarnation, MemberRow* row);

/// The key that a lock's number is known under.
struct LockNameRow {
  const char* key;
  bool tentative;  // written by this transaction, which may still be rolled back
};
bool read_lock_name(int64 id, LockNameRow* row);

struct CandidateRow {
  const char* election = nullptr;
  int64 incarnation = 0;
  int32 priority = 0;
  TimestampTz queued_at = 0;
};

/// Call `take` with every election whose row names this member, every place in this election's queue, every
/// place of this member in any queue. In no particular order.
void each_election_led_by(int64 incarnation, void (*take)(const ElectionRow&, void*), void* context);
void each_candidate(const char* election, void (*take)(const CandidateRow&, void*), void* context);
void each_candidacy_of(int64 incarnation, void (*take)(const CandidateRow&, void*), void* context);

/// The only row of the epoch table, if it is there.
struct EpochRow {
  int64 system_identifier;
  int32 timeline;
  Oid database;
  Oid registry;
  int32 epoch;
  bool tentative;  // written by this transaction, which may still be rolled back
};
bool read_epoch(EpochRow* row);

}  // namespace coord
