// Locks whose connection breaks, is cut, or was never made.
#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>

#include <future>

#include "support/lock_calls.hpp"
#include "support/lock_server.hpp"
#include "support/relay.hpp"

namespace {

using namespace std::chrono_literals;
using namespace pgcoord;
using namespace pgcoord::test;
using testing::HasSubstr;

/// What on_lost heard.
class Losses {
 public:
  explicit Losses(LockManager& manager) {
    manager.on_lost([store = store_](const LockInfo& info, const Failure& reason) {
      const std::lock_guard lock(store->mutex);
      store->heard.emplace_back(info.key, reason);
    });
  }
  std::vector<std::pair<std::string, Failure>> all() const {
    const std::lock_guard lock(store_->mutex);
    return store_->heard;
  }

 private:
  struct Store {
    std::mutex mutex;
    std::vector<std::pair<std::string, Failure>> heard;
  };
  std::shared_ptr<Store> store_ = std::make_shared<Store>();
};

class PgLockFault : public testing::Test {
 protected:
  const std::string key_ = fresh_key();
  Observer server_;
  PgLockManager manager_{lock_options("faulty")};
  PgLockManager other_{lock_options("other")};
};

TEST_F(PgLockFault, W2_a_terminated_session_is_told_within_a_second) {
  const Losses losses(manager_);
  auto guard = manager_.acquire(key_);
  const auto second = manager_.acquire(key_ + " second");
  server_.terminate(key_);
  EXPECT_TRUE(wait_until([&] { return losses.all().size() == 2; }, 1s));
  EXPECT_EQ(losses.all()[0].first, key_);
  EXPECT_EQ(losses.all()[0].second.sqlstate, "57P01");
  EXPECT_FALSE(manager_.is_held(key_));
  EXPECT_FALSE(guard.is_held());
  EXPECT_EQ(manager_.held_lock_count(), 0U);
  EXPECT_EQ(guard.release(), LockRelease::lost);
  EXPECT_EQ(lock_error_of([&] { manager_.release(key_); }).failure(), LockFailure::lost);
  EXPECT_EQ(manager_.release_all(), 0);
  EXPECT_TRUE(other_.try_acquire(key_));
  EXPECT_TRUE(manager_.acquire(key_, 20s).is_held()) << "connects anew";
}

TEST_F(PgLockFault, W2_field_case_4_a_network_that_swallows_everything_is_noticed) {
  Relay relay(shared_server().port());
  auto options = lock_options("swallowed");
  options.conninfo = "host=127.0.0.1 dbname=postgres user=postgres port=" + std::to_string(relay.port());
  options.check_interval = 100ms;
  options.answer_timeout = 300ms;
  PgLockManager cut(options);
  const Losses losses(cut);
  auto guard = cut.acquire(key_);
  relay.freeze();
  EXPECT_TRUE(wait_until([&] { return !losses.all().empty(); }, 2s));
  EXPECT_EQ(guard.release(), LockRelease::lost);
}

TEST_F(PgLockFault, W2_callbacks_may_lock_again_close_and_throw) {
  std::promise<bool> again;
  manager_.on_lost([](const LockInfo&, const Failure&) { throw std::runtime_error("callback"); });
  manager_.on_lost([&](const LockInfo& info, const Failure&) {
    const bool held = manager_.acquire(info.key, 10s).is_held();
    manager_.close();
    again.set_value(held);
  });
  const auto guard = manager_.acquire(key_);
  server_.terminate(key_);
  auto result = again.get_future();
  ASSERT_EQ(result.wait_for(10s), std::future_status::ready);
  EXPECT_TRUE(result.get());
}

TEST_F(PgLockFault, a_waiter_whose_session_is_terminated_is_told) {
  const auto guard = manager_.acquire(key_);
  auto waiting = std::async(std::launch::async,
                            [&] { return lock_error_of([&] { static_cast<void>(other_.acquire(key_)); }); });
  ASSERT_TRUE(wait_until([&] { return server_.waiters(key_) == 1; }));
  server_.terminate(key_, "NOT granted");
  const auto error = waiting.get();
  EXPECT_EQ(error.failure(), LockFailure::unavailable);
  EXPECT_EQ(error.sqlstate(), "57P01");
  EXPECT_TRUE(guard.is_held());
}

TEST_F(PgLockFault, W9_the_timeout_covers_connecting) {
  Relay silent(shared_server().port());
  silent.freeze();
  auto options = lock_options("patient");
  options.conninfo = "host=127.0.0.1 dbname=postgres user=postgres port=" + std::to_string(silent.port());
  PgLockManager patient(options);
  const auto begin = BootClock::now();
  const auto error = lock_error_of([&] { static_cast<void>(patient.acquire(key_, 200ms)); });
  EXPECT_GE(BootClock::now() - begin, 200ms);
  EXPECT_LT(BootClock::now() - begin, 700ms);
  EXPECT_EQ(error.failure(), LockFailure::unavailable);
  EXPECT_EQ(error.timeout(), 200ms);
}

TEST_F(PgLockFault, W14_no_server_is_the_same_error_by_either_way) {
  auto options = lock_options("lonely");
  options.conninfo = "host=127.0.0.1 dbname=postgres user=postgres port=1";
  PgLockManager lonely(options);
  const auto tried = lock_error_of([&] { static_cast<void>(lonely.try_acquire(key_)); });
  const auto acquired = lock_error_of([&] { static_cast<void>(lonely.acquire(key_, 5s)); });
  for (const auto& error : {tried, acquired}) {
    EXPECT_EQ(error.failure(), LockFailure::unavailable);
    EXPECT_EQ(error.sqlstate(), "08001");
    EXPECT_EQ(error.key(), key_);
    EXPECT_THAT(error.what(), HasSubstr("Failed to acquire lock '" + key_ + "'"));
  }
}

TEST_F(PgLockFault, W16_two_keys_with_one_number_are_an_error) {
  static_cast<void>(manager_.acquire(key_));
  server_.exec("UPDATE coord._lock SET key = 'another' WHERE lock_id = $1::bigint",
               {std::to_string(lock_key(key_))});
  for (const auto timeout : {LockManager::Timeout(), LockManager::Timeout(1s)}) {
    const auto error = lock_error_of([&] { static_cast<void>(other_.acquire(key_, timeout)); });
    EXPECT_EQ(error.sqlstate(), "PC004");
    EXPECT_EQ(error.failure(), LockFailure::unavailable);
  }
  EXPECT_EQ(server_.holders(key_), 0);
}

TEST_F(PgLockFault, W17_a_pool_that_shares_sessions_is_refused) {
  Relay pool(shared_server().port(), true);
  auto options = lock_options("pooled");
  options.conninfo = "host=127.0.0.1 dbname=postgres user=postgres port=" + std::to_string(pool.port());
  PgLockManager pooled(options);
  const auto error = lock_error_of([&] { static_cast<void>(pooled.try_acquire(key_)); });
  EXPECT_EQ(error.sqlstate(), "08P01");
  EXPECT_EQ(error.failure(), LockFailure::unavailable);
  EXPECT_EQ(server_.holders(key_), 0);
}

TEST_F(PgLockFault, field_case_85_a_child_of_fork_touches_nothing) {
  auto guard = std::make_unique<LockGuard>(manager_.acquire(key_));
  const pid_t child = fork();
  if (child == 0) {
    int faults = manager_.is_held(key_) || guard->is_held() ? 1 : 0;
    faults += guard->release() == LockRelease::lost ? 0 : 1;
    guard.reset();
    try {
      static_cast<void>(manager_.try_acquire(key_));
      ++faults;
    } catch (const Error& error) {
      faults += error.sqlstate() == sqlstate::not_usable ? 0 : 1;
    }
    manager_.~PgLockManager();
    _exit(faults);
  }
  int status = 0;
  ASSERT_TRUE(wait_until([&] { return waitpid(child, &status, WNOHANG) == child; }));
  EXPECT_EQ(status, 0);
  EXPECT_EQ(guard->release(), LockRelease::released);
  EXPECT_TRUE(other_.try_acquire(key_));
}

TEST(PgLockStandby, field_case_118_a_standby_is_unavailable_and_the_next_host_is_taken) {
  Server primary;
  primary.install();
  const auto standby = primary.add_standby();
  auto options = lock_options("reader", *standby);
  PgLockManager reader(options);
  const auto error = lock_error_of([&] { static_cast<void>(reader.acquire("k", 5s)); });
  EXPECT_EQ(error.failure(), LockFailure::unavailable);
  EXPECT_EQ(error.sqlstate(), "25006");
  options.conninfo = "host=127.0.0.1,127.0.0.1 port=" + std::to_string(standby->port()) + "," +
                     std::to_string(primary.port()) + " dbname=postgres user=postgres";
  PgLockManager finder(options);
  const auto guard = finder.acquire("k", 5s);
  EXPECT_EQ(Observer(primary).holders("k"), 1);
}

}  // namespace
