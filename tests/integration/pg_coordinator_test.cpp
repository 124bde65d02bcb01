// The coordinator on a real server: what peers do is told, once, and work goes where it should.
#include "support/group.hpp"

namespace {

using namespace std::chrono_literals;
using namespace pgcoord;
using pgcoord::test::Connection;
using pgcoord::test::wait_until;

class WiredCoordinator : public pgcoord::test::GroupTest {};

std::string sqlstate_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.sqlstate();
  }
  return "00000";
}

TEST_F(WiredCoordinator, peers_that_come_change_and_leave_are_told) {
  Instance a(options("a"));
  {
    Instance b(options("b", {"orders"}));
    ASSERT_TRUE(a.heard.hears("heartbeat b"));
    ASSERT_TRUE(a.sees("b", PeerStatus::healthy));
    ASSERT_TRUE(b.sees("a", PeerStatus::healthy));
    EXPECT_EQ(a.coordinator.healthy_peer_count(), 1U);
    const int before = a.heard.count("heartbeat b");
    b.coordinator.set_subscriptions({"orders", "billing"});
    EXPECT_TRUE(wait_until([&] { return a.heard.count("heartbeat b") > before; }, 2s));
    EXPECT_EQ(a.coordinator.known_peers().at("b").subscriptions().size(), 2U);
  }
  EXPECT_TRUE(a.heard.hears("removed b"));
  EXPECT_TRUE(a.sees("b", std::nullopt));
  EXPECT_EQ(a.heard.count("timeout b"), 0);
}

TEST_F(WiredCoordinator, a_notice_is_told_once_and_leaves_orphans_with_a_time) {
  Instance a(options("a"));
  Instance b(options("b", {"orders"}));
  const auto notice = b.coordinator.announce_shutdown(ShutdownIntent::preemption, 20s, 3, {{"why", "spot"}});
  EXPECT_EQ(notice.subscriptions, std::vector<std::string>{"orders"});
  EXPECT_TRUE(b.coordinator.is_shutting_down());
  ASSERT_TRUE(a.heard.hears("shutdown b", 2s));
  ASSERT_TRUE(a.heard.hears("orphans b orders", 2s));
  EXPECT_TRUE(a.sees("b", PeerStatus::draining));
  const auto seen = a.coordinator.draining_peers().at(0).shutdown_notification.value();
  EXPECT_EQ(seen.expected_completion_at, notice.expected_completion_at);
  EXPECT_EQ(seen.metadata, notice.metadata);
  EXPECT_EQ(seen.in_flight_count, 3);
  const auto orphans = a.coordinator.orphaned_subscriptions();
  EXPECT_GT(orphans.at("b").available_in, 10s);
  a.coordinator.set_subscriptions({"orders"});
  EXPECT_TRUE(a.coordinator.orphaned_subscriptions().empty());
  EXPECT_EQ(a.heard.count("shutdown b"), 1);
  EXPECT_EQ(b.heard.count("drain preemption"), 0);
}

TEST_F(WiredCoordinator, the_end_of_a_notice_is_seen_without_a_bell) {
  Instance a(options("a"));
  Instance b(options("b"));
  b.coordinator.announce_shutdown(ShutdownIntent::graceful, 1s);
  EXPECT_TRUE(a.sees("b", PeerStatus::draining));
  EXPECT_TRUE(a.sees("b", PeerStatus::terminated, 3s));
}

TEST_F(WiredCoordinator, W20_a_restarted_peer_is_healthy_again) {
  Instance a(options("a"));
  {
    Instance b(options("b", {"orders"}));
    b.coordinator.announce_shutdown(ShutdownIntent::graceful, 30s);
    ASSERT_TRUE(a.sees("b", PeerStatus::draining));
  }
  ASSERT_TRUE(a.sees("b", PeerStatus::terminated));
  Instance again(options("b", {"orders"}));
  EXPECT_TRUE(a.sees("b", PeerStatus::healthy));
  EXPECT_TRUE(a.coordinator.orphaned_subscriptions().empty());
}

TEST_F(WiredCoordinator, W21_a_session_that_ends_is_told_once_and_can_be_removed) {
  Instance a(options("a"));
  auto b = member("b");
  ASSERT_TRUE(a.sees("b", PeerStatus::healthy));
  EXPECT_EQ(sqlstate_of([&] { a.coordinator.remove_peer("b"); }), "PC003");
  b.sever();
  ASSERT_TRUE(a.heard.hears("timeout b", 3s));
  EXPECT_TRUE(a.sees("b", PeerStatus::stale));
  EXPECT_TRUE(a.coordinator.remove_peer("b"));
  EXPECT_TRUE(a.heard.hears("removed b"));
  EXPECT_FALSE(a.coordinator.remove_peer("b"));
  EXPECT_EQ(a.heard.count("timeout b"), 1);
}

TEST_F(WiredCoordinator, a_silent_peer_is_told_once_within_its_timeout_and_comes_back) {
  Instance a(options("a"));
  auto b = member("b", "2 s");
  ASSERT_TRUE(a.sees("b", PeerStatus::healthy));
  ASSERT_TRUE(a.heard.hears("timeout b", 4s));
  EXPECT_TRUE(a.sees("b", PeerStatus::stale));
  pgcoord::test::heartbeat(b);
  EXPECT_TRUE(a.sees("b", PeerStatus::healthy, 2s));
  EXPECT_EQ(a.heard.count("timeout b"), 1);
}

