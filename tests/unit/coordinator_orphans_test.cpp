#include "coordinator_fixture.hpp"

// What peers leave behind.

namespace pgcoord::test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;

using Left = std::vector<std::string>;

TEST_F(Coordinator, T77_orphans_of_a_draining_peer) {
  me->handle_heartbeat(beat("healthy", {"mine"}));
  me->handle_peer_shutdown(notice("a", {"orders", "billing"}));
  EXPECT_THAT(
      me->get_orphaned_subscriptions(),
      ElementsAre(Pair("a", OrphanedSubscriptions{{"orders", "billing"}, PeerStatus::draining, 30s})));
}

TEST_F(Coordinator, S12_stale_and_terminated_peers_leave_orphans_too) {
  me->handle_heartbeat(beat("silent", {"orders"}));
  me->handle_peer_shutdown(notice("stopped", {"billing"}, 10s));
  me->handle_peer_shutdown(notice("empty", {}));
  time.advance(20s);
  EXPECT_THAT(me->get_orphaned_subscriptions(),
              ElementsAre(Pair("silent", OrphanedSubscriptions{{"orders"}, PeerStatus::stale, 0s}),
                          Pair("stopped", OrphanedSubscriptions{{"billing"}, PeerStatus::terminated, 0s})));
  me->remove_peer("stopped");
  EXPECT_EQ(me->get_orphaned_subscriptions().size(), 1u);
}

TEST_F(Coordinator, W24_orphans_say_when_they_are_free) {
  me->handle_peer_shutdown(notice("a", {"orders"}, 10s));
  time.advance(4s);
  EXPECT_EQ(me->get_orphaned_subscriptions().at("a").available_in, 6s);
  time.advance(6s);
  EXPECT_EQ(me->get_orphaned_subscriptions().at("a").available_in, 0s);
}

TEST_F(Coordinator, W24_what_a_healthy_peer_runs_is_no_orphan) {
  me->handle_peer_shutdown(notice("a", {"orders", "billing"}));
  me->handle_heartbeat(beat("b", {"orders"}));
  EXPECT_THAT(me->get_orphaned_subscriptions().at("a").subscriptions, ElementsAre("billing"));
  time.advance(20s);
  EXPECT_THAT(me->get_orphaned_subscriptions().at("a").subscriptions, ElementsAre("orders", "billing"))
      << "b is not healthy any more";
}

TEST_F(Coordinator, W24_what_this_instance_runs_is_no_orphan_until_it_stops) {
  me->handle_peer_shutdown(notice("a", {"orders", "billing"}));
  me->set_own_subscriptions({"orders"});
  EXPECT_THAT(me->get_orphaned_subscriptions().at("a").subscriptions, ElementsAre("billing"));
  me->create_heartbeat({"billing", "orders"});
  EXPECT_TRUE(me->get_orphaned_subscriptions().empty());
  me->create_shutdown_notification(ShutdownIntent::graceful, {"orders"});
  EXPECT_EQ(me->get_orphaned_subscriptions().at("a").subscriptions.size(), 2u);
}

TEST_F(Coordinator, W24_each_is_named_once_and_an_empty_notice_hides_nothing) {
  me->handle_heartbeat(beat("a", {"orders", "orders", "billing"}));
  me->handle_peer_shutdown(notice("a"));
  EXPECT_THAT(me->get_orphaned_subscriptions().at("a").subscriptions, ElementsAre("orders", "billing"));
}

TEST_F(Coordinator, on_orphans_hears_of_each_transition_once) {
  me->handle_heartbeat(beat("a", {"orders"}));
  EXPECT_THAT(orphans, IsEmpty());
  me->handle_peer_shutdown(notice("a", {"orders"}, 10s));
  EXPECT_THAT(orphans, ElementsAre(Pair("a", Left{"orders"})));
  time.advance(5s);
  me->check_peer_timeouts();
  EXPECT_EQ(orphans.size(), 1u);
  time.advance(5s);
  me->check_peer_timeouts();
  me->check_peer_timeouts();
  EXPECT_THAT(orphans, ElementsAre(Pair("a", Left{"orders"}), Pair("a", Left{"orders"}))) << "free now";
}

TEST_F(Coordinator, on_orphans_hears_of_silence_and_of_the_next_silence) {
  me->handle_heartbeat(beat("a", {"orders"}));
  me->handle_heartbeat(beat("idle"));
  for (int silence = 1; silence <= 2; ++silence) {
    time.advance(20s);
    me->check_peer_timeouts();
    me->check_peer_timeouts();
    EXPECT_EQ(orphans.size(), static_cast<std::size_t>(silence));
    me->handle_heartbeat(beat("a", {"orders"}));
  }
}

TEST_F(Coordinator, on_orphans_leaves_out_what_a_healthy_peer_runs) {
  me->handle_heartbeat(beat("b", {"orders"}));
  me->handle_peer_shutdown(notice("a", {"orders"}));
  EXPECT_THAT(orphans, IsEmpty());
  me->handle_peer_shutdown(notice("b", {"orders"}));
  EXPECT_THAT(orphans, ElementsAre(Pair("b", Left{"orders"})));
}

}  // namespace
}  // namespace pgcoord::test
