// The connections of a PgLockManager: how many, in which order waits are served, who can be seen, how they
// end.
#include <gtest/gtest.h>

#include <future>

#include "support/lock_calls.hpp"
#include "support/lock_server.hpp"

namespace {

using namespace std::chrono_literals;
using namespace pgcoord;
using pgcoord::test::fresh_key;
using pgcoord::test::lock_error_of;
using pgcoord::test::lock_options;
using pgcoord::test::Observer;
using pgcoord::test::wait_until;

class PgLockConnections : public testing::Test {
 protected:
  const std::string key_ = fresh_key();
  Observer server_;
  PgLockManager first_{lock_options("first")};
  PgLockManager second_{lock_options("second")};
};

TEST_F(PgLockConnections, W12_a_hundred_locks_are_one_connection) {
  std::vector<LockGuard> guards;
  for (int number = 0; number < 100; ++number)
    guards.push_back(first_.acquire(key_ + std::to_string(number)));
  EXPECT_EQ(server_.sessions_of("first"), 1);
  EXPECT_EQ(first_.connection_count(), 1U);
  EXPECT_EQ(server_.locks_of("first"), 100);
  EXPECT_EQ(first_.release_all(), 100);
  EXPECT_EQ(server_.locks_of("first"), 0);
}

TEST_F(PgLockConnections, W16_the_holder_can_be_looked_up) {
  const auto guard = first_.acquire(key_);
  EXPECT_EQ(server_.value("SELECT application_name FROM coord.locks WHERE key = $1", {key_}),
            "pgcoord lock first");
}

TEST_F(PgLockConnections, W10_a_plain_session_takes_its_turn) {
  auto guard = first_.acquire(key_);
  std::vector<std::string> order;
  auto before = std::async(std::launch::async, [&] {
    const auto granted = first_.acquire(key_);
    order.emplace_back("before");
  });
  ASSERT_TRUE(wait_until([&] { return server_.waiters(key_) == 1; }));
  Observer plain;
  plain.send("SELECT pg_advisory_lock($1::bigint)", {std::to_string(guard.info().lock_id)});
  ASSERT_TRUE(wait_until([&] { return server_.waiters(key_) == 2; }));
  auto after = std::async(std::launch::async, [&] {
    const auto granted = second_.acquire(key_, 30s);
    order.emplace_back("after");
  });
  ASSERT_TRUE(wait_until([&] { return server_.waiters(key_) == 3; }));
  guard.release();
  before.get();
  plain.finish();
  EXPECT_EQ(order, std::vector<std::string>{"before"});
  EXPECT_EQ(server_.waiters(key_), 1) << "whoever came after it waits for it";
  plain.exec("SELECT pg_advisory_unlock_all()");
  after.get();
}

TEST_F(PgLockConnections, closing_ends_waits_and_sessions) {
  const auto guard = first_.acquire(key_);
  auto waiting = std::async(std::launch::async,
                            [&] { return lock_error_of([&] { static_cast<void>(second_.acquire(key_)); }); });
  ASSERT_TRUE(wait_until([&] { return server_.waiters(key_) == 1; }));
  second_.close();
  EXPECT_EQ(waiting.get().sqlstate(), "55000");
  EXPECT_TRUE(wait_until([&] { return server_.sessions_of("second") == 0; }));
  EXPECT_EQ(lock_error_of([&] { static_cast<void>(second_.try_acquire(key_)); }).failure(),
            LockFailure::unavailable);
  first_.close();
  EXPECT_FALSE(guard.is_held());
  EXPECT_TRUE(wait_until([&] { return server_.holders(key_) == 0; }));
}

TEST_F(PgLockConnections, a_zero_byte_is_refused_here) {
  EXPECT_THROW(static_cast<void>(first_.try_acquire(std::string_view("a\0b", 3))), Error);
  EXPECT_EQ(first_.connection_count(), 0U);
}

TEST_F(PgLockConnections, a_lock_is_released_while_its_connection_waits_for_another) {
  auto mine = first_.acquire(key_);
  auto other = second_.acquire(key_ + " other");
  auto waiting = std::async(std::launch::async, [&] {
    const auto held = first_.acquire(key_ + " waiter's own");
    return first_.acquire(key_ + " other").is_held();
  });
  ASSERT_TRUE(wait_until([&] { return server_.waiters(key_ + " other") == 1; }));
  EXPECT_EQ(first_.release_all(), 2);
  EXPECT_EQ(server_.holders(key_), 0);
  EXPECT_TRUE(wait_until([&] { return server_.waiters(key_ + " other") == 1; }));
  other.release();
  EXPECT_TRUE(waiting.get());
}

TEST_F(PgLockConnections, a_thread_waits_beside_its_own_locks_and_they_can_be_released) {
  static_cast<void>(first_.try_acquire(key_ + " first of all"));
  auto other = second_.acquire(key_ + " other");
  std::promise<void> holds;
  auto waiting = std::async(std::launch::async, [&] {
    const auto held = first_.acquire(key_);
    holds.set_value();
    return first_.acquire(key_ + " other", 60s).is_held() && !held.is_held();
  });
  holds.get_future().wait();
  ASSERT_TRUE(wait_until([&] { return server_.waiters(key_ + " other") == 1; }));
  EXPECT_EQ(server_.sessions_of("first"), 1) << "the server could not see a deadlock";
  const auto begin = BootClock::now();
  first_.release(key_);
  EXPECT_LT(BootClock::now() - begin, 5s);
  EXPECT_EQ(server_.holders(key_), 0);
  EXPECT_TRUE(wait_until([&] { return server_.waiters(key_ + " other") == 1; }));
  other.release();
  EXPECT_TRUE(waiting.get());
}

TEST_F(PgLockConnections, spares_are_kept_for_a_while_and_dropped) {
  auto options = lock_options("thrifty");
  options.spare_lifetime = 300ms;
  PgLockManager thrifty(options);
  auto guard = first_.acquire(key_);
  {
    std::vector<std::jthread> waiters;
    for (int number = 0; number < 3; ++number) {
      waiters.emplace_back([&] { EXPECT_THROW(static_cast<void>(thrifty.acquire(key_, 100ms)), LockError); });
    }
  }
  EXPECT_GE(thrifty.connection_count(), 1U);
  EXPECT_TRUE(wait_until([&] { return server_.sessions_of("thrifty") == 1; }));
}

TEST(LockOptions, wrong_ones_are_named) {
  LockOptions options;
  options.silence_timeout = 1ms;
  EXPECT_THROW(PgLockManager{options}, Error);
  options = {};
  options.conninfo = "no such keyword=1";
  EXPECT_THROW(PgLockManager{options}, Error);
}

}  // namespace
