#pragma once

#include <algorithm>
#include <cstddef>

#include "pgcoord/time.hpp"

namespace pgcoord::detail {

/// How often notifications may make a session ask its server: some times at once, and one more for each step
/// of time. Real ones come in bursts; forged ones cost the server no more than that, however many they are.
class Pace {
 public:
  constexpr explicit Pace(Duration step) : step_(step) {}

  /// When the next one is allowed, `at_once` (at least 1) being what may come together.
  [[nodiscard]] Instant next(std::size_t at_once) const {
    return spent_until_ - step_ * static_cast<Duration::rep>(at_once - 1);
  }
  void spend(Instant now) { spent_until_ = std::max(spent_until_, now) + step_; }

 private:
  Duration step_;
  Instant spent_until_{};
};

}  // namespace pgcoord::detail
