#include "pgcoord/lock_guard.hpp"

#include <gtest/gtest.h>

#include <stdexcept>
#include <type_traits>

namespace {

using namespace pgcoord;

/// Counts what its guard asks of it.
class CountingHold final : public LockHold {
 public:
  [[nodiscard]] const LockInfo& info() const noexcept override { return info_; }
  [[nodiscard]] bool is_held() const override { return releases == 0; }
  LockRelease release() override {
    if (releases++ > 0) return LockRelease::already_released;
    if (throws) throw std::runtime_error("no server");
    return LockRelease::released;
  }
  void hand_over() override { ++hand_overs; }

  int releases = 0;
  int hand_overs = 0;
  bool throws = false;

 private:
  const LockInfo info_{"k", 1, {}, {}};
};

TEST(LockGuard, T112_info_cannot_be_changed_through_it) {
  static_assert(std::is_same_v<decltype(std::declval<LockGuard&>().info()), const LockInfo&>);
  static_assert(!std::is_copy_constructible_v<LockGuard>);
  const auto hold = std::make_shared<CountingHold>();
  EXPECT_EQ(LockGuard(hold).info().key, "k");
}

TEST(LockGuard, releases_when_it_goes) {
  const auto hold = std::make_shared<CountingHold>();
  { const LockGuard guard(hold); }
  EXPECT_EQ(hold->releases, 1);
}

TEST(LockGuard, says_what_each_release_came_to) {
  const auto hold = std::make_shared<CountingHold>();
  LockGuard guard(hold);
  EXPECT_EQ(guard.release(), LockRelease::released);
  EXPECT_EQ(guard.release(), LockRelease::already_released);
  EXPECT_FALSE(guard.is_held());
  EXPECT_EQ(guard.info().key, "k");
}

TEST(LockGuard, its_destructor_throws_nothing) {
  const auto hold = std::make_shared<CountingHold>();
  hold->throws = true;
  EXPECT_NO_THROW({ const LockGuard guard(hold); });
  EXPECT_EQ(hold->releases, 1);
}

TEST(LockGuard, moving_leaves_one_owner) {
  const auto hold = std::make_shared<CountingHold>();
  {
    LockGuard first(hold);
    const LockGuard second(std::move(first));
    EXPECT_TRUE(second.is_held());
    EXPECT_FALSE(first.is_held());  // NOLINT: a guard that was moved from holds nothing
    EXPECT_EQ(first.release(), LockRelease::already_released);
  }
  EXPECT_EQ(hold->releases, 1);
}

TEST(LockGuard, assigning_releases_what_it_had) {
  const auto old = std::make_shared<CountingHold>();
  const auto fresh = std::make_shared<CountingHold>();
  LockGuard guard(old);
  guard = LockGuard(fresh);
  EXPECT_EQ(old->releases, 1);
  EXPECT_TRUE(guard.is_held());
  guard.hand_over();
  EXPECT_EQ(fresh->hand_overs, 1);
}

}  // namespace
