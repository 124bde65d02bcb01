// Shutdown notices.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace coord {

/// Why an instance leaves; the words of the wire format.
constexpr std::array<std::string_view, 4> shutdown_intents = {"graceful", "preemption", "health_failure",
                                                              "maintenance"};

constexpr bool is_shutdown_intent(std::string_view word) {
  for (const std::string_view known : shutdown_intents)
    if (word == known) return true;
  return false;
}

/// What a deadline column that is NULL reads as.
constexpr std::int64_t no_deadline = 0;

/// At the deadline itself it has run out.
constexpr bool run_out(std::int64_t now, std::int64_t deadline) {
  return deadline != no_deadline && deadline <= now;
}

}  // namespace coord
