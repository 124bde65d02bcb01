// The in-memory elector's rules by number, and the faults that it must not have.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "pgcoord/error.hpp"
#include "pgcoord/in_memory_leader_elector.hpp"

namespace {

using namespace std::chrono_literals;
using pgcoord::Error;
using pgcoord::InMemoryLeaderElector;
using pgcoord::SharedLeaderState;
using testing::ElementsAre;

class InMemoryRules : public testing::Test {
 protected:
  std::shared_ptr<SharedLeaderState> state = std::make_shared<SharedLeaderState>();
  InMemoryLeaderElector first{"first", state};
  InMemoryLeaderElector second{"second", state};
  std::vector<std::string> heard;
};

TEST_F(InMemoryRules, E1_alone_means_two_can_lead) {
  const auto one = InMemoryLeaderElector::alone("x");
  const auto two = InMemoryLeaderElector::alone("x");
  EXPECT_TRUE(one->try_acquire());
  EXPECT_TRUE(two->try_acquire());
}

TEST_F(InMemoryRules, E2_a_foreign_leader_in_the_state_excludes_all) {
  state->set_current_leader("somebody");
  EXPECT_FALSE(first.try_acquire());
  EXPECT_EQ(first.current_leader(), "somebody");
}

TEST_F(InMemoryRules, E3_the_timeout_does_not_matter) {
  EXPECT_TRUE(first.try_acquire(-1s));
  EXPECT_FALSE(second.try_acquire(0s));
}

TEST_F(InMemoryRules, E4_loss_callbacks_already_see_no_leader) {
  std::optional<std::string> seen = "not called";
  first.try_acquire();
  first.on_leader_change([&](bool) { seen = first.current_leader(); });
  first.release();
  EXPECT_EQ(seen, std::nullopt);
}

TEST_F(InMemoryRules, E5_renew_changes_nothing) {
  first.on_leader_change([&](bool) { heard.emplace_back("change"); });
  EXPECT_FALSE(first.renew());
  EXPECT_EQ(state->current_leader(), std::nullopt);
  EXPECT_TRUE(heard.empty());
}

TEST_F(InMemoryRules, E6_force_lose_by_a_follower_does_nothing) {
  first.try_acquire();
  second.force_lose_leadership();
  EXPECT_TRUE(first.is_leader());
  EXPECT_EQ(state->current_leader(), "first");
}

TEST_F(InMemoryRules, E7_during_gain_callbacks_the_gain_is_visible_to_all) {
  bool rival_won = true;
  bool led = false;
  first.on_leader_change([&](bool) {
    led = first.is_leader();
    rival_won = second.try_acquire();
  });
  first.try_acquire();
  EXPECT_TRUE(led);
  EXPECT_FALSE(rival_won);
}

TEST_F(InMemoryRules, E7_callbacks_run_in_order_of_registration) {
  first.on_leader_change([&](bool) { heard.emplace_back("one"); });
  first.on_leader_change([&](bool) { heard.emplace_back("two"); });
  first.try_acquire();
  EXPECT_THAT(heard, ElementsAre("one", "two"));
}

TEST_F(InMemoryRules, E8_a_callback_registered_twice_is_called_twice_and_removed_singly) {
  const std::function<void(bool)> callback = [&](bool) { heard.emplace_back("x"); };
  const auto id = first.on_leader_change(callback);
  first.on_leader_change(callback);
  first.try_acquire();
  EXPECT_EQ(heard.size(), 2U);
  EXPECT_TRUE(first.remove_leader_change_callback(id));
  first.release();
  EXPECT_EQ(heard.size(), 3U);
}

TEST_F(InMemoryRules, E9_two_threads_never_both_lead) {
  std::atomic<int> leading{0};
  std::atomic<bool> both{false};
  const auto contend = [&](InMemoryLeaderElector& elector) {
    for (int i = 0; i < 2000; ++i) {
      if (!elector.try_acquire()) continue;
      if (++leading > 1) both = true;
      --leading;
      elector.release();
    }
  };
  {
    const std::jthread one(contend, std::ref(first));
    const std::jthread two(contend, std::ref(second));
  }
  EXPECT_FALSE(both);
}

TEST_F(InMemoryRules, E10_W13_two_electors_of_one_name_exclude_each_other) {
  InMemoryLeaderElector twin("first", state);
  EXPECT_TRUE(first.try_acquire());
  EXPECT_FALSE(twin.try_acquire());
  EXPECT_FALSE(twin.is_leader());
  EXPECT_FALSE(twin.renew());
  twin.release();
  EXPECT_TRUE(first.is_leader());
}

TEST_F(InMemoryRules, W13_a_state_changed_elsewhere_displaces_the_leader) {
  first.on_leader_change([&](bool leads) { heard.emplace_back(leads ? "gain" : "loss"); });
  first.try_acquire();
  state->set_current_leader("somebody");
  EXPECT_FALSE(first.is_leader());
  EXPECT_FALSE(first.renew());
  EXPECT_THAT(heard, ElementsAre("gain", "loss"));
  first.release();
  EXPECT_EQ(state->current_leader(), "somebody");
  state->clear();
  EXPECT_TRUE(second.try_acquire());
}

TEST_F(InMemoryRules, W13_callbacks_may_call_back) {
  first.on_leader_change([&](bool leads) {
    heard.emplace_back(leads ? "gain" : "loss");
    if (leads) first.release();
  });
  first.on_leader_change([&](bool leads) { heard.emplace_back(leads ? "gain 2" : "loss 2"); });
  EXPECT_TRUE(first.try_acquire());
  EXPECT_FALSE(first.is_leader());
  EXPECT_THAT(heard, ElementsAre("gain", "gain 2", "loss", "loss 2"));
}

TEST_F(InMemoryRules, W13_leading_without_contenders_has_to_be_asked_for) {
  EXPECT_THROW(InMemoryLeaderElector("x", nullptr), Error);
}

TEST_F(InMemoryRules, W27_a_callback_that_removes_itself_skips_nobody) {
  pgcoord::CallbackId id{};
  id = first.on_leader_change([&](bool) {
    heard.emplace_back("once");
    first.remove_leader_change_callback(id);
  });
  first.on_leader_change([&](bool) { heard.emplace_back("always"); });
  first.try_acquire();
  first.release();
  EXPECT_THAT(heard, ElementsAre("once", "always", "always"));
}

TEST_F(InMemoryRules, W32_every_term_has_a_greater_token) {
  EXPECT_EQ(first.token(), std::nullopt);
  first.try_acquire();
  const auto before = first.token();
  EXPECT_EQ(second.token(), std::nullopt);
  first.release();
  second.try_acquire();
  EXPECT_EQ(first.token(), std::nullopt);
  EXPECT_GT(second.token(), before);
}

TEST_F(InMemoryRules, W32_an_elector_that_is_destroyed_leads_no_more) {
  {
    InMemoryLeaderElector passing("passing", state);
    ASSERT_TRUE(passing.try_acquire());
  }
  EXPECT_EQ(state->current_leader(), std::nullopt);
  EXPECT_TRUE(first.try_acquire());
}

TEST_F(InMemoryRules, bad_names_are_refused) {
  for (const auto& name : {std::string(), std::string(201, 'x'), std::string("a\nb")}) {
    try {
      const InMemoryLeaderElector elector(name, state);
      ADD_FAILURE() << "accepted";
    } catch (const Error& error) {
      EXPECT_EQ(error.sqlstate(), "22023");
    }
  }
}

}  // namespace
