// The queue of an election. Read and changed under the election's turn.
#pragma once

#include "pg.hpp"

namespace coord {

/// Who comes next. Texts live in the memory context of the call.
struct Heir {
  int64 incarnation = 0;  // 0: nobody
  const char* group = nullptr;
  const char* instance = nullptr;
  int32 pid = 0;
  TimestampTz start = 0;
};

/// The first of the queue whose session lives and was heard within its timeout; `self` counts as heard,
/// `gone` not at all.
Heir first_in_queue(const char* election, int64 self, int64 gone);

/// Queues a member, or gives it another priority in its place.
void queue_up(const char* election, int64 incarnation, int32 priority);

/// Takes a member out of the queue; false if it was not in it (or an administrator holds its row).
bool dequeue(const char* election, int64 incarnation);

/// Takes out those whose session has ended.
void bury_dead(const char* election);

void prepare_queue();

}  // namespace coord
