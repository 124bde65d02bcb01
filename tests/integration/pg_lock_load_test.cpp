// Many threads, many waiters, and what a hold costs others.
#include <gtest/gtest.h>

#include <cstdlib>
#include <future>
#include <random>

#include "support/lock_calls.hpp"
#include "support/lock_server.hpp"

namespace {

using namespace std::chrono_literals;
using namespace pgcoord;
using namespace pgcoord::test;

class PgLockLoad : public testing::Test {
 protected:
  const std::string key_ = fresh_key();
  Observer server_;
  PgLockManager manager_{lock_options("loaded")};
  PgLockManager other_{lock_options("other")};
};

int from_environment(const char* name, int otherwise) {
  const char* value = std::getenv(name);
  return value ? std::atoi(value) : otherwise;
}

TEST_F(PgLockLoad, W3_a_hold_is_no_transaction_and_waits_hold_back_no_vacuum) {
  auto guard = other_.acquire(key_);
  EXPECT_EQ(
      server_.number("SELECT count(*) FROM pg_stat_activity WHERE application_name = 'pgcoord lock other'"
                     " AND xact_start IS NULL AND backend_xmin IS NULL AND state = 'idle'"),
      1);
  std::vector<std::jthread> waiters;
  for (int number = 0; number < 20; ++number) {
    waiters.emplace_back([&] { static_cast<void>(manager_.acquire(key_)); });
  }
  ASSERT_TRUE(wait_until([&] { return server_.waiters(key_) == 20; }));
  server_.exec(
      "CREATE TABLE IF NOT EXISTS busy (n int);"
      "INSERT INTO busy SELECT generate_series(1, 1000); DELETE FROM busy");
  server_.exec("VACUUM busy");
  EXPECT_EQ(server_.value("SELECT pg_relation_size('busy')"), "0") << "dead rows are left";
  guard.release();
}

TEST_F(PgLockLoad, W4_W8_sixteen_threads_on_one_manager) {
  const int rounds = from_environment("PGCOORD_LOCK_ROUNDS", 32);
  std::atomic<int> inside{0};
  std::atomic<int> faults{0};
  const auto work = [&] {
    for (int round = 0; round < rounds; ++round) {
      auto guard = manager_.acquire(key_);
      faults += ++inside == 1 && manager_.is_held(key_) ? 0 : 1;
      --inside;
      faults += guard.release() == LockRelease::released ? 0 : 1;
      if (const auto own = manager_.try_acquire(key_ + " tried")) faults += own->is_held() ? 0 : 1;
    }
  };
  {
    std::vector<std::jthread> threads;
    for (int number = 0; number < 16; ++number) threads.emplace_back(work);
  }
  EXPECT_EQ(faults, 0);
  EXPECT_EQ(manager_.held_lock_count(), 0U);
  EXPECT_EQ(server_.locks_of("loaded"), 0);
}

TEST_F(PgLockLoad, W5_cancelled_waiters_leave_no_backend_and_no_queue_entry) {
  const int wanted = from_environment("PGCOORD_CANCELLED_WAITERS", 1000);
  auto guard = other_.acquire(key_);
  for (int done = 0; done < wanted; done += 50) {
    std::stop_source stop;
    std::atomic<int> told{0};
    std::vector<std::jthread> waiters;
    for (int number = 0; number < 50; ++number) {
      waiters.emplace_back([&] {
        const auto error =
            lock_error_of([&] { static_cast<void>(manager_.acquire(key_, std::nullopt, stop.get_token())); });
        told += error.sqlstate() == "57014" ? 1 : 0;
      });
    }
    ASSERT_TRUE(wait_until([&] { return server_.waiters(key_) == 50; }));
    stop.request_stop();
    waiters.clear();
    EXPECT_EQ(told, 50);
    EXPECT_EQ(server_.waiters(key_), 0);
  }
  EXPECT_TRUE(wait_until([&] { return server_.sessions_of("loaded") <= 5; })) << "more than its spares";
  EXPECT_EQ(server_.locks_of("loaded"), 0);
  manager_.close();
  EXPECT_TRUE(wait_until([&] { return server_.sessions_of("loaded") == 0; }));
  EXPECT_TRUE(guard.is_held());
}

TEST_F(PgLockLoad, W5_a_grant_that_meets_the_cancellation_leaks_nothing) {
  std::mt19937 random(1);
  std::uniform_int_distribution<int> spin(0, 3000);
  for (int round = 0; round < 60; ++round) {
    auto guard = other_.acquire(key_, 20s);
    std::stop_source stop;
    auto waiting = std::async(std::launch::async, [&] {
      try {
        return manager_.acquire(key_, std::nullopt, stop.get_token()).release() == LockRelease::released;
      } catch (const LockError& error) {
        return error.failure() == LockFailure::contended;
      }
    });
    ASSERT_TRUE(wait_until([&] { return server_.waiters(key_) == 1; }));
    std::jthread stopper([&, until = BootClock::now() + std::chrono::microseconds(spin(random))] {
      while (BootClock::now() < until) std::this_thread::yield();
      stop.request_stop();
    });
    guard.release();
    EXPECT_TRUE(waiting.get());
    EXPECT_TRUE(wait_until([&] { return server_.locks_of("loaded") == 0; }));
  }
}

/// In a database of its own, with the extension.
LockOptions options_in(const std::string& database, const std::string& holder) {
  shared_server().install(database);
  auto options = lock_options(holder);
  options.conninfo = shared_server().conninfo(database);
  return options;
}

TEST(PgLockSettings, W3_field_case_20_timeouts_of_the_database_end_neither_hold_nor_wait) {
  const auto options = options_in("impatient", "holder");
  for (const auto* setting :
       {"idle_in_transaction_session_timeout", "idle_session_timeout", "statement_timeout", "lock_timeout"}) {
    shared_server().connect().exec(std::string("ALTER DATABASE impatient SET ") + setting + " = '200ms'");
  }
  PgLockManager holder(options);
  PgLockManager waiter(options);
  auto guard = holder.acquire("k");
  const auto error = lock_error_of([&] { static_cast<void>(waiter.acquire("k", 900ms)); });
  EXPECT_EQ(error.sqlstate(), "55P03") << error.what();
  EXPECT_EQ(guard.release(), LockRelease::released);
}

TEST(PgLockSettings, W7_an_unlock_that_says_no_or_fails_is_no_release) {
  const auto options = options_in("broken", "unlucky");
  PgLockManager manager(options);
  PgLockManager other(options);
  auto root = shared_server().connect("broken");
  root.exec(
      "CREATE OR REPLACE FUNCTION coord.unlock(key text) RETURNS boolean LANGUAGE sql AS 'SELECT false'");
  auto guard = manager.acquire("no");
  EXPECT_EQ(guard.release(), LockRelease::lost);
  root.exec(
      "CREATE OR REPLACE FUNCTION coord.unlock(key text) RETURNS boolean LANGUAGE plpgsql AS "
      "'BEGIN RAISE EXCEPTION ''unlucky''; END'");
  auto failing = manager.acquire("fails");
  EXPECT_EQ(failing.release(), LockRelease::lost);
  EXPECT_TRUE(other.acquire("fails", 10s).is_held()) << "its session ended, and the lock with it";
}

TEST(PgLockSettings, W5_an_attempt_that_is_cancelled_when_it_has_the_lock_leaves_none) {
  const auto options = options_in("cancelled", "cancelled");
  PgLockManager manager(options);
  PgLockManager other(options);
  const auto kept = manager.acquire("kept");
  auto root = shared_server().connect("cancelled");
  root.exec(
      "ALTER FUNCTION coord.try_lock(text) RENAME TO really_try_lock;"
      "CREATE FUNCTION coord.try_lock(key text) RETURNS boolean LANGUAGE plpgsql AS $$"
      "BEGIN PERFORM coord.really_try_lock(key); RAISE EXCEPTION 'cancelled' USING ERRCODE = '57014'; END "
      "$$");
  const auto error = lock_error_of([&] { static_cast<void>(manager.try_acquire("k")); });
  EXPECT_EQ(error.sqlstate(), "57014");
  root.exec(
      "DROP FUNCTION coord.try_lock(text); ALTER FUNCTION coord.really_try_lock(text) RENAME TO try_lock");
  EXPECT_TRUE(other.acquire("k", 10s).is_held());
  EXPECT_TRUE(kept.is_held());
}

TEST(PgLockSettings, field_case_19_a_lock_is_for_one_database) {
  PgLockManager here(lock_options("here"));
  PgLockManager elsewhere(options_in("elsewhere", "elsewhere"));
  const auto guard = here.acquire("one name, two databases");
  EXPECT_TRUE(elsewhere.try_acquire("one name, two databases"));
}

}  // namespace
