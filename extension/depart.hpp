// A member gives up all that it leads and waits for.
#pragma once

#include "bound.hpp"
#include "pg.hpp"

namespace coord {

struct Departure {
  int64 incarnation;
  const char* cause;
  Patience patience;
};

/// Hands over its elections, in name order, and takes it out of every queue. What cannot be had within the
/// patience stays as it is but is announced; `bounded` raises 55P03 instead.
void depart(const Departure& departure);

/// Elections that change hands in one transaction where there may be many: each takes a lock until it ends,
/// and the server's lock table is finite.
constexpr int departure_batch = 64;

/// The same for the next `most` elections after the name `after`. Returns the last name, null when all is
/// done.
const char* depart_some(const Departure& departure, const char* after, int most);

}  // namespace coord
