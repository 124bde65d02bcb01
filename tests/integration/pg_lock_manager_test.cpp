// PgLockManager on a real server: what every lock manager must do, and what only this one can.
#include "pgcoord/pg_lock_manager.hpp"

#include "support/lock_manager_conformance.hpp"
#include "support/lock_server.hpp"
#include "support/spans.hpp"

namespace {

using namespace std::chrono_literals;
using namespace pgcoord;
using pgcoord::test::fresh_key;
using pgcoord::test::lock_error_of;
using pgcoord::test::lock_options;
using pgcoord::test::Observer;
using pgcoord::test::SpanRecorder;
using pgcoord::test::wait_until;

class PgWorld {
 public:
  LockManager& us() { return us_; }
  LockManager& rival() { return rival_; }
  std::string key(int number) { return base_ + " " + std::to_string(number); }
  int waiters(const std::string& key) { return server_.waiters(key); }

 private:
  std::string base_ = fresh_key();
  Observer server_;
  PgLockManager us_{lock_options("us")};
  PgLockManager rival_{lock_options("rival")};
};

}  // namespace

namespace pgcoord::test {
INSTANTIATE_TYPED_TEST_SUITE_P(Pg, LockManagerConformance, PgWorld);
}

namespace {

class PgLocks : public testing::Test {
 protected:
  const std::string key_ = fresh_key();
  Observer server_;
  PgLockManager first_{lock_options("first")};
  PgLockManager second_{lock_options("second")};
};

TEST_F(PgLocks, T137_scoped_info_and_holder) {
  {
    const auto guard = first_.acquire(key_);
    EXPECT_EQ(guard.info().key, key_);
    EXPECT_GT(guard.info().lock_id, 0);
    EXPECT_EQ(guard.info().holder_id, "first");
    EXPECT_TRUE(first_.is_held(key_));
    EXPECT_EQ(server_.holders(key_), 1);
  }
  EXPECT_FALSE(first_.is_held(key_));
  EXPECT_EQ(server_.holders(key_), 0);
}

TEST_F(PgLocks, T138_same_key_twice_in_sequence) {
  for (int round = 0; round < 2; ++round) EXPECT_TRUE(first_.acquire(key_).is_held());
}

TEST_F(PgLocks, T139_try_acquire_returns_info) {
  const auto guard = first_.try_acquire(key_);
  ASSERT_TRUE(guard);
  EXPECT_EQ(guard->info().key, key_);
  EXPECT_GT(guard->info().lock_id, 0);
}

TEST_F(PgLocks, T140_try_acquire_then_release) {
  auto guard = first_.try_acquire(key_);
  EXPECT_TRUE(first_.is_held(key_));
  first_.release(key_);
  EXPECT_FALSE(first_.is_held(key_));
  EXPECT_EQ(server_.holders(key_), 0);
  EXPECT_EQ(guard->release(), LockRelease::already_released);
}

TEST_F(PgLocks, T141_T142_second_manager_only_after_release) {
  auto guard = first_.acquire(key_);
  EXPECT_FALSE(second_.try_acquire(key_));
  EXPECT_EQ(guard.release(), LockRelease::released);
  EXPECT_TRUE(second_.try_acquire(key_));
}

TEST_F(PgLocks, T143_different_keys_do_not_block) {
  const auto one = first_.acquire(key_);
  EXPECT_TRUE(second_.try_acquire(key_ + " other"));
}

TEST_F(PgLocks, T144_timeout_error_says_key_timeout_and_reason) {
  const auto guard = first_.acquire(key_);
  const auto error = lock_error_of([&] { static_cast<void>(second_.acquire(key_, 200ms)); });
  EXPECT_EQ(error.key(), key_);
  EXPECT_EQ(error.timeout(), 200ms);
  EXPECT_EQ(error.failure(), LockFailure::contended);
  EXPECT_EQ(error.sqlstate(), "55P03");
  EXPECT_EQ(error.what(), "Failed to acquire lock '" + key_ + "': Timeout after 0.2s");
}

TEST_F(PgLocks, T145_free_key_with_a_timeout) { EXPECT_TRUE(first_.acquire(key_, 5s).is_held()); }

TEST_F(PgLocks, T146_W9_a_timeout_is_a_bound) {
  const auto guard = first_.acquire(key_);
  static_cast<void>(second_.try_acquire(key_));  // connects
  const auto begin = BootClock::now();
  EXPECT_THROW(static_cast<void>(second_.acquire(key_, 300ms)), LockError);
  EXPECT_GE(BootClock::now() - begin, 300ms);
  EXPECT_LT(BootClock::now() - begin, 800ms);
  EXPECT_EQ(server_.waiters(key_), 0);
}

TEST_F(PgLocks, T147_released_after_a_body_exception) {
  try {
    const auto guard = first_.acquire(key_);
    throw std::runtime_error("body");
  } catch (const std::runtime_error&) {
  }
  EXPECT_FALSE(first_.is_held(key_));
  EXPECT_EQ(server_.holders(key_), 0);
}

TEST_F(PgLocks, T148_released_when_the_holder_is_stopped) {
  std::promise<void> holds;
  std::jthread worker([&](const std::stop_token& stop) {
    const auto guard = first_.acquire(key_);
    holds.set_value();
    wait_until([&] { return stop.stop_requested(); });
  });
  holds.get_future().wait();
  worker.request_stop();
  worker.join();
  EXPECT_FALSE(first_.is_held(key_));
  EXPECT_EQ(server_.holders(key_), 0);
}

TEST_F(PgLocks, T149_release_all_of_three) {
  std::vector<LockGuard> guards;
  for (int number = 0; number < 3; ++number) guards.push_back(first_.acquire(key_ + std::to_string(number)));
  EXPECT_EQ(first_.held_lock_count(), 3U);
  EXPECT_EQ(first_.release_all(), 3);
  EXPECT_EQ(first_.held_lock_count(), 0U);
  for (int number = 0; number < 3; ++number) {
    EXPECT_FALSE(first_.is_held(key_ + std::to_string(number)));
    EXPECT_EQ(server_.holders(key_ + std::to_string(number)), 0);
  }
}

TEST_F(PgLocks, T150_release_all_of_none) { EXPECT_EQ(first_.release_all(), 0); }

TEST_F(PgLocks, T151_release_of_an_unheld_key) {
  const auto error = lock_error_of([&] { first_.release(key_); });
  EXPECT_EQ(error.failure(), LockFailure::not_held);
  EXPECT_EQ(error.key(), key_);
}

TEST_F(PgLocks, T152_unknown_key_is_not_held) { EXPECT_FALSE(first_.is_held("never heard of")); }

TEST_F(PgLocks, T153_of_two_attempts_at_once_one_succeeds) {
  auto other = std::async(std::launch::async, [&] { return second_.try_acquire(key_); });
  const auto mine = first_.try_acquire(key_);
  const auto theirs = other.get();
  EXPECT_NE(mine.has_value(), theirs.has_value());
}

TEST_F(PgLocks, T154_a_waiting_acquire_comes_second) {
  auto guard = first_.acquire(key_);
  auto second = std::async(std::launch::async, [&] { return second_.acquire(key_).info().acquired_at; });
  ASSERT_TRUE(wait_until([&] { return server_.waiters(key_) == 1; }));
  EXPECT_EQ(second.wait_for(0s), std::future_status::timeout);
  const auto released = std::chrono::system_clock::now();
  guard.release();
  EXPECT_GE(second.get(), released);
}

TEST_F(PgLocks, T155_helper_key_can_be_locked) {
  const auto key = migration_lock_key("550e8400-e29b-41d4-a716-446655440000", key_);
  EXPECT_EQ(first_.acquire(key).info().key, key);
}

TEST_F(PgLocks, T156_migration_and_cutover_of_one_tenant) {
  const std::string tenant = "550e8400-e29b-41d4-a716-446655440001";
  const auto migration = first_.acquire(migration_lock_key(tenant));
  EXPECT_TRUE(second_.try_acquire(migration_lock_key(tenant, "cutover")));
}

TEST_F(PgLocks, T123_T126_spans_of_the_real_one) {
  const auto recorder = std::make_shared<SpanRecorder>();
  auto options = lock_options("traced");
  options.tracer = recorder;
  PgLockManager traced(options);
  traced.acquire(key_, 5s).release();
  const auto acquired = recorder->named(trace::lock_acquire);
  ASSERT_EQ(acquired.size(), 1U);
  EXPECT_EQ(std::get<double>(acquired[0].attributes.at(std::string(trace::lock_timeout))), 5.0);
  EXPECT_TRUE(std::get<bool>(acquired[0].attributes.at(std::string(trace::lock_acquired))));
  EXPECT_EQ(recorder->named(trace::lock_hold).size(), 1U);
  EXPECT_EQ(recorder->named(trace::lock_release).size(), 1U);
}

}  // namespace
