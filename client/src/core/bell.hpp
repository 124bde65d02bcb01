#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace pgcoord::detail {

/// Whom a notification is about. Anyone who may connect can send one, so it is a reason to look at the
/// registry and never the truth.
struct Bell {
  std::string instance_id;
  std::optional<std::int64_t> incarnation;
  /// joined, left, gone, silent, removed; empty on the channels that have no such word.
  std::string event;
};

/// None unless the payload is a JSON object that has a name under `key` and no nonsense in what else is
/// read. Never throws for bad input.
[[nodiscard]] std::optional<Bell> parse_bell(std::string_view payload, const char* key);

}  // namespace pgcoord::detail
