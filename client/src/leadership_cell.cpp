#include "pgcoord/leadership_cell.hpp"

#include <pthread.h>

namespace pgcoord {

namespace {

constexpr std::int64_t no_term = 0;
constexpr std::int64_t seen_expired = -1;

constinit std::atomic<std::uint32_t> generation{0};

std::int64_t ticks(Instant instant) { return instant.time_since_epoch().count(); }

void watch_forks() {
  static const int registered =
      pthread_atfork(nullptr, nullptr, [] { generation.fetch_add(1, std::memory_order_relaxed); });
  static_cast<void>(registered);
}

}  // namespace

std::uint32_t fork_generation() noexcept {
  watch_forks();
  return generation.load(std::memory_order_relaxed);
}

LeadershipCell::LeadershipCell() : fork_generation_(fork_generation()) {}

bool LeadershipCell::is_leader(Instant now) const noexcept {
  if (generation.load(std::memory_order_relaxed) != fork_generation_) return false;
  auto deadline = deadline_.load(std::memory_order_acquire);
  while (deadline > no_term) {
    if (ticks(now) < deadline) return true;
    // Whoever was told "no" must not hear "yes" for the same term when a late answer extends it.
    if (deadline_.compare_exchange_weak(deadline, seen_expired, std::memory_order_acq_rel)) break;
  }
  return false;
}

std::optional<Token> LeadershipCell::token(Instant now) const noexcept {
  for (;;) {  // until the token is that of the term which was asked for: they change apart
    const auto value = token_.load(std::memory_order_acquire);
    if (!is_leader(now) || value == 0) return std::nullopt;
    if (token_.load(std::memory_order_acquire) == value) return Token{value};
  }
}

void LeadershipCell::grant(Token token, Instant deadline) noexcept {
  token_.store(token.value, std::memory_order_release);
  deadline_.store(ticks(deadline), std::memory_order_release);
}

bool LeadershipCell::extend(Instant deadline) noexcept {
  auto current = deadline_.load(std::memory_order_acquire);
  while (current > no_term) {
    if (deadline_.compare_exchange_weak(current, ticks(deadline), std::memory_order_acq_rel)) {
      return true;
    }
  }
  return false;
}

void LeadershipCell::clear() noexcept {
  deadline_.store(no_term, std::memory_order_release);
  token_.store(0, std::memory_order_release);
}

std::optional<Instant> LeadershipCell::deadline() const noexcept {
  const auto value = deadline_.load(std::memory_order_acquire);
  if (value == no_term) return std::nullopt;
  return value == seen_expired ? Instant{} : Instant(Duration(value));
}

}  // namespace pgcoord
