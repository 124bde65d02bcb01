// The order of a queue.
#pragma once

#include <cstdint>

namespace coord {

/// One candidate's place: those about to leave last, higher priority first, then first come; the incarnation
/// decides between equals.
struct Place {
  bool draining;
  std::int32_t priority;
  std::int64_t queued_at;  // microseconds
  std::int64_t incarnation;
};

constexpr bool goes_before(const Place& a, const Place& b) {
  if (a.draining != b.draining) return b.draining;
  if (a.priority != b.priority) return a.priority > b.priority;
  if (a.queued_at != b.queued_at) return a.queued_at < b.queued_at;
  return a.incarnation < b.incarnation;
}

}  // namespace coord
