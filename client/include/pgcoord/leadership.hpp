#pragma once

#include <chrono>
#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "pgcoord/export.hpp"

namespace pgcoord {

/// The number that fences a term: epoch and term in one. A later term of the same election always
/// has a greater token, also across fail-over and restore of the database. Hand it to
/// `coord.fence(election, token)` in every transaction that only a leader may commit: is_leader()
/// alone does not keep a stale leader from writing.
struct Token {
  std::int64_t value = 0;

  [[nodiscard]] constexpr std::int64_t epoch() const noexcept { return value >> 40; }
  [[nodiscard]] constexpr std::int64_t term() const noexcept { return value & ((std::int64_t{1} << 40) - 1); }
  // Its code has no pointer.  NOLINTNEXTLINE(modernize-use-nullptr)
  auto operator<=>(const Token&) const = default;
};

/// One election as the server saw it when it answered.
struct Leadership {
  std::string election;
  /// Nobody leads: empty.
  std::optional<std::string> leader;
  /// Whether the session that asked leads.
  bool is_leader = false;
  Token token;
  /// The server's clock; for people, never for decisions.
  std::optional<std::chrono::system_clock::time_point> elected_at;

  bool operator==(const Leadership&) const = default;
};

/// Why a term ended for this client.
enum class LossCause {
  /// release() was called.
  resigned,
  /// No heartbeat was confirmed for the whole timeout.
  expired,
  /// The same, because `healthy` answered false.
  unhealthy,
  /// The connection ended.
  disconnected,
  /// The server says that the term is over: deposed, found silent, or taken over.
  superseded,
  /// The server no longer knows this session as a member.
  not_member,
  /// The session was closed by its owner.
  closed,
};

[[nodiscard]] PGCOORD_EXPORT std::string_view to_string(LossCause cause) noexcept;

}  // namespace pgcoord
