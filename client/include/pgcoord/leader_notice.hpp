#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "pgcoord/export.hpp"
#include "pgcoord/leadership.hpp"

namespace pgcoord {

/// What a payload on the `.leader` channel says. Anyone who may connect can send one, so it is a
/// reason to look at the registry and never the truth.
struct LeaderNotice {
  std::string election;
  /// Nobody leads: empty.
  std::optional<std::string> leader;
  /// Who should campaign at once, when the term ended without a hand-over.
  std::optional<std::string> successor;
  Token token;
  std::optional<std::string> previous;
  std::string cause;
  std::optional<std::int64_t> event_id;
};

/// None for anything that is not such an object: no JSON, a missing or wrong-typed `election`,
/// `leader`, `successor`, `token` or `event_id`. Unknown keys are ignored. Never throws for bad input.
[[nodiscard]] PGCOORD_EXPORT std::optional<LeaderNotice> parse_leader_notice(std::string_view payload);

}  // namespace pgcoord
