#include "coordinator_fixture.hpp"

// Peers as a registry lists them.

namespace pgcoord::test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;

TEST_F(Coordinator, registry_tells_new_peers_and_changes_only) {
  auto a = record("a", {"orders"}, 3);
  a.metadata = R"({"zone":"b"})";
  a.heartbeat_timeout = 5s;
  me->handle_registry({a, record("me")}, time.now());
  ASSERT_EQ(heartbeats.size(), 1u);
  EXPECT_EQ(heartbeats[0], beat("a", {"orders"}, 3));
  const auto peer = me->known_peers().at("a");
  EXPECT_EQ(peer.incarnation, 3);
  EXPECT_EQ(peer.timeout, 5s);
  EXPECT_EQ(peer.metadata, a.metadata);
  time.advance(1s);
  a.last_heartbeat_at = time.utc();
  me->handle_registry({a}, time.now());
  EXPECT_EQ(heartbeats.size(), 1u) << "only the time changed";
  a.is_leader = true;
  me->handle_registry({a}, time.now());
  a.load_factor = 0.5;
  me->handle_peer("a", a, time.now());
  a.in_flight_count = 2;
  me->handle_peer("a", a, time.now());
  a.subscriptions.clear();
  me->handle_peer("a", a, time.now());
  EXPECT_EQ(heartbeats.size(), 5u);
}

TEST_F(Coordinator, registry_removes_who_is_missing) {
  me->handle_registry({record("a"), record("b"), record("c")}, time.now());
  time.advance(1s);
  me->handle_registry({record("b")}, time.now());
  EXPECT_THAT(removed, ElementsAre("a", "c"));
  me->handle_peer("b", std::nullopt, time.now());
  EXPECT_THAT(removed, ElementsAre("a", "c", "b"));
  EXPECT_TRUE(me->known_peers().empty());
}

TEST_F(Coordinator, registry_keeps_who_was_heard_since_the_reading) {
  const Instant read_at = time.now();
  time.advance(1s);
  me->handle_heartbeat(beat("a"));
  me->handle_registry({}, read_at);
  me->handle_peer("a", std::nullopt, read_at);
  EXPECT_THAT(removed, IsEmpty());
}

TEST_F(Coordinator, W22_an_older_reading_changes_nothing) {
  const Instant earlier = time.now();
  time.advance(1s);
  me->handle_registry({record("a", {"new"}, 2)}, time.now());
  me->handle_registry({record("a", {"old"}, 1), record("b")}, earlier);
  me->handle_peer("a", record("a", {"old"}, 1), earlier);
  me->handle_peer("b", record("b"), earlier);
  me->handle_peer("a", std::nullopt, earlier);
  EXPECT_THAT(me->known_peers().at("a").subscriptions(), ElementsAre("new"));
  EXPECT_EQ(me->known_peers().size(), 1u);
}

TEST_F(Coordinator, W22_a_registry_that_went_back_is_right) {
  me->handle_registry({record("a", {}, 9)}, time.now());
  time.advance(1s);
  me->handle_registry({record("a", {"orders"}, 4)}, time.now());
  EXPECT_EQ(me->known_peers().at("a").incarnation, 4);
  EXPECT_EQ(heartbeats.size(), 2u);
}

TEST_F(Coordinator, registry_ages_count_from_the_reading) {
  auto a = record("a");
  a.heartbeat_age = 10s;
  const Instant read_at = time.now();
  time.advance(2s);
  me->handle_registry({a}, read_at);
  EXPECT_EQ(me->known_peers().at("a").heard_at, read_at - 10s);
  EXPECT_EQ(me->next_deadline(), read_at + 5s + 1ns);
  time.advance(3s + 1ns);
  EXPECT_THAT(me->check_peer_timeouts(), ElementsAre("a"));
  a.heartbeat_age = Duration::max();
  me->handle_registry({a}, time.now());
  EXPECT_EQ(me->peer_status("a"), PeerStatus::stale);
}

TEST_F(Coordinator, W21_silence_and_return_in_the_registry_are_told_once) {
  auto a = record("a", {"orders"});
  a.heartbeat_age = 16s;
  me->handle_registry({a}, time.now());
  me->handle_registry({a}, time.now());
  EXPECT_THAT(timeouts, ElementsAre("a"));
  EXPECT_THAT(orphans, ElementsAre(Pair("a", ElementsAre("orders"))));
  EXPECT_THAT(heartbeats, IsEmpty()) << "it was silent when first seen";
  time.advance(1s);
  a.heartbeat_age = 0s;
  me->handle_registry({a}, time.now());
  EXPECT_EQ(heartbeats.size(), 1u);
  me->handle_registry({a}, time.now());
  EXPECT_EQ(heartbeats.size(), 1u);
  time.advance(16s);
  me->check_peer_timeouts();
  EXPECT_THAT(timeouts, ElementsAre("a", "a"));
}

