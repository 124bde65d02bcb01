// The one place where a term ends or begins. Every function here runs under the election's turn.
#pragma once

#include "pg.hpp"
#include "registry.hpp"

namespace coord {

/// Who comes next.
struct Heir {
  int64 incarnation;  // 0: nobody
  const char* group;
  const char* instance;
  int32 pid;
  TimestampTz start;
};

/// The first of the queue that is alive and was heard within its timeout; `self` counts as heard, `gone` not at all.
Heir first_in_queue(const char* election, int64 self, int64 gone);

/// Begins a term: the row, the journal, the notice. `row` is brought up to date.
void grant(ElectionRow* row, int32 epoch, const Heir& heir, const char* cause);

/// Ends the term for `cause` and begins the next with the first in the queue, if there is one.
void hand_over(ElectionRow* row, int32 epoch, const char* cause, int64 self);

/// Takes a member out of the queue; false if it was not in it (or an administrator holds its row).
bool dequeue(const char* election, int64 incarnation);

/// Whether nobody holds the row's lock; on the exit path that must be asked before it is written.
bool row_is_free(const char* election);

/// Tells the election's candidates that its leader is gone though its row could not be changed.
void announce_only(const ElectionRow& row, const char* cause);

/// Prepares every statement that the exit path runs.
void prepare_handover();

}  // namespace coord
