#include <thread>

#include "coordinator_fixture.hpp"

// Callbacks: order, errors, removal, re-entry, threads.

namespace pgcoord::test {
namespace {

using testing::ElementsAre;

TEST_F(Coordinator, T79_a_throwing_callback_stops_nothing) {
  int told = 0;
  me->on_peer_shutdown([](const auto&) { throw std::runtime_error("no"); });
  me->on_peer_shutdown([&](const auto&) { ++told; });
  EXPECT_TRUE(me->handle_peer_shutdown(notice("a")));
  EXPECT_EQ(told, 1);
  EXPECT_EQ(errors, 1);
}

TEST_F(Coordinator, T80_each_registration_can_be_removed_once) {
  const auto shutdown = me->on_peer_shutdown([](const auto&) {});
  EXPECT_TRUE(me->remove_peer_shutdown_callback(shutdown));
  EXPECT_FALSE(me->remove_peer_shutdown_callback(shutdown));
  const auto heartbeat = me->on_heartbeat([](const auto&) {});
  EXPECT_TRUE(me->remove_heartbeat_callback(heartbeat));
  EXPECT_FALSE(me->remove_heartbeat_callback(heartbeat));
  const auto timeout = me->on_peer_timeout([](const auto&) {});
  EXPECT_TRUE(me->remove_peer_timeout_callback(timeout));
  EXPECT_FALSE(me->remove_peer_timeout_callback(timeout));
  const auto work = me->on_work_assignment([](const auto&) {});
  EXPECT_TRUE(me->remove_work_assignment_callback(work));
  EXPECT_FALSE(me->remove_work_assignment_callback(work));
  const auto gone = me->on_peer_removed([](const auto&) {});
  EXPECT_TRUE(me->remove_peer_removed_callback(gone));
  EXPECT_FALSE(me->remove_peer_removed_callback(gone));
  const auto left = me->on_orphans([](const auto&, const auto&) {});
  EXPECT_TRUE(me->remove_orphans_callback(left));
  EXPECT_FALSE(me->remove_orphans_callback(left));
  const auto conflict = me->on_identity_conflict([](auto) {});
  EXPECT_TRUE(me->remove_identity_conflict_callback(conflict));
  EXPECT_FALSE(me->remove_identity_conflict_callback(conflict));
}

TEST_F(Coordinator, S15_one_that_is_registered_twice_is_called_twice) {
  int told = 0;
  const auto count = [&](const auto&) { ++told; };
  const auto first = me->on_heartbeat(count);
  me->on_heartbeat(count);
  me->handle_heartbeat(beat("a"));
  EXPECT_EQ(told, 2);
  me->remove_heartbeat_callback(first);
  me->handle_heartbeat(beat("b"));
  EXPECT_EQ(told, 3);
}

TEST_F(Coordinator, S16_in_registration_order_after_the_change) {
  std::vector<int> order;
  me->on_heartbeat([&](const auto&) {
    order.push_back(1);
    EXPECT_EQ(me->healthy_peer_count(), 1u);
  });
  me->on_heartbeat([&](const auto&) { order.push_back(2); });
  me->handle_heartbeat(beat("a"));
  EXPECT_THAT(order, ElementsAre(1, 2));
}

TEST_F(Coordinator, S17_W27_one_that_removes_itself_skips_nobody) {
  CallbackId id{};
  int first = 0;
  int second = 0;
  id = me->on_heartbeat([&](const auto&) {
    ++first;
    me->remove_heartbeat_callback(id);
  });
  me->on_heartbeat([&](const auto&) { ++second; });
  me->handle_heartbeat(beat("a"));
  me->handle_heartbeat(beat("b"));
  EXPECT_EQ(first, 1);
  EXPECT_EQ(second, 2);
}

TEST_F(Coordinator, W28_callbacks_may_call_everything) {
  me->on_peer_timeout([&](const auto& id) {
    (void)me->get_orphaned_subscriptions();
    me->create_heartbeat({"orders"});
    me->check_peer_timeouts();
    me->remove_peer(id);
  });
  me->on_peer_removed([&](const auto&) { me->handle_peer_shutdown(notice("b")); });
  me->handle_heartbeat(beat("a"));
  time.advance(20s);
  EXPECT_THAT(me->check_peer_timeouts(), ElementsAre("a"));
  EXPECT_THAT(removed, ElementsAre("a"));
  EXPECT_EQ(shutdowns.size(), 1u);
}

/// Everything at once; counts what the callbacks hear.
struct Storm {
  FakeClocks time;
  std::atomic<int> heard{0};
  std::atomic<int> accepted{0};
  WorkRedistributionCoordinator me{"me", nullptr, options()};

  CoordinatorOptions options() {
    CoordinatorOptions made;
    made.clocks = time.clocks();
    return made;
  }

  void send(const std::string& id) {
    for (int i = 0; i < 300; ++i) {
      time.advance(1ms);
      HeartbeatMessage heartbeat;
      heartbeat.instance_id = id;
      heartbeat.timestamp = new_year + std::chrono::seconds(i);
      heartbeat.subscriptions = {id + " work"};
      if (me.handle_heartbeat(heartbeat)) ++accepted;
      if (i % 50 != 49) continue;
      ShutdownNotification notice;
      notice.instance_id = id;
      notice.initiated_at = notice.expected_completion_at = heartbeat.timestamp;
      me.handle_peer_shutdown(notice);
    }
  }

  void look() {
    for (int i = 0; i < 300; ++i) {
      me.check_peer_timeouts();
      (void)me.get_orphaned_subscriptions();
      (void)me.draining_peers();
      (void)me.next_deadline();
      for (const auto& [id, peer] : me.known_peers()) EXPECT_EQ(peer.instance_id, id);
      PeerRecord record;
      record.instance_id = "registered";
      me.handle_peer("registered", record, time.now());
      me.create_heartbeat({"mine"});
      me.set_incarnation(i);
      me.remove_heartbeat_callback(me.on_heartbeat([](const auto&) {}));
    }
  }
};

TEST(CoordinatorThreads, W28_from_many_threads_nothing_is_lost) {
  Storm storm;
  storm.me.on_heartbeat([&](const auto& heartbeat) {
    if (heartbeat.instance_id != "registered") ++storm.heard;
    (void)storm.me.healthy_peer_count();
  });
  {
    const std::jthread one([&] { storm.send("one"); });
    const std::jthread two([&] { storm.send("two"); });
    const std::jthread same([&] { storm.send("two"); });
    const std::jthread looks([&] { storm.look(); });
    const std::jthread looks_too([&] { storm.look(); });
  }
  EXPECT_EQ(storm.heard, storm.accepted);
  EXPECT_GE(storm.accepted, 600);
  EXPECT_EQ(storm.me.known_peers().size(), 3u);
}

}  // namespace
}  // namespace pgcoord::test