TEST_F(Coordinator, registry_end_of_a_session_is_told_at_once_and_once) {
  auto a = record("a", {"orders"});
  me->handle_registry({a}, time.now());
  a.session_alive = false;
  me->handle_peer("a", a, time.now());
  me->handle_registry({a}, time.now());
  EXPECT_THAT(timeouts, ElementsAre("a"));
  EXPECT_THAT(orphans, ElementsAre(Pair("a", ElementsAre("orders"))));
  EXPECT_EQ(me->peer_status("a"), PeerStatus::stale);
  EXPECT_FALSE(me->next_deadline()) << "the registry forgets it";
  time.advance(100h);
  EXPECT_THAT(me->check_peer_timeouts(), IsEmpty());
  EXPECT_THAT(removed, IsEmpty());
  EXPECT_EQ(heartbeats.size(), 1u);
}

TEST_F(Coordinator, registry_notice_is_told_once_with_its_time_left) {
  auto a = record("a", {"orders"}, 2);
  me->handle_registry({a}, time.now());
  a.notice = notice("a", {"orders"});
  a.time_remaining = 20s;
  time.advance(1s);
  me->handle_registry({a}, time.now());
  a.notice->subscriptions = a.subscriptions = {"fewer"};
  a.time_remaining = 21s;
  me->handle_registry({a}, time.now());
  ASSERT_EQ(shutdowns.size(), 1u);
  EXPECT_EQ(shutdowns[0].incarnation, 2);
  EXPECT_THAT(me->known_peers().at("a").subscriptions(), ElementsAre("fewer"));
  EXPECT_EQ(me->next_deadline(), time.now() + 20s) << "the earliest";
  EXPECT_EQ(me->get_orphaned_subscriptions().at("a").available_in, 20s);
  a.notice->expected_completion_at += 1h;
  a.time_remaining = 1h;
  me->handle_registry({a}, time.now());
  EXPECT_EQ(shutdowns.size(), 2u) << "replaced";
  EXPECT_THAT(timeouts, IsEmpty());
}

TEST_F(Coordinator, registry_one_that_left_after_a_notice_is_terminated) {
  auto a = record("a", {"orders"});
  a.notice = notice("a", {"orders"});
  a.time_remaining = 30s;
  a.session_alive = false;
  me->handle_registry({a}, time.now());
  EXPECT_EQ(me->peer_status("a"), PeerStatus::terminated);
  EXPECT_EQ(shutdowns.size(), 1u);
  EXPECT_EQ(orphans.size(), 1u);
  EXPECT_THAT(timeouts, IsEmpty());
  EXPECT_EQ(me->get_orphaned_subscriptions().at("a").available_in, 0s);
}

TEST_F(Coordinator, W20_a_new_life_in_the_registry_starts_without_a_notice) {
  auto a = record("a", {"orders"}, 1);
  a.notice = notice("a", {"orders"});
  me->handle_registry({a}, time.now());
  EXPECT_EQ(me->peer_status("a"), PeerStatus::terminated);
  me->handle_registry({record("a", {"orders"}, 2)}, time.now());
  EXPECT_EQ(me->peer_status("a"), PeerStatus::healthy);
  EXPECT_TRUE(me->get_orphaned_subscriptions().empty());
  EXPECT_EQ(heartbeats.back().incarnation, 2);
}

TEST_F(Coordinator, registry_a_forged_notice_goes_with_the_next_reading) {
  me->handle_registry({record("a")}, time.now());
  me->handle_peer_shutdown(notice("a", {}, 30s, 1));
  EXPECT_EQ(me->peer_status("a"), PeerStatus::draining);
  time.advance(1s);
  me->handle_registry({record("a")}, time.now());
  EXPECT_EQ(me->peer_status("a"), PeerStatus::healthy);
}

TEST_F(Coordinator, registry_orphans_count_who_took_over_in_the_same_reading) {
  me->handle_registry({record("a", {"orders"}), record("b")}, time.now());
  auto ended = record("a", {"orders"});
  ended.session_alive = false;
  me->handle_registry({ended, record("b", {"orders"})}, time.now());
  EXPECT_THAT(timeouts, ElementsAre("a"));
  EXPECT_THAT(orphans, IsEmpty());
}

}  // namespace
}  // namespace pgcoord::test
