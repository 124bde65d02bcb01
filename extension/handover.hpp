// The one place where a term ends or begins. Every function here runs under the election's turn.
#pragma once

#include "pg.hpp"
#include "queue.hpp"
#include "row.hpp"

namespace coord {

/// Begins a term: the row, the queue, the journal, the notice; the commit will wait for the disk. `row` is
/// brought up to date. False, with nothing done, if an administrator's transaction holds the row: never waits
/// for that.
bool grant(ElectionRow* row, int32 epoch, const Heir& heir, const char* cause);

/// Ends the term for `cause` and begins the next with the first in the queue, if there is one; `self` as for
/// first_in_queue(). False as above.
bool hand_over(ElectionRow* row, int32 epoch, const char* cause, int64 self);

/// Tells the election's candidates that its leader is gone though its row could not be changed.
void announce_only(const ElectionRow& row, const char* cause);

/// 55P03, for callers that cannot go on after a false.
[[noreturn]] void fail_row_held(const char* election);

/// Plans every statement that the exit path runs.
void prepare_handover();

}  // namespace coord
