#pragma once

#include <atomic>
#include <cstdint>
#include <optional>

#include "pgcoord/export.hpp"
#include "pgcoord/leadership.hpp"
#include "pgcoord/time.hpp"

namespace pgcoord {

/// What one election's "I lead" is read from: a token and the instant until which it is good.
/// One thread writes, any thread reads; reading takes no lock and costs about one look at the clock.
///
/// Expiry is sticky: once a reader was told "no", this term can never become "yes" again.
/// In a child made by fork() the answer is always no.
class PGCOORD_EXPORT LeadershipCell {
 public:
  LeadershipCell();
  LeadershipCell(const LeadershipCell&) = delete;
  LeadershipCell& operator=(const LeadershipCell&) = delete;

  [[nodiscard]] bool is_leader(Instant now) const noexcept;
  [[nodiscard]] std::optional<Token> token(Instant now) const noexcept;

  /// Begins a term.
  void grant(Token token, Instant deadline) noexcept;
  /// Moves the deadline of the term. False if the term is over, or a reader saw it expire.
  [[nodiscard]] bool extend(Instant deadline) noexcept;
  /// Ends the term.
  void clear() noexcept;
  /// When the term ends unless it is extended; none if no term runs.
  [[nodiscard]] std::optional<Instant> deadline() const noexcept;

 private:
  mutable std::atomic<std::int64_t> deadline_{0};  // nanoseconds of BootClock; 0: no term
  std::atomic<std::int64_t> token_{0};
  const std::uint32_t fork_generation_;
};

/// How often this process is a child of fork() since the library was loaded. A handle that
/// remembers another value was inherited and must not touch what it shares with the parent.
[[nodiscard]] PGCOORD_EXPORT std::uint32_t fork_generation() noexcept;

}  // namespace pgcoord
