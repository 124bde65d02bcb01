#include <gtest/gtest.h>

#include <stdexcept>

#include "pgcoord/in_memory_lock_manager.hpp"
#include "pgcoord/lock_key.hpp"
#include "support/spans.hpp"

namespace {

using namespace std::chrono_literals;
using namespace pgcoord;
using pgcoord::test::SeenSpan;
using pgcoord::test::SpanRecorder;

template <typename Value>
Value get(const SeenSpan& span, std::string_view name) {
  return std::get<Value>(span.attributes.at(std::string(name)));
}

class LockTracing : public testing::Test {
 protected:
  SeenSpan only(std::string_view name) const {
    const auto found = recorder_->named(name);
    EXPECT_EQ(found.size(), 1U) << name;
    return found.empty() ? SeenSpan{} : found.front();
  }

  std::shared_ptr<SpanRecorder> recorder_ = std::make_shared<SpanRecorder>();
  std::shared_ptr<SharedLockState> state_ = std::make_shared<SharedLockState>();
  InMemoryLockManager manager_{state_, "worker-1", recorder_};
};

TEST_F(LockTracing, T123_acquire_says_key_id_timeout_and_success) {
  const auto guard = manager_.acquire("k", 5s);
  const auto span = only(trace::lock_acquire);
  EXPECT_EQ(get<std::string>(span, trace::lock_key), "k");
  EXPECT_EQ(get<std::int64_t>(span, trace::lock_id), lock_key("k"));
  EXPECT_EQ(get<double>(span, trace::lock_timeout), 5.0);
  EXPECT_TRUE(get<bool>(span, trace::lock_acquired));
  EXPECT_TRUE(span.error.empty());
}

TEST_F(LockTracing, T124_no_timeout_is_minus_one) {
  const auto guard = manager_.acquire("k");
  EXPECT_EQ(get<double>(only(trace::lock_acquire), trace::lock_timeout), -1.0);
}

TEST_F(LockTracing, T125_a_failed_acquire_says_so) {
  InMemoryLockManager rival(state_);
  const auto guard = rival.acquire("k");
  EXPECT_THROW(static_cast<void>(manager_.acquire("k", 0s)), LockError);
  const auto span = only(trace::lock_acquire);
  EXPECT_FALSE(get<bool>(span, trace::lock_acquired));
  EXPECT_EQ(span.error, "Failed to acquire lock 'k': Timeout after 0s");
}

TEST_F(LockTracing, T126_one_release_says_key_and_id) {
  manager_.acquire("k").release();
  const auto span = only(trace::lock_release);
  EXPECT_EQ(get<std::string>(span, trace::lock_key), "k");
  EXPECT_EQ(get<std::int64_t>(span, trace::lock_id), lock_key("k"));
  EXPECT_EQ(get<std::string>(span, trace::lock_outcome), "released");
}

TEST_F(LockTracing, W15_waiting_and_holding_are_two_spans) {
  {
    const auto guard = manager_.acquire("k");
    EXPECT_TRUE(only(trace::lock_acquire).ended);
    EXPECT_FALSE(only(trace::lock_hold).ended);
    EXPECT_EQ(get<std::string>(only(trace::lock_hold), trace::lock_holder), "worker-1");
    EXPECT_GE(get<double>(only(trace::lock_acquire), trace::lock_wait_time), 0.0);
  }
  EXPECT_TRUE(only(trace::lock_hold).ended);
  EXPECT_TRUE(only(trace::lock_hold).error.empty());
}

TEST_F(LockTracing, W15_an_error_of_the_body_is_none_of_the_acquire) {
  try {
    const auto guard = manager_.acquire("k");
    throw std::runtime_error("body");
  } catch (const std::runtime_error&) {
  }
  EXPECT_TRUE(only(trace::lock_acquire).error.empty());
}

TEST_F(LockTracing, W15_try_acquire_has_a_span_whatever_it_comes_to) {
  const auto guard = manager_.try_acquire("k");
  EXPECT_FALSE(manager_.try_acquire("k"));
  const auto spans = recorder_->named(trace::lock_acquire);
  ASSERT_EQ(spans.size(), 2U);
  EXPECT_TRUE(get<bool>(spans[0], trace::lock_acquired));
  EXPECT_FALSE(get<bool>(spans[1], trace::lock_acquired));
  EXPECT_EQ(get<double>(spans[1], trace::lock_timeout), 0.0);
  EXPECT_TRUE(spans[1].error.empty());
}

TEST_F(LockTracing, W15_a_loss_ends_the_hold_with_an_error) {
  const auto guard = manager_.acquire("k");
  state_->lose("k");
  EXPECT_TRUE(only(trace::lock_hold).ended);
  EXPECT_EQ(only(trace::lock_hold).error, "the lock was lost");
}

class ThrowingTracer final : public Tracer {
 public:
  std::unique_ptr<Span> start_span(std::string_view, const TraceAttributes&) override {
    throw std::runtime_error("collector is down");
  }
};

TEST(Tracer, one_that_throws_breaks_nothing) {
  InMemoryLockManager manager(nullptr, {}, std::make_shared<ThrowingTracer>());
  EXPECT_EQ(manager.acquire("k").release(), LockRelease::released);
}

TEST(Tracer, the_default_drops_everything) {
  InMemoryLockManager manager(nullptr, {}, std::make_shared<Tracer>());
  EXPECT_EQ(manager.acquire("k").release(), LockRelease::released);
  Span span;
  EXPECT_NO_THROW(span.set_attribute("a", true));
  EXPECT_NO_THROW(span.set_error("e"));
}

}  // namespace