TEST_F(WiredCoordinator, a_leader_assigns_and_the_target_hears_it_once) {
  Instance a(options("a"));
  Instance b(options("b"));
  EXPECT_EQ(sqlstate_of([&] { a.coordinator.assign("b", {"orders"}); }), "PC005");
  ASSERT_TRUE(a.leads());
  const auto work = a.coordinator.assign("b", {"orders", "mail"}, 5);
  EXPECT_EQ(work.token, a.elector.token()->value);
  ASSERT_TRUE(b.heard.hears("work orders mail", 2s));
  EXPECT_EQ(sqlstate_of([&] { a.coordinator.assign("nobody", {"orders"}); }), "PC001");
  EXPECT_TRUE(a.elector.is_leader());
  auto by = connect();
  ASSERT_TRUE(pgcoord::test::terminate(by, b.session.server()->backend_pid));
  ASSERT_TRUE(a.sees("b", PeerStatus::healthy));
  EXPECT_EQ(b.heard.count("work orders mail"), 1);
}

TEST_F(WiredCoordinator, work_that_was_assigned_before_anybody_watched_is_found) {
  Instance a(options("a"));
  ASSERT_TRUE(a.leads());
  Session session(options("b"));
  session.require_ready(10s);
  ASSERT_TRUE(a.sees("b", PeerStatus::healthy));
  const auto first = a.coordinator.assign("b", {"one"});
  const auto second = a.coordinator.assign("b", {"two"});
  EXPECT_LT(*first.assignment_id, *second.assignment_id);
  PgCoordinator late(session);
  pgcoord::test::Heard heard(late);
  late.watch();
  ASSERT_TRUE(heard.hears("work one"));
  EXPECT_TRUE(heard.hears("work two"));
}

TEST_F(WiredCoordinator, W29_a_handoff_is_true_only_if_it_was_handed_on) {
  Instance a(options("a"));
  Instance b(options("b"));
  EXPECT_FALSE(a.coordinator.initiate_leadership_handoff());
  ASSERT_TRUE(a.leads());
  b.elector.campaign();
  EXPECT_TRUE(a.coordinator.initiate_leadership_handoff());
  EXPECT_FALSE(a.elector.is_leader());
  EXPECT_TRUE(wait_until([&] { return b.elector.is_leader(); }));
  auto by = connect();
  EXPECT_TRUE(pgcoord::test::depose(by, "workers"));
  EXPECT_FALSE(b.coordinator.initiate_leadership_handoff());
}

TEST_F(WiredCoordinator, a_drain_by_somebody_else_is_told_and_outlives_a_reconnect) {
  Instance a(options("a"));
  Instance b(options("b"));
  auto by = connect();
  by.exec("SELECT coord.drain('b', drain_timeout => '20 s')");
  ASSERT_TRUE(b.heard.hears("drain maintenance", 2s));
  EXPECT_TRUE(b.coordinator.is_shutting_down());
  const auto incarnation = a.coordinator.known_peers().at("b").incarnation.value();
  ASSERT_TRUE(pgcoord::test::terminate(by, b.session.server()->backend_pid));
  EXPECT_TRUE(wait_until([&] {
    const auto peers = a.coordinator.known_peers();
    const auto found = peers.find("b");
    return found != peers.end() && found->second.incarnation > incarnation &&
           found->second.status(BootClock::now()) == PeerStatus::draining;
  }));
  EXPECT_EQ(b.heard.count("drain maintenance"), 1);
}

TEST_F(WiredCoordinator, an_observer_watches_too) {
  auto looking = options("");
  looking.participation = Participation::observer;
  Session session(looking);
  PgCoordinator coordinator(session);
  coordinator.watch();
  ASSERT_TRUE(coordinator.wait_until_read(10s));
  Instance b(options("b"));
  EXPECT_TRUE(wait_until([&] { return coordinator.peer_status("b") == PeerStatus::healthy; }, 3s));
}

TEST_F(WiredCoordinator, works_inside_an_event_loop) {
  auto looped = options("loop");
  looped.pump = Pump::event_loop;
  Session session(looped);
  PgCoordinator coordinator(session);
  coordinator.watch();
  ASSERT_TRUE(coordinator.wait_until_read(10s));
  Instance b(options("b", {"orders"}));
  ASSERT_TRUE(wait_until([&] {
    session.on_ready();
    return coordinator.peer_status("b") == PeerStatus::healthy;
  }));
  coordinator.announce_shutdown(ShutdownIntent::graceful);
  EXPECT_TRUE(b.sees("loop", PeerStatus::draining));
}

TEST_F(WiredCoordinator, publishes_every_heartbeat_if_it_is_told_to_and_only_news_otherwise) {
  auto listener = connect();
  listener.exec("LISTEN \"__eventsource_coordination.heartbeat\"");
  const auto told_of = [&](const std::string& id, int wanted, std::chrono::milliseconds bound) {
    int count = 0;
    const auto end = BootClock::now() + bound;
    while (count < wanted && BootClock::now() < end) {
      const auto notice = listener.notification(20ms);
      if (notice && HeartbeatMessage::from_json(notice->payload).instance_id == id) ++count;
    }
    return count;
  };
  auto loud = options("loud");
  loud.publish_heartbeats = true;
  loud.heartbeat_timeout = 1s;
  auto quiet = options("quiet");
  quiet.heartbeat_timeout = 1s;
  Session silent_one(quiet);
  silent_one.require_ready(10s);
  Session publishing(loud);
  // A heartbeat each third of a second by both: by the time of these the other has had as many.
  EXPECT_EQ(told_of("loud", 6, 20s), 6);
  EXPECT_EQ(told_of("quiet", 1, 700ms), 0);
}

}  // namespace
