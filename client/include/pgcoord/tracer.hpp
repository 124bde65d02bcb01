#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "pgcoord/export.hpp"

namespace pgcoord {

using TraceValue = std::variant<bool, std::int64_t, double, std::string>;
using TraceAttributes = std::vector<std::pair<std::string_view, TraceValue>>;

/// One stretch of time; ends when it is destroyed, maybe on another thread than it began.
class PGCOORD_EXPORT Span {
 public:
  Span() = default;
  Span(const Span&) = delete;
  Span& operator=(const Span&) = delete;
  virtual ~Span();

  virtual void set_attribute(std::string_view name, const TraceValue& value);
  /// What it stands for did not succeed.
  virtual void set_error(std::string_view description);
};

/// Where spans go. This one drops them; derive from it to send them to a tracing system. Called from any
/// thread, and with locks of ours held, so it must not call the lock manager. Exceptions are dropped.
class PGCOORD_EXPORT Tracer {
 public:
  Tracer() = default;
  Tracer(const Tracer&) = delete;
  Tracer& operator=(const Tracer&) = delete;
  virtual ~Tracer();

  /// Null counts as a span that nobody wants.
  [[nodiscard]] virtual std::unique_ptr<Span> start_span(std::string_view name,
                                                         const TraceAttributes& attributes);
};

/// Names of what lock managers emit.
namespace trace {
/// The attempt and its wait; an error if there was no lock. Of try_acquire() too, with timeout 0.
inline constexpr std::string_view lock_acquire = "eventsource.lock.acquire";
/// From grant to release; an error if the lock was lost.
inline constexpr std::string_view lock_hold = "eventsource.lock.hold";
/// Giving back; an error if there was nothing to give back.
inline constexpr std::string_view lock_release = "eventsource.lock.release";

inline constexpr std::string_view lock_key = "eventsource.lock.key";          ///< string; all three
inline constexpr std::string_view lock_id = "eventsource.lock.id";            ///< integer; all three
inline constexpr std::string_view lock_timeout = "eventsource.lock.timeout";  ///< seconds, -1: none; acquire
inline constexpr std::string_view lock_acquired = "eventsource.lock.acquired";    ///< boolean; acquire
inline constexpr std::string_view lock_wait_time = "eventsource.lock.wait_time";  ///< seconds; acquire
inline constexpr std::string_view lock_holder = "eventsource.lock.holder";  ///< string, if there is one; hold
inline constexpr std::string_view lock_outcome = "eventsource.lock.outcome";  ///< of LockRelease; release
}  // namespace trace

}  // namespace pgcoord
