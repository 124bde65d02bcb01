#include "coordinator_fixture.hpp"

// What old, repeated and wrongly dated messages cannot change.

namespace pgcoord::test {
namespace {

using testing::ElementsAre;

TEST_F(Coordinator, W22_an_older_heartbeat_changes_nothing) {
  const auto older = beat("a", {"old"});
  time.advance(100s);
  const auto newer = beat("a", {"new"});
  EXPECT_TRUE(me->handle_heartbeat(newer));
  EXPECT_FALSE(me->handle_heartbeat(older));
  EXPECT_THAT(heartbeats, ElementsAre(newer));
  EXPECT_THAT(me->known_peers().at("a").subscriptions(), ElementsAre("new"));
}

TEST_F(Coordinator, W22_a_repeated_heartbeat_proves_no_life) {
  const auto sent = beat("a");
  me->handle_heartbeat(sent);
  time.advance(20s);
  EXPECT_FALSE(me->handle_heartbeat(sent));
  EXPECT_EQ(me->peer_status("a"), PeerStatus::stale);
}

TEST_F(Coordinator, W22_an_older_life_changes_nothing) {
  me->handle_heartbeat(beat("a", {"new"}, 2));
  time.advance(1s);
  EXPECT_FALSE(me->handle_heartbeat(beat("a", {"old"}, 1)));
  EXPECT_FALSE(me->handle_peer_shutdown(notice("a", {}, 30s, 1)));
  EXPECT_EQ(me->peer_status("a"), PeerStatus::healthy);
  EXPECT_EQ(me->known_peers().at("a").incarnation, 2);
}

TEST_F(Coordinator, W22_an_older_notice_changes_nothing) {
  const auto outlived = notice("b", {}, 1s);
  const auto older = notice("a", {}, 1h);
  time.advance(2s);
  const auto newer = notice("a", {}, 10s);
  EXPECT_TRUE(me->handle_peer_shutdown(newer));
  EXPECT_FALSE(me->handle_peer_shutdown(older));
  EXPECT_FALSE(me->handle_peer_shutdown(newer)) << "known";
  EXPECT_EQ(me->known_peers().at("a").shutdown_notification, newer);
  me->handle_heartbeat(beat("b"));
  EXPECT_FALSE(me->handle_peer_shutdown(outlived));
  EXPECT_EQ(me->peer_status("b"), PeerStatus::healthy);
}

TEST_F(Coordinator, W23_wall_clocks_of_others_decide_nothing) {
  auto ahead = beat("ahead");
  ahead.timestamp += 1h;
  auto behind = beat("behind");
  behind.timestamp -= 1h;
  auto draining = notice("draining", {}, 30s);
  draining.initiated_at -= 1h;
  draining.expected_completion_at -= 1h;
  me->handle_heartbeat(ahead);
  me->handle_heartbeat(behind);
  me->handle_peer_shutdown(draining);
  EXPECT_EQ(me->peer_status("behind"), PeerStatus::healthy);
  EXPECT_EQ(me->peer_status("draining"), PeerStatus::draining);
  time.advance(20s);
  EXPECT_THAT(me->check_peer_timeouts(), ElementsAre("ahead", "behind"));
  time.advance(10s);
  EXPECT_EQ(me->peer_status("draining"), PeerStatus::terminated);
}

TEST_F(Coordinator, W23_the_own_wall_clock_decides_nothing_either) {
  me->handle_heartbeat(beat("a"));
  time.wall += Duration(24h).count();
  EXPECT_EQ(me->peer_status("a"), PeerStatus::healthy);
  time.wall -= Duration(48h).count();
  time.steady += Duration(20s).count();
  EXPECT_EQ(me->peer_status("a"), PeerStatus::stale);
}

}  // namespace
}  // namespace pgcoord::test
