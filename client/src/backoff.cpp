#include "pgcoord/backoff.hpp"

#include <algorithm>

namespace pgcoord {

Duration jitter(Random& random, Duration low, Duration high) {
  return Duration(std::uniform_int_distribution<Duration::rep>(low.count(), high.count())(random));
}

Duration Backoff::next(Random& random) {
  const auto wait = jitter(random, step_ / 2, step_);
  step_ = std::min(most_, step_ * 2);
  return wait;
}

}  // namespace pgcoord
