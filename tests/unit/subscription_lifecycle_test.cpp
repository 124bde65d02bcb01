#include "pgcoord/subscription_lifecycle.hpp"

#include "coordinator_fixture.hpp"
#include "pgcoord/in_memory_leader_elector.hpp"

namespace pgcoord::test {
namespace {

using testing::HasSubstr;

class SubscriptionLifecycleTest : public testing::Test {
 protected:
  /// The words of the refusal, or nothing.
  static std::string start(SubscriptionLifecycle& lifecycle, const std::string& name = "orders") {
    try {
      lifecycle.start(name);
      return {};
    } catch (const Error& error) {
      return error.sqlstate() + " " + error.what() + " " + error.detail();
    }
  }
  void expect_blocked(LeaderElector& elector) {
    SubscriptionLifecycle lifecycle(&elector);
    lifecycle.add("orders", [this] { ++started_; });
    EXPECT_THAT(start(lifecycle), HasSubstr("PC005"));
    EXPECT_EQ(started_, 0);
    EXPECT_EQ(lifecycle.state("orders"), SubscriptionState::failed);
  }
  int started_ = 0;
};

TEST_F(SubscriptionLifecycleTest, T163_without_elector_it_starts) {
  SubscriptionLifecycle lifecycle;
  lifecycle.add("orders", [this] { ++started_; });
  EXPECT_EQ(lifecycle.state("orders"), SubscriptionState::idle);
  EXPECT_EQ(start(lifecycle), "");
  EXPECT_EQ(started_, 1);
  EXPECT_EQ(lifecycle.state("orders"), SubscriptionState::running);
  EXPECT_EQ(start(lifecycle), "");
  EXPECT_EQ(started_, 1) << "a running one is not started again";
}

TEST_F(SubscriptionLifecycleTest, T164_a_leader_starts) {
  InMemoryLeaderElector elector("anna", std::make_shared<SharedLeaderState>());
  elector.try_acquire();
  SubscriptionLifecycle lifecycle(&elector);
  lifecycle.add("orders", [this] { ++started_; });
  EXPECT_EQ(start(lifecycle), "");
  EXPECT_EQ(started_, 1);
}

TEST_F(SubscriptionLifecycleTest, T165_a_follower_is_blocked_and_named) {
  InMemoryLeaderElector elector("anna", std::make_shared<SharedLeaderState>());
  SubscriptionLifecycle lifecycle(&elector);
  lifecycle.add("orders", [this] { ++started_; });
  const auto refusal = start(lifecycle);
  EXPECT_THAT(refusal, HasSubstr("PC005"));
  EXPECT_THAT(refusal, HasSubstr("anna"));
  EXPECT_THAT(refusal, HasSubstr("orders"));
  EXPECT_EQ(started_, 0);
  EXPECT_EQ(lifecycle.state("orders"), SubscriptionState::failed);
  elector.try_acquire();
  EXPECT_EQ(start(lifecycle), "") << "once it leads, it may";
  EXPECT_EQ(lifecycle.state("orders"), SubscriptionState::running);
}

TEST_F(SubscriptionLifecycleTest, T166_a_failing_renewal_blocks) {
  ScriptedElector elector;
  elector.renews = false;
  expect_blocked(elector);
}

TEST_F(SubscriptionLifecycleTest, T167_a_lost_lead_blocks) {
  InMemoryLeaderElector elector("anna", std::make_shared<SharedLeaderState>());
  elector.try_acquire();
  elector.force_lose_leadership();
  expect_blocked(elector);
}

TEST_F(SubscriptionLifecycleTest, T168_all_say_each_for_itself_what_went_wrong) {
  InMemoryLeaderElector elector("anna", std::make_shared<SharedLeaderState>());
  SubscriptionLifecycle lifecycle(&elector);
  lifecycle.add("mail", [this] { ++started_; });
  lifecycle.add("orders", [this] { ++started_; });
  const auto refused = lifecycle.start_all();
  ASSERT_EQ(refused.size(), 2U);
  EXPECT_EQ(refused.at("mail")->sqlstate(), "PC005");
  EXPECT_EQ(refused.at("orders")->sqlstate(), "PC005");
  elector.try_acquire();
  lifecycle.add("broken", [] { throw std::runtime_error("no disk"); });
  const auto tried = lifecycle.start_all();
  EXPECT_FALSE(tried.at("mail").has_value());
  EXPECT_FALSE(tried.at("orders").has_value());
  EXPECT_STREQ(tried.at("broken")->what(), "no disk");
  EXPECT_EQ(lifecycle.state("broken"), SubscriptionState::failed);
  EXPECT_EQ(started_, 2);
}

TEST_F(SubscriptionLifecycleTest, T169_a_backend_that_throws_blocks) {
  ScriptedElector elector;
  elector.throws_on_renew = true;
  expect_blocked(elector);
}

TEST_F(SubscriptionLifecycleTest, unknown_name_is_an_error) {
  SubscriptionLifecycle lifecycle;
  EXPECT_THAT(start(lifecycle), HasSubstr("22023"));
  EXPECT_EQ(lifecycle.state("orders"), std::nullopt);
}

}  // namespace
}  // namespace pgcoord::test
