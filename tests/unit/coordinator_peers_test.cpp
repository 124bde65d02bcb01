#include "coordinator_fixture.hpp"

// Who is alive, who fell silent, who is forgotten.

namespace pgcoord::test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST_F(Coordinator, T74_a_silent_peer_times_out) {
  me->handle_heartbeat(beat("old"));
  time.advance(20s);
  me->handle_heartbeat(beat("fresh"));
  EXPECT_THAT(me->check_peer_timeouts(), ElementsAre("old"));
  EXPECT_THAT(timeouts, ElementsAre("old"));
  EXPECT_EQ(me->peer_status("old"), PeerStatus::stale);
  EXPECT_EQ(me->healthy_peer_count(), 1u);
}

TEST_F(Coordinator, S11_first_seen_first_and_only_past_the_timeout) {
  for (const char* id : {"c", "a", "b"}) me->handle_heartbeat(beat(id));
  time.advance(15s);
  EXPECT_THAT(me->check_peer_timeouts(), IsEmpty());
  time.advance(1ns);
  EXPECT_THAT(me->check_peer_timeouts(), ElementsAre("c", "a", "b"));
  EXPECT_THAT(timeouts, ElementsAre("c", "a", "b"));
}

TEST_F(Coordinator, S11_one_with_a_notice_never_times_out) {
  me->handle_heartbeat(beat("a"));
  me->handle_peer_shutdown(notice("a"));
  me->handle_peer_shutdown(notice("b"));
  time.advance(1h);
  EXPECT_THAT(me->check_peer_timeouts(), IsEmpty());
  EXPECT_EQ(me->peer_status("a"), PeerStatus::terminated);
}

TEST_F(Coordinator, T75_a_removed_peer_is_unknown) {
  me->handle_heartbeat(beat("a"));
  EXPECT_TRUE(me->remove_peer("a"));
  EXPECT_TRUE(me->known_peers().empty());
  EXPECT_THAT(removed, ElementsAre("a"));
  EXPECT_TRUE(me->handle_heartbeat(beat("a"))) << "known again, with no memory";
}

TEST_F(Coordinator, T76_an_unknown_peer_cannot_be_removed) {
  EXPECT_FALSE(me->remove_peer("a"));
  EXPECT_THAT(removed, IsEmpty());
}

TEST_F(Coordinator, T78_draining_peers) {
  me->handle_heartbeat(beat("healthy"));
  me->handle_peer_shutdown(notice("z"));
  me->handle_peer_shutdown(notice("b"));
  me->handle_peer_shutdown(notice("done", {}, 0s));
  const auto draining = me->draining_peers();
  ASSERT_EQ(draining.size(), 2u);
  EXPECT_EQ(draining[0].instance_id, "z") << "first seen first";
  EXPECT_EQ(draining[1].instance_id, "b");
}

TEST_F(Coordinator, S4_known_peers_is_a_snapshot) {
  me->handle_heartbeat(beat("a"));
  auto peers = me->known_peers();
  peers.at("a").gone = true;
  peers.clear();
  EXPECT_EQ(me->known_peers().at("a").gone, false);
}

TEST_F(Coordinator, S9_a_heartbeat_of_one_that_drains_keeps_its_notice) {
  me->handle_peer_shutdown(notice("a"));
  time.advance(5s);
  EXPECT_TRUE(me->handle_heartbeat(beat("a")));
  EXPECT_EQ(me->peer_status("a"), PeerStatus::draining);
}

TEST_F(Coordinator, W1_the_configured_timeout_decides) {
  options.heartbeat_timeout = 5s;
  me = make();
  me->handle_heartbeat(beat("a", {"orders"}));
  time.advance(8s);
  EXPECT_EQ(me->peer_status("a"), PeerStatus::stale);
  EXPECT_EQ(me->healthy_peer_count(), 0u);
  EXPECT_EQ(me->get_orphaned_subscriptions().count("a"), 1u);
  options.heartbeat_timeout = 60s;
  me = make();
  me->handle_heartbeat(beat("a", {"orders"}));
  time.advance(20s);
  EXPECT_EQ(me->peer_status("a"), PeerStatus::healthy);
  EXPECT_TRUE(me->get_orphaned_subscriptions().empty());
}

