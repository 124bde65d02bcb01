#pragma once

#include <random>

#include "pgcoord/export.hpp"
#include "pgcoord/time.hpp"

namespace pgcoord {

/// Every random choice of a client comes from one of these, so that a test can repeat it.
using Random = std::mt19937_64;

/// Evenly in [low, high].
[[nodiscard]] PGCOORD_EXPORT Duration jitter(Random& random, Duration low, Duration high);

/// Waits that double from `first` up to `most`, each one drawn evenly from the upper half of its
/// step, so that clients which failed together do not come back together.
class PGCOORD_EXPORT Backoff {
 public:
  Backoff(Duration first, Duration most) : first_(first), most_(most), step_(first) {}

  [[nodiscard]] Duration next(Random& random);
  void reset() noexcept { step_ = first_; }

 private:
  Duration first_;
  Duration most_;
  Duration step_;
};

}  // namespace pgcoord
