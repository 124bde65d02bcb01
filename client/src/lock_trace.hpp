#pragma once

#include <memory>
#include <optional>
#include <string_view>

#include "pgcoord/lock_guard.hpp"
#include "pgcoord/time.hpp"
#include "pgcoord/tracer.hpp"

namespace pgcoord::detail {

/// A span that may be missing and whose owner may throw; ends with this.
class QuietSpan {
 public:
  QuietSpan() = default;
  QuietSpan(Tracer* tracer, std::string_view name, const TraceAttributes& attributes) noexcept;
  QuietSpan(QuietSpan&&) noexcept = default;
  QuietSpan& operator=(QuietSpan&&) noexcept = default;
  ~QuietSpan() = default;

  void set(std::string_view name, const TraceValue& value) noexcept;
  void error(std::string_view description) noexcept;
  void end() noexcept { span_.reset(); }

 private:
  std::unique_ptr<Span> span_;
};

/// One attempt; without granted() it failed.
class AcquireSpan {
 public:
  AcquireSpan(Tracer* tracer, std::string_view key, std::int64_t id, std::optional<Duration> timeout);
  AcquireSpan(const AcquireSpan&) = delete;
  AcquireSpan& operator=(const AcquireSpan&) = delete;
  ~AcquireSpan();

  void granted() noexcept { acquired_ = true; }
  void failed(std::string_view why) noexcept { span_.error(why); }

 private:
  QuietSpan span_;
  Instant begin_;
  bool acquired_ = false;
};

[[nodiscard]] QuietSpan hold_span(Tracer* tracer, const LockInfo& info);
[[nodiscard]] QuietSpan release_span(Tracer* tracer, const LockInfo& info);
void set_outcome(QuietSpan& span, LockRelease outcome);

}  // namespace pgcoord::detail
