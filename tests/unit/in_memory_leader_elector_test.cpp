#include "pgcoord/in_memory_leader_elector.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <latch>
#include <thread>

#include "pgcoord/error.hpp"

namespace {

using pgcoord::InMemoryLeaderElector;
using pgcoord::SharedLeaderState;
using testing::ElementsAre;

class InMemoryElector : public testing::Test {
 protected:
  std::function<void(bool)> hear() {
    return [this](bool leads) { heard.push_back(leads); };
  }
  std::shared_ptr<SharedLeaderState> state = std::make_shared<SharedLeaderState>();
  InMemoryLeaderElector first{"first", state};
  InMemoryLeaderElector second{"second", state};
  std::unique_ptr<InMemoryLeaderElector> alone = InMemoryLeaderElector::alone("alone");
  std::vector<bool> heard;
};

TEST_F(InMemoryElector, T8_alone_it_acquires) {
  EXPECT_TRUE(alone->try_acquire());
  EXPECT_TRUE(alone->is_leader());
  EXPECT_EQ(alone->current_leader(), "alone");
}

TEST_F(InMemoryElector, T9_release_ends_leadership) {
  ASSERT_TRUE(alone->try_acquire());
  alone->release();
  EXPECT_FALSE(alone->is_leader());
}

TEST_F(InMemoryElector, T10_the_first_acquires_the_second_does_not) {
  EXPECT_TRUE(first.try_acquire());
  EXPECT_FALSE(second.try_acquire());
  EXPECT_TRUE(first.is_leader());
  EXPECT_FALSE(second.is_leader());
  EXPECT_EQ(state->current_leader(), "first");
}

TEST_F(InMemoryElector, T11_the_second_acquires_after_the_first_released) {
  ASSERT_TRUE(first.try_acquire());
  first.release();
  EXPECT_TRUE(second.try_acquire());
  EXPECT_EQ(state->current_leader(), "second");
}

TEST_F(InMemoryElector, T12_a_callback_hears_true_once_on_acquire) {
  first.on_leader_change(hear());
  first.try_acquire();
  EXPECT_THAT(heard, ElementsAre(true));
}

TEST_F(InMemoryElector, T13_a_callback_hears_both_changes) {
  first.on_leader_change(hear());
  first.try_acquire();
  first.release();
  EXPECT_THAT(heard, ElementsAre(true, false));
}

TEST_F(InMemoryElector, T14_a_throwing_callback_stops_nothing) {
  int reported = 0;
  InMemoryLeaderElector elector("x", state, [&](std::exception_ptr) { ++reported; });
  elector.on_leader_change([](bool) { throw std::runtime_error("on purpose"); });
  elector.on_leader_change(hear());
  EXPECT_TRUE(elector.try_acquire());
  EXPECT_TRUE(elector.is_leader());
  EXPECT_THAT(heard, ElementsAre(true));
  EXPECT_EQ(reported, 1);
}

TEST_F(InMemoryElector, T15_force_lose_ends_leadership) {
  ASSERT_TRUE(alone->try_acquire());
  alone->force_lose_leadership();
  EXPECT_FALSE(alone->is_leader());
}

TEST_F(InMemoryElector, T16_a_removed_callback_is_not_called) {
  const auto id = first.on_leader_change(hear());
  EXPECT_TRUE(first.remove_leader_change_callback(id));
  ASSERT_TRUE(first.try_acquire());
  EXPECT_TRUE(heard.empty());
}

TEST_F(InMemoryElector, T17_ten_concurrent_electors_one_leader) {
  for (int round = 0; round < 50; ++round) {
    const auto shared = std::make_shared<SharedLeaderState>();
    std::vector<std::unique_ptr<InMemoryLeaderElector>> electors;
    for (int i = 0; i < 10; ++i) {
      electors.push_back(std::make_unique<InMemoryLeaderElector>("elector " + std::to_string(i), shared));
    }
    std::latch start(10);
    std::atomic<int> won{0};
    {
      std::vector<std::jthread> threads;
      for (auto& elector : electors) {
        threads.emplace_back([&] {
          start.arrive_and_wait();
          won += elector->try_acquire() ? 1 : 0;
        });
      }
    }
    EXPECT_EQ(won, 1);
    EXPECT_EQ(std::count_if(electors.begin(), electors.end(),
                            [](const auto& elector) { return elector->is_leader(); }),
              1);
  }
}

TEST_F(InMemoryElector, T19_renew_is_true_when_leader) {
  ASSERT_TRUE(first.try_acquire());
  EXPECT_TRUE(first.renew());
}

TEST_F(InMemoryElector, T20_renew_is_false_when_not) { EXPECT_FALSE(first.renew()); }

TEST_F(InMemoryElector, T21_identity_is_the_given_name) { EXPECT_EQ(first.identity(), "first"); }

TEST_F(InMemoryElector, T22_alone_and_not_leader_nobody_leads) {
  EXPECT_EQ(alone->current_leader(), std::nullopt);
}

TEST_F(InMemoryElector, T23_both_report_the_same_leader) {
  ASSERT_TRUE(first.try_acquire());
  EXPECT_EQ(first.current_leader(), "first");
  EXPECT_EQ(second.current_leader(), "first");
}

TEST_F(InMemoryElector, T24_acquiring_again_stays_leader) {
  first.on_leader_change(hear());
  EXPECT_TRUE(first.try_acquire());
  EXPECT_TRUE(first.try_acquire());
  EXPECT_TRUE(first.is_leader());
  EXPECT_THAT(heard, ElementsAre(true));
}

TEST_F(InMemoryElector, T25_release_when_not_leader_does_nothing) {
  ASSERT_TRUE(first.try_acquire());
  second.release();
  EXPECT_TRUE(first.is_leader());
}

TEST_F(InMemoryElector, T26_after_force_lose_the_other_can_acquire) {
  ASSERT_TRUE(first.try_acquire());
  first.force_lose_leadership();
  EXPECT_FALSE(first.is_leader());
  EXPECT_EQ(state->current_leader(), std::nullopt);
  EXPECT_TRUE(second.try_acquire());
}

TEST_F(InMemoryElector, T27_force_lose_fires_callbacks) {
  first.on_leader_change(hear());
  first.try_acquire();
  first.force_lose_leadership();
  EXPECT_THAT(heard, ElementsAre(true, false));
}

TEST_F(InMemoryElector, T28_removing_an_unregistered_callback_is_false) {
  EXPECT_FALSE(first.remove_leader_change_callback(pgcoord::CallbackId{77}));
}

TEST_F(InMemoryElector, T29_several_callbacks_are_each_called_once) {
  for (int i = 0; i < 3; ++i) first.on_leader_change(hear());
  first.try_acquire();
  EXPECT_THAT(heard, ElementsAre(true, true, true));
}

TEST(SharedLeaderState, T30_starts_with_none) {
  EXPECT_EQ(SharedLeaderState().current_leader(), std::nullopt);
}

TEST(SharedLeaderState, T31_can_be_set) {
  SharedLeaderState state;
  state.set_current_leader("x");
  EXPECT_EQ(state.current_leader(), "x");
}

TEST(SharedLeaderState, T32_can_be_cleared) {
  SharedLeaderState state;
  state.set_current_leader("x");
  state.clear();
  EXPECT_EQ(state.current_leader(), std::nullopt);
}

}  // namespace
