// The interface itself, and an elector written by hand against it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <type_traits>

#include "pgcoord/in_memory_leader_elector.hpp"
#include "pgcoord/pg_leader_elector.hpp"

namespace {

using pgcoord::CallbackId;
using pgcoord::Duration;
using pgcoord::LeaderChangeCallback;
using pgcoord::LeaderElector;

class HandWritten : public LeaderElector {
 public:
  std::string identity() const override { return "me"; }
  bool is_leader() const override { return leads_; }
  std::optional<std::string> current_leader() const override {
    return leads_ ? std::optional<std::string>("me") : std::nullopt;
  }
  bool try_acquire(Duration) override {
    change(true);
    return true;
  }
  void release() override { change(false); }
  bool renew() override { return leads_; }
  CallbackId on_leader_change(LeaderChangeCallback callback) override {
    return callbacks_.add(std::move(callback));
  }
  bool remove_leader_change_callback(CallbackId id) override { return callbacks_.remove(id); }

 private:
  void change(bool leads) {
    if (leads_ == leads) return;
    leads_ = leads;
    callbacks_.post(leads);
    callbacks_.deliver();
  }
  bool leads_ = false;
  pgcoord::CallbackList<bool> callbacks_;
};

class OnlyIdentity : public LeaderElector {
 public:
  std::string identity() const override { return "me"; }
};

TEST(LeaderElector, T2_all_eight_members_exist) {
  const std::tuple members(&LeaderElector::identity, &LeaderElector::is_leader,
                           &LeaderElector::current_leader, &LeaderElector::try_acquire,
                           &LeaderElector::release, &LeaderElector::renew, &LeaderElector::on_leader_change,
                           &LeaderElector::remove_leader_change_callback);
  EXPECT_EQ(std::tuple_size_v<decltype(members)>, 8U);
}

TEST(LeaderElector, T3_a_type_with_all_members_satisfies_it) {
  EXPECT_FALSE(std::is_abstract_v<HandWritten>);
  EXPECT_FALSE(std::is_abstract_v<pgcoord::PgLeaderElector>);
}

TEST(LeaderElector, T4_a_type_with_only_an_identity_does_not) {
  EXPECT_TRUE(std::is_abstract_v<OnlyIdentity>);
}

struct Listener {
  void hear(bool leads) { heard.push_back(leads); }
  std::vector<bool> heard;
};

TEST(LeaderElector, T90_a_function_and_T91_a_member_function_are_callbacks) {
  static std::vector<bool> heard;
  heard.clear();
  Listener listener;
  HandWritten elector;
  elector.on_leader_change(+[](bool leads) { heard.push_back(leads); });
  elector.on_leader_change(std::bind_front(&Listener::hear, &listener));
  elector.try_acquire(std::chrono::seconds(1));
  EXPECT_THAT(heard, testing::ElementsAre(true));
  EXPECT_THAT(listener.heard, testing::ElementsAre(true));
}

// T87 to T89: the reference's lease interface is the eight members and a deadline. Ours is on the one elector
// that has a lease.
TEST(LeaderElector, T87_T88_T89_an_elector_with_a_lease_is_one_without_and_more) {
  const std::tuple lease(&pgcoord::PgLeaderElector::renew, &pgcoord::PgLeaderElector::token,
                         &pgcoord::PgLeaderElector::last_loss);
  EXPECT_EQ(std::tuple_size_v<decltype(lease)>, 3U);
  EXPECT_TRUE((std::is_base_of_v<LeaderElector, pgcoord::PgLeaderElector>));
  EXPECT_FALSE((std::is_base_of_v<pgcoord::PgLeaderElector, HandWritten>));
}

TEST(LeaderElector, T7_full_cycle_of_a_hand_written_elector) {
  HandWritten elector;
  std::vector<bool> heard;
  EXPECT_FALSE(elector.is_leader());
  EXPECT_EQ(elector.current_leader(), std::nullopt);
  const auto id = elector.on_leader_change([&](bool leads) { heard.push_back(leads); });
  EXPECT_TRUE(elector.try_acquire(std::chrono::seconds(1)));
  EXPECT_TRUE(elector.is_leader());
  EXPECT_EQ(elector.current_leader(), elector.identity());
  EXPECT_THAT(heard, testing::ElementsAre(true));
  EXPECT_TRUE(elector.renew());
  elector.release();
  EXPECT_FALSE(elector.is_leader());
  EXPECT_EQ(elector.current_leader(), std::nullopt);
  EXPECT_THAT(heard, testing::ElementsAre(true, false));
  EXPECT_TRUE(elector.remove_leader_change_callback(id));
  EXPECT_FALSE(elector.remove_leader_change_callback(id));
}

TEST(LeaderElector, T18_the_in_memory_elector_satisfies_it) {
  EXPECT_TRUE((std::is_base_of_v<LeaderElector, pgcoord::InMemoryLeaderElector>));
  EXPECT_FALSE(std::is_abstract_v<pgcoord::InMemoryLeaderElector>);
}

}  // namespace
