#include "lock_trace.hpp"

#include <string>

namespace pgcoord::detail {

namespace {

double seconds(Duration duration) { return std::chrono::duration<double>(duration).count(); }

TraceAttributes attributes_of(std::string_view key, std::int64_t id) {
  return {{trace::lock_key, std::string(key)}, {trace::lock_id, id}};
}

TraceAttributes attributes_of(std::string_view key, std::int64_t id, std::optional<Duration> timeout) {
  auto attributes = attributes_of(key, id);
  attributes.emplace_back(trace::lock_timeout, timeout ? seconds(*timeout) : -1.0);
  return attributes;
}

}  // namespace

QuietSpan::QuietSpan(Tracer* tracer, std::string_view name, const TraceAttributes& attributes) noexcept {
  try {
    if (tracer) span_ = tracer->start_span(name, attributes);
  } catch (...) {  // tracing never fails what it watches
  }
}

void QuietSpan::set(std::string_view name, const TraceValue& value) noexcept {
  try {
    if (span_) span_->set_attribute(name, value);
  } catch (...) {
  }
}

void QuietSpan::error(std::string_view description) noexcept {
  try {
    if (span_) span_->set_error(description);
  } catch (...) {
  }
}

AcquireSpan::AcquireSpan(Tracer* tracer, std::string_view key, std::int64_t id,
                         std::optional<Duration> timeout)
    : span_(tracer, trace::lock_acquire, attributes_of(key, id, timeout)), begin_(BootClock::now()) {}

AcquireSpan::~AcquireSpan() {
  span_.set(trace::lock_acquired, acquired_);
  span_.set(trace::lock_wait_time, seconds(BootClock::now() - begin_));
}

QuietSpan hold_span(Tracer* tracer, const LockInfo& info) {
  auto attributes = attributes_of(info.key, info.lock_id);
  if (info.holder_id) attributes.emplace_back(trace::lock_holder, *info.holder_id);
  return {tracer, trace::lock_hold, attributes};
}

QuietSpan release_span(Tracer* tracer, const LockInfo& info) {
  return {tracer, trace::lock_release, attributes_of(info.key, info.lock_id)};
}

void set_outcome(QuietSpan& span, LockRelease outcome) {
  const bool released = outcome == LockRelease::released;
  span.set(trace::lock_outcome, std::string(released ? "released" : "lost"));
  if (!released) span.error("the lock was lost before it was released");
}

}  // namespace pgcoord::detail
