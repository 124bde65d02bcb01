#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "chaos/record.hpp"

namespace pgcoord::chaos {

/// In the history's order.
inline std::vector<const Record*> of_kind(const History& history, std::string_view kind) {
  std::vector<const Record*> found;
  for (const auto& record : history) {
    if (record.kind == kind) found.push_back(&record);
  }
  return found;
}

inline std::string milliseconds(std::int64_t nanoseconds) {
  return std::to_string(nanoseconds / 1'000'000) + " ms";
}

/// Faults that keep the whole server from its work, or part of it.
inline bool hits_everybody(const Record& fault) { return fault.who.empty(); }

/// How well the server's clock and this machine's time since boot are known to agree.
constexpr std::int64_t clock_error = 10'000'000;

}  // namespace pgcoord::chaos
