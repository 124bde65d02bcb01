#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "pgcoord/leader_elector.hpp"
#include "support/wait.hpp"

namespace pgcoord::test {

/// Remembers what a leader-change callback heard, from whatever thread.
class HeardChanges {
 public:
  LeaderChangeCallback callback() {
    return [this](bool leads) {
      const std::lock_guard lock(mutex_);
      heard_.push_back(leads);
    };
  }
  std::vector<bool> all() const {
    const std::lock_guard lock(mutex_);
    return heard_;
  }
  /// Callbacks may come on another thread, some time after the call.
  bool become(const std::vector<bool>& wanted) const {
    return wait_until([&] { return all() == wanted; });
  }

 private:
  mutable std::mutex mutex_;
  std::vector<bool> heard_;
};

/// What every LeaderElector must do. `World` is default-constructible and offers
/// `LeaderElector& us()` and `LeaderElector* rival()`, null if nothing contends with us.
template <typename World>
class LeaderElectorConformance : public ::testing::Test {
 protected:
  LeaderElector& us() { return world_.us(); }
  LeaderElector* rival() { return world_.rival(); }

 private:
  World world_;
};

TYPED_TEST_SUITE_P(LeaderElectorConformance);

TYPED_TEST_P(LeaderElectorConformance, T92_satisfies_the_interface) {
  static_assert(std::is_base_of_v<LeaderElector, std::remove_reference_t<decltype(this->us())>>);
  EXPECT_FALSE(this->us().is_leader());
}

TYPED_TEST_P(LeaderElectorConformance, T93_identity_is_non_empty_and_stable) {
  const auto first = this->us().identity();
  EXPECT_FALSE(first.empty());
  EXPECT_EQ(this->us().identity(), first);
}

TYPED_TEST_P(LeaderElectorConformance, T94_not_leader_before_acquiring) {
  EXPECT_FALSE(this->us().is_leader());
}

TYPED_TEST_P(LeaderElectorConformance, T95_current_leader_is_not_us_before_acquiring) {
  EXPECT_NE(this->us().current_leader(), this->us().identity());
}

TYPED_TEST_P(LeaderElectorConformance, T96_acquiring_makes_us_leader) {
  EXPECT_TRUE(this->us().try_acquire());
  EXPECT_TRUE(this->us().is_leader());
  EXPECT_EQ(this->us().current_leader(), this->us().identity());
}

TYPED_TEST_P(LeaderElectorConformance, T97_acquiring_twice_stays_leader) {
  EXPECT_TRUE(this->us().try_acquire());
  EXPECT_TRUE(this->us().try_acquire());
  EXPECT_TRUE(this->us().is_leader());
}

TYPED_TEST_P(LeaderElectorConformance, T98_release_ends_leadership) {
  ASSERT_TRUE(this->us().try_acquire());
  this->us().release();
  EXPECT_FALSE(this->us().is_leader());
  EXPECT_NE(this->us().current_leader(), this->us().identity());
}

TYPED_TEST_P(LeaderElectorConformance, T99_release_when_not_leader_is_no_error) {
  EXPECT_NO_THROW(this->us().release());
  EXPECT_FALSE(this->us().is_leader());
}

TYPED_TEST_P(LeaderElectorConformance, T100_release_twice_is_no_error) {
  ASSERT_TRUE(this->us().try_acquire());
  EXPECT_NO_THROW(this->us().release());
  EXPECT_NO_THROW(this->us().release());
  EXPECT_FALSE(this->us().is_leader());
}

TYPED_TEST_P(LeaderElectorConformance, T101_renew_is_false_before_any_acquire) {
  EXPECT_FALSE(this->us().renew());
}

TYPED_TEST_P(LeaderElectorConformance, T102_renew_is_true_while_leading) {
  ASSERT_TRUE(this->us().try_acquire());
  EXPECT_TRUE(this->us().renew());
  EXPECT_TRUE(this->us().is_leader());
}

TYPED_TEST_P(LeaderElectorConformance, T103_renew_is_false_after_release) {
  ASSERT_TRUE(this->us().try_acquire());
  this->us().release();
  EXPECT_FALSE(this->us().renew());
}

TYPED_TEST_P(LeaderElectorConformance, T104_callbacks_hear_exactly_true_then_false) {
  HeardChanges heard;
  const auto id = this->us().on_leader_change(heard.callback());
  ASSERT_TRUE(this->us().try_acquire());
  this->us().release();
  EXPECT_TRUE(heard.become({true, false}));
  EXPECT_TRUE(this->us().remove_leader_change_callback(id));
}

TYPED_TEST_P(LeaderElectorConformance, T105_a_removed_callback_hears_nothing) {
  HeardChanges removed;
  HeardChanges kept;
  const auto id = this->us().on_leader_change(removed.callback());
  const auto other = this->us().on_leader_change(kept.callback());
  EXPECT_TRUE(this->us().remove_leader_change_callback(id));
  ASSERT_TRUE(this->us().try_acquire());
  EXPECT_TRUE(kept.become({true}));
  EXPECT_TRUE(removed.all().empty());
  EXPECT_TRUE(this->us().remove_leader_change_callback(other));
}

TYPED_TEST_P(LeaderElectorConformance, T106_removing_an_unregistered_callback_is_false) {
  EXPECT_FALSE(this->us().remove_leader_change_callback(CallbackId{987654}));
}

TYPED_TEST_P(LeaderElectorConformance, T107_a_rival_cannot_acquire_while_we_lead) {
  if (!this->rival()) GTEST_SKIP() << "nothing contends with us";
  ASSERT_TRUE(this->us().try_acquire());
  EXPECT_FALSE(this->rival()->try_acquire());
  EXPECT_FALSE(this->rival()->is_leader());
  EXPECT_EQ(this->rival()->current_leader(), this->us().identity());
}

TYPED_TEST_P(LeaderElectorConformance, T108_a_rival_acquires_after_our_release) {
  if (!this->rival()) GTEST_SKIP() << "nothing contends with us";
  ASSERT_TRUE(this->us().try_acquire());
  this->us().release();
  EXPECT_TRUE(this->rival()->try_acquire());
  EXPECT_TRUE(this->rival()->is_leader());
  EXPECT_EQ(this->rival()->current_leader(), this->rival()->identity());
}

TYPED_TEST_P(LeaderElectorConformance, T109_a_rivals_renew_is_false_while_we_lead) {
  if (!this->rival()) GTEST_SKIP() << "nothing contends with us";
  ASSERT_TRUE(this->us().try_acquire());
  EXPECT_FALSE(this->rival()->renew());
  EXPECT_TRUE(this->us().is_leader());
}

REGISTER_TYPED_TEST_SUITE_P(LeaderElectorConformance, T92_satisfies_the_interface,
                            T93_identity_is_non_empty_and_stable, T94_not_leader_before_acquiring,
                            T95_current_leader_is_not_us_before_acquiring, T96_acquiring_makes_us_leader,
                            T97_acquiring_twice_stays_leader, T98_release_ends_leadership,
                            T99_release_when_not_leader_is_no_error, T100_release_twice_is_no_error,
                            T101_renew_is_false_before_any_acquire, T102_renew_is_true_while_leading,
                            T103_renew_is_false_after_release, T104_callbacks_hear_exactly_true_then_false,
                            T105_a_removed_callback_hears_nothing,
                            T106_removing_an_unregistered_callback_is_false,
                            T107_a_rival_cannot_acquire_while_we_lead,
                            T108_a_rival_acquires_after_our_release,
                            T109_a_rivals_renew_is_false_while_we_lead);

}  // namespace pgcoord::test