TEST_F(Coordinator, W20_a_heartbeat_from_after_its_end_lifts_a_notice) {
  me->handle_peer_shutdown(notice("a", {"orders"}, 10s));
  time.advance(10s);
  me->handle_heartbeat(beat("a"));
  EXPECT_EQ(me->peer_status("a"), PeerStatus::terminated) << "sent at the end, not after it";
  time.advance(1s);
  me->handle_heartbeat(beat("a", {"orders"}));
  EXPECT_EQ(me->peer_status("a"), PeerStatus::healthy);
  EXPECT_TRUE(me->get_orphaned_subscriptions().empty());
  time.advance(20s);
  EXPECT_THAT(me->check_peer_timeouts(), ElementsAre("a"));
}

TEST_F(Coordinator, W20_a_newer_life_lifts_a_notice_at_once) {
  me->handle_peer_shutdown(notice("a", {"orders"}, 30s, 1));
  me->handle_heartbeat(beat("a", {"orders"}, 2));
  EXPECT_EQ(me->peer_status("a"), PeerStatus::healthy);
  EXPECT_FALSE(me->known_peers().at("a").shutdown_notification);
}

TEST_F(Coordinator, W20_the_same_life_stays_terminated_however_long_it_beats) {
  me->handle_peer_shutdown(notice("a", {}, 10s, 1));
  time.advance(1h);
  me->handle_heartbeat(beat("a", {}, 1));
  EXPECT_EQ(me->peer_status("a"), PeerStatus::terminated);
}

TEST_F(Coordinator, W21_a_silence_is_told_once) {
  me->handle_heartbeat(beat("a"));
  time.advance(20s);
  EXPECT_THAT(me->check_peer_timeouts(), ElementsAre("a"));
  EXPECT_THAT(me->check_peer_timeouts(), IsEmpty());
  me->handle_heartbeat(beat("a"));
  EXPECT_THAT(me->check_peer_timeouts(), IsEmpty());
  time.advance(20s);
  EXPECT_THAT(me->check_peer_timeouts(), ElementsAre("a")) << "a new silence";
  EXPECT_THAT(timeouts, ElementsAre("a", "a"));
}

TEST_F(Coordinator, W21_who_is_long_gone_is_forgotten) {
  me->handle_heartbeat(beat("silent"));
  me->handle_peer_shutdown(notice("stopped", {}, 0s));
  time.advance(1h);
  me->check_peer_timeouts();
  time.advance(23h);
  me->handle_heartbeat(beat("alive"));
  me->check_peer_timeouts();
  EXPECT_THAT(removed, IsEmpty());
  time.advance(1ns);
  me->check_peer_timeouts();
  EXPECT_THAT(removed, ElementsAre("stopped"));
  time.advance(1h);
  me->check_peer_timeouts();
  EXPECT_THAT(removed, ElementsAre("stopped", "silent"));
  EXPECT_EQ(me->known_peers().size(), 1u);
}

TEST_F(Coordinator, next_deadline_is_the_next_silence_or_end_of_a_notice) {
  me->handle_heartbeat(beat("a"));
  const auto silent_at = time.now() + 15s + 1ns;
  EXPECT_EQ(me->next_deadline(), silent_at);
  me->handle_peer_shutdown(notice("b", {}, 10s));
  EXPECT_EQ(me->next_deadline(), time.now() + 10s);
  time.advance(10s);
  me->check_peer_timeouts();
  EXPECT_EQ(me->next_deadline(), silent_at);
  time.advance(5s + 1ns);
  EXPECT_THAT(me->check_peer_timeouts(), ElementsAre("a"));
  EXPECT_EQ(me->next_deadline(), silent_at - 5s - 1ns + 24h + 1ns) << "when b is to be forgotten";
}

TEST_F(Coordinator, a_truncated_heartbeat_keeps_the_known_list) {
  me->handle_heartbeat(beat("a", {"orders"}));
  time.advance(1s);
  auto shortened = beat("a");
  shortened.truncated = true;
  EXPECT_TRUE(me->handle_heartbeat(shortened));
  EXPECT_FALSE(me->handle_heartbeat(shortened));
  EXPECT_THAT(me->known_peers().at("a").subscriptions(), ElementsAre("orders"));
}

TEST_F(Coordinator, a_truncated_notice_is_completed_quietly) {
  auto full = notice("a", {"orders"});
  auto shortened = full;
  shortened.subscriptions.clear();
  shortened.truncated = true;
  EXPECT_TRUE(me->handle_peer_shutdown(shortened));
  EXPECT_FALSE(me->handle_peer_shutdown(full));
  EXPECT_FALSE(me->handle_peer_shutdown(shortened));
  EXPECT_THAT(me->known_peers().at("a").subscriptions(), ElementsAre("orders"));
  EXPECT_EQ(shutdowns.size(), 1u);
}

}  // namespace
}  // namespace pgcoord::test
