#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "pgcoord/lock_key.hpp"
#include "pgcoord/lock_manager.hpp"
#include "support/lock_calls.hpp"
#include "support/wait.hpp"

namespace pgcoord::test {

/// What every LockManager must do. `World` is default-constructible and offers `LockManager& us()`,
/// `LockManager& rival()`, which contends with us, `std::string key(n)`, one of its own keys, and `int
/// waiters(key)`.
template <typename World>
class LockManagerConformance : public ::testing::Test {
 protected:
  LockManager& us() { return world_.us(); }
  LockManager& rival() { return world_.rival(); }
  std::string key(int number = 1) { return world_.key(number); }
  bool queued(const std::string& key, int count) {
    return wait_until([&] { return world_.waiters(key) == count; });
  }

 private:
  World world_;
};

TYPED_TEST_SUITE_P(LockManagerConformance);

TYPED_TEST_P(LockManagerConformance, T127_acquire_yields_info_with_the_key) {
  const auto guard = this->us().acquire(this->key());
  EXPECT_EQ(guard.info().key, this->key());
  EXPECT_EQ(guard.info().lock_id, lock_key(this->key()));
}

TYPED_TEST_P(LockManagerConformance, T128_held_inside_and_not_after) {
  {
    const auto guard = this->us().acquire(this->key());
    EXPECT_TRUE(this->us().is_held(this->key()));
    EXPECT_TRUE(guard.is_held());
    EXPECT_FALSE(this->rival().is_held(this->key()));
  }
  EXPECT_FALSE(this->us().is_held(this->key()));
}

TYPED_TEST_P(LockManagerConformance, T129_an_exception_of_the_body_passes_and_releases) {
  const auto thrown = std::make_exception_ptr(std::runtime_error("body"));
  try {
    const auto guard = this->us().acquire(this->key());
    std::rethrow_exception(thrown);
  } catch (const std::runtime_error&) {
    EXPECT_EQ(std::current_exception(), thrown);
  }
  EXPECT_FALSE(this->us().is_held(this->key()));
  EXPECT_TRUE(this->rival().try_acquire(this->key()));
}

TYPED_TEST_P(LockManagerConformance, T130_try_acquire_once_and_not_again_by_the_same_manager) {
  const auto first = this->us().try_acquire(this->key());
  ASSERT_TRUE(first);
  EXPECT_FALSE(this->us().try_acquire(this->key()));
  EXPECT_TRUE(first->is_held());
}

TYPED_TEST_P(LockManagerConformance, T131_release_makes_it_free_again) {
  const auto first = this->us().try_acquire(this->key());
  this->us().release(this->key());
  EXPECT_TRUE(this->us().try_acquire(this->key()));
  EXPECT_FALSE(first->is_held());
}

TYPED_TEST_P(LockManagerConformance, T132_releasing_what_was_never_held_is_an_error) {
  const auto error = lock_error_of([&] { this->us().release(this->key()); });
  EXPECT_EQ(error.failure(), LockFailure::not_held);
  EXPECT_EQ(error.key(), this->key());
}

TYPED_TEST_P(LockManagerConformance, T133_a_bounded_wait_for_ones_own_lock_ends) {
  const auto guard = this->us().acquire(this->key());
  const auto error = lock_error_of(
      [&] { static_cast<void>(this->us().acquire(this->key(), std::chrono::milliseconds(50))); });
  EXPECT_EQ(error.failure(), LockFailure::contended);
  EXPECT_EQ(error.timeout(), std::chrono::milliseconds(50));
  EXPECT_TRUE(guard.is_held());
}

TYPED_TEST_P(LockManagerConformance, T134_different_keys_nest) {
  const auto outer = this->us().acquire(this->key(1));
  { const auto inner = this->us().acquire(this->key(2)); }
  EXPECT_TRUE(this->us().is_held(this->key(1)));
  EXPECT_FALSE(this->us().is_held(this->key(2)));
}

TYPED_TEST_P(LockManagerConformance, T135_release_all_counts_what_was_held) {
  const auto one = this->us().try_acquire(this->key(1));
  const auto two = this->us().try_acquire(this->key(2));
  EXPECT_EQ(this->us().held_lock_count(), 2U);
  EXPECT_EQ(this->us().release_all(), 2);
  EXPECT_EQ(this->us().held_lock_count(), 0U);
  EXPECT_TRUE(this->rival().try_acquire(this->key(1)));
}

TYPED_TEST_P(LockManagerConformance, T136_a_key_keeps_its_number) {
  const auto first = this->us().acquire(this->key()).info().lock_id;
  EXPECT_EQ(this->us().acquire(this->key()).info().lock_id, first);
}

TYPED_TEST_P(LockManagerConformance, W6_a_guard_released_early_leaves_the_next_holder_alone) {
  {
    auto early = this->us().acquire(this->key());
    this->us().release(this->key());
    const auto next = this->us().acquire(this->key());
    EXPECT_EQ(early.release(), LockRelease::already_released);
    EXPECT_TRUE(next.is_held());
    EXPECT_FALSE(this->rival().try_acquire(this->key()));
  }
  EXPECT_TRUE(this->rival().try_acquire(this->key()));
}

TYPED_TEST_P(LockManagerConformance, W6_release_all_in_a_scope_and_a_rival_after_it) {
  auto early = std::make_unique<LockGuard>(this->us().acquire(this->key()));
  EXPECT_EQ(this->us().release_all(), 1);
  const auto rival = this->rival().try_acquire(this->key());
  ASSERT_TRUE(rival);
  early.reset();
  EXPECT_TRUE(rival->is_held());
  EXPECT_FALSE(this->us().try_acquire(this->key()));
}

TYPED_TEST_P(LockManagerConformance, W8_of_two_releases_one_succeeds) {
  for (int round = 0; round < 20; ++round) {
    auto guard = this->us().acquire(this->key());
    const auto release = [&] {
      try {
        this->us().release(this->key());
        return 1;
      } catch (const LockError& error) {
        return error.failure() == LockFailure::not_held ? 0 : 100;
      }
    };
    auto other = std::async(std::launch::async, release);
    EXPECT_EQ(release() + other.get(), 1);
    EXPECT_EQ(guard.release(), LockRelease::already_released);
  }
}

TYPED_TEST_P(LockManagerConformance, W11_waiting_for_oneself_without_end_is_refused) {
  const auto guard = this->us().acquire(this->key());
  const auto error = lock_error_of([&] { static_cast<void>(this->us().acquire(this->key())); });
  EXPECT_EQ(error.failure(), LockFailure::contended);
  EXPECT_EQ(error.sqlstate(), "40P01");
  EXPECT_TRUE(guard.is_held());
}

TYPED_TEST_P(LockManagerConformance, W11_a_lock_handed_over_may_be_waited_for) {
  auto guard = this->us().acquire(this->key());
  guard.hand_over();
  std::jthread other([&, owned = std::move(guard)]() mutable {
    EXPECT_TRUE(this->queued(this->key(), 1));
    EXPECT_EQ(owned.release(), LockRelease::released);
  });
  EXPECT_TRUE(this->us().acquire(this->key()).is_held());
}

TYPED_TEST_P(LockManagerConformance, W11_deadlock_over_one_manager_is_told) {
  Crossed seen;
  cross(this->us(), this->us(), this->key(1), this->key(2), seen);
  EXPECT_EQ(seen.told, 1);
  EXPECT_EQ(seen.granted, 1);
  EXPECT_EQ(this->us().held_lock_count(), 0U);
}

TYPED_TEST_P(LockManagerConformance, W11_deadlock_over_two_managers_is_told) {
  Crossed seen;
  cross(this->us(), this->rival(), this->key(1), this->key(2), seen);
  EXPECT_EQ(seen.told, 1);
  EXPECT_EQ(seen.granted, 1);
}

TYPED_TEST_P(LockManagerConformance, W18_one_attempt_on_a_free_key_succeeds) {
  EXPECT_TRUE(this->us().acquire(this->key(1), Duration::zero()).is_held());
  EXPECT_TRUE(this->us().acquire(this->key(2), std::chrono::seconds(-1)).is_held());
  const auto guard = this->rival().acquire(this->key(1));
  const auto error = lock_error_of([&] { static_cast<void>(this->us().acquire(this->key(1), Duration())); });
  EXPECT_EQ(error.failure(), LockFailure::contended);
  EXPECT_EQ(error.timeout(), Duration::zero());
}

TYPED_TEST_P(LockManagerConformance, W5_a_stopped_wait_leaves_nothing) {
  auto guard = this->rival().acquire(this->key());
  std::stop_source stop;
  auto waiting = std::async(std::launch::async, [&] {
    return lock_error_of(
        [&] { static_cast<void>(this->us().acquire(this->key(), std::nullopt, stop.get_token())); });
  });
  ASSERT_TRUE(this->queued(this->key(), 1));
  stop.request_stop();
  const auto error = waiting.get();
  EXPECT_EQ(error.failure(), LockFailure::contended);
  EXPECT_EQ(error.sqlstate(), "57014");
  EXPECT_TRUE(this->queued(this->key(), 0));
  guard.release();
  EXPECT_EQ(this->us().held_lock_count(), 0U);
  EXPECT_TRUE(this->rival().try_acquire(this->key()));
}

TYPED_TEST_P(LockManagerConformance, W10_waiters_are_served_in_their_order) {
  auto guard = this->us().acquire(this->key());
  std::mutex mutex;
  std::vector<int> order;
  std::vector<std::jthread> waiters;
  for (int number = 0; number < 6; ++number) {
    waiters.emplace_back([&, number] {
      LockManager& manager = number % 2 == 0 ? this->us() : this->rival();
      const auto timeout = number % 3 == 0 ? LockManager::Timeout(std::chrono::seconds(30)) : std::nullopt;
      const auto granted = manager.acquire(this->key(), timeout);
      const std::lock_guard lock(mutex);
      order.push_back(number);
    });
    ASSERT_TRUE(this->queued(this->key(), number + 1));
  }
  guard.release();
  waiters.clear();
  EXPECT_THAT(order, testing::ElementsAre(0, 1, 2, 3, 4, 5));
}

REGISTER_TYPED_TEST_SUITE_P(LockManagerConformance, T127_acquire_yields_info_with_the_key,
                            T128_held_inside_and_not_after, T129_an_exception_of_the_body_passes_and_releases,
                            T130_try_acquire_once_and_not_again_by_the_same_manager,
                            T131_release_makes_it_free_again, T132_releasing_what_was_never_held_is_an_error,
                            T133_a_bounded_wait_for_ones_own_lock_ends, T134_different_keys_nest,
                            T135_release_all_counts_what_was_held, T136_a_key_keeps_its_number,
                            W6_a_guard_released_early_leaves_the_next_holder_alone,
                            W6_release_all_in_a_scope_and_a_rival_after_it, W8_of_two_releases_one_succeeds,
                            W11_waiting_for_oneself_without_end_is_refused,
                            W11_a_lock_handed_over_may_be_waited_for, W11_deadlock_over_one_manager_is_told,
                            W11_deadlock_over_two_managers_is_told, W18_one_attempt_on_a_free_key_succeeds,
                            W5_a_stopped_wait_leaves_nothing, W10_waiters_are_served_in_their_order);

}  // namespace pgcoord::test
