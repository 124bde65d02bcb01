#include <limits>

#include "coordinator_fixture.hpp"
#include "pgcoord/message_error.hpp"
#include "pgcoord/topics.hpp"

// What one instance says of itself, and what it does with others' messages.

namespace pgcoord::test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;
using testing::UnorderedElementsAre;

TEST_F(Coordinator, T64_new_one_knows_nobody) {
  EXPECT_EQ(me->instance_id(), "me");
  EXPECT_FALSE(me->is_shutting_down());
  EXPECT_FALSE(me->shutdown_notification());
  EXPECT_TRUE(me->known_peers().empty());
  EXPECT_EQ(me->healthy_peer_count(), 0u);
  EXPECT_TRUE(me->draining_peers().empty());
  EXPECT_FALSE(me->next_deadline());
}

TEST_F(Coordinator, T65_create_shutdown_notification) {
  const auto made = me->create_shutdown_notification(ShutdownIntent::maintenance, {"b", "a", "b"}, 4, 1500ms,
                                                     {{"ticket", 7}});
  EXPECT_EQ(made.instance_id, "me");
  EXPECT_EQ(made.intent, ShutdownIntent::maintenance);
  EXPECT_EQ(made.initiated_at, time.utc());
  EXPECT_EQ(made.expected_completion_at, time.utc() + 1500ms);
  EXPECT_THAT(made.subscriptions, ElementsAre("b", "a", "b"));
  EXPECT_EQ(made.in_flight_count, 4);
  EXPECT_EQ(made.metadata, (nlohmann::json{{"ticket", 7}}));
  EXPECT_TRUE(me->is_shutting_down());
  EXPECT_EQ(me->shutdown_notification(), made);
}

TEST_F(Coordinator, S6_a_newer_notice_replaces_the_older) {
  me->create_shutdown_notification(ShutdownIntent::graceful, {});
  time.advance(5s);
  const auto second = me->create_shutdown_notification(ShutdownIntent::preemption, {}, 0, -1s);
  EXPECT_EQ(me->shutdown_notification(), second);
  EXPECT_TRUE(second.is_expired(time.utc())) << "a negative drain is over at once";
  EXPECT_EQ(second.metadata, nlohmann::json::object());
}

TEST_F(Coordinator, S6_bad_arguments_are_refused_and_change_nothing) {
  EXPECT_THROW(me->create_shutdown_notification(ShutdownIntent::graceful, {}, -1), Error);
  EXPECT_THROW(me->create_shutdown_notification(ShutdownIntent::graceful, {}, 0, 1s, {1, 2}), Error);
  EXPECT_FALSE(me->is_shutting_down());
  EXPECT_THROW(me->create_heartbeat({}, -1), Error);
  EXPECT_THROW(me->create_heartbeat({}, 0, std::numeric_limits<double>::infinity()), Error);
}

TEST_F(Coordinator, W30_metadata_of_a_notice_is_its_own) {
  nlohmann::json metadata{{"list", {1}}};
  auto made = me->create_shutdown_notification(ShutdownIntent::graceful, {}, 0, 30s, metadata);
  metadata["list"].push_back(2);
  made.metadata["list"].push_back(3);
  EXPECT_EQ(me->shutdown_notification()->metadata, (nlohmann::json{{"list", {1}}}));
}

TEST_F(Coordinator, T66_create_heartbeat_without_elector) {
  const auto made = me->create_heartbeat({"orders"}, 2, 0.5);
  EXPECT_EQ(made.instance_id, "me");
  EXPECT_EQ(made.timestamp, time.utc());
  EXPECT_THAT(made.subscriptions, ElementsAre("orders"));
  EXPECT_EQ(made.in_flight_count, 2);
  EXPECT_FALSE(made.is_leader);
  EXPECT_EQ(made.load_factor, 0.5);
}

TEST_F(Coordinator, T67_create_heartbeat_of_a_leader) {
  const auto elector = InMemoryLeaderElector::alone("me");
  me = make(elector.get());
  EXPECT_FALSE(me->create_heartbeat({}).is_leader);
  elector->try_acquire();
  EXPECT_TRUE(me->create_heartbeat({}).is_leader);
  me->create_shutdown_notification(ShutdownIntent::graceful, {});
  EXPECT_TRUE(me->create_heartbeat({}).is_leader) << "the same while shutting down";
}

TEST_F(Coordinator, messages_carry_the_own_life_once_known) {
  EXPECT_EQ(me->create_heartbeat({}).incarnation, std::nullopt);
  me->set_incarnation(7);
  EXPECT_EQ(me->create_heartbeat({}).incarnation, 7);
  EXPECT_EQ(me->create_shutdown_notification(ShutdownIntent::graceful, {}).incarnation, 7);
}

TEST_F(Coordinator, T68_a_peer_s_notice_is_told) {
  const auto sent = notice("a", {"orders"});
  EXPECT_TRUE(me->handle_peer_shutdown(sent));
  EXPECT_THAT(shutdowns, ElementsAre(sent));
  EXPECT_EQ(me->peer_status("a"), PeerStatus::draining);
  EXPECT_EQ(me->known_peers().at("a").shutdown_notification, sent);
}

TEST_F(Coordinator, T69_the_own_notice_is_ignored) {
  EXPECT_FALSE(me->handle_peer_shutdown(notice("me")));
  EXPECT_THAT(shutdowns, IsEmpty());
  EXPECT_FALSE(me->peer_status("me"));
}

TEST_F(Coordinator, T70_a_peer_s_heartbeat_is_told) {
  const auto sent = beat("a", {"orders"});
  EXPECT_TRUE(me->handle_heartbeat(sent));
  EXPECT_THAT(heartbeats, ElementsAre(sent));
  EXPECT_EQ(me->peer_status("a"), PeerStatus::healthy);
  EXPECT_EQ(me->healthy_peer_count(), 1u);
}

TEST_F(Coordinator, T71_the_own_heartbeat_is_ignored) {
  EXPECT_FALSE(me->handle_heartbeat(beat("me")));
  EXPECT_THAT(heartbeats, IsEmpty());
  EXPECT_TRUE(me->known_peers().empty());
}

TEST_F(Coordinator, T72_an_assignment_for_us_is_told) {
  const auto sent = assignment();
  EXPECT_TRUE(me->handle_work_assignment(sent));
  EXPECT_THAT(assignments, ElementsAre(sent));
}

TEST_F(Coordinator, T73_an_assignment_for_another_is_ignored) {
  auto sent = assignment();
  sent.target_instance_id = "a";
  EXPECT_FALSE(me->handle_work_assignment(sent));
  EXPECT_THAT(assignments, IsEmpty());
}

TEST_F(Coordinator, W25_an_assignment_is_taken_once) {
  EXPECT_TRUE(me->handle_work_assignment(assignment(2)));
  EXPECT_FALSE(me->handle_work_assignment(assignment(2)));
  EXPECT_TRUE(me->handle_work_assignment(assignment(1))) << "order is not asked for";
  EXPECT_FALSE(me->handle_work_assignment(assignment(1)));
  EXPECT_EQ(assignments.size(), 2u);
}

TEST_F(Coordinator, W25_only_the_newest_assignments_are_remembered_one_by_one) {
  for (int id = 1; id <= 5000; ++id) ASSERT_TRUE(me->handle_work_assignment(assignment(id))) << id;
  for (int id = 1; id <= 5000; ++id) ASSERT_FALSE(me->handle_work_assignment(assignment(id))) << id;
}

TEST_F(Coordinator, W25_an_assignment_for_another_life_is_ignored) {
  auto sent = assignment();
  sent.target_incarnation = 3;
  EXPECT_TRUE(me->handle_work_assignment(sent)) << "the own life is not known yet";
  me->set_incarnation(4);
  EXPECT_FALSE(me->handle_work_assignment(sent));
  sent.target_incarnation = 4;
  EXPECT_TRUE(me->handle_work_assignment(sent));
}

TEST_F(Coordinator, W25_assignments_are_refused_while_shutting_down_unless_asked_for) {
  me->create_shutdown_notification(ShutdownIntent::graceful, {});
  EXPECT_FALSE(me->handle_work_assignment(assignment(1)));
  me->set_shutdown_notification(std::nullopt);
  EXPECT_TRUE(me->handle_work_assignment(assignment(1))) << "a refused one may come again";
  options.accept_assignments_while_draining = true;
  me = make();
  me->set_shutdown_notification(notice("me"));
  EXPECT_TRUE(me->handle_work_assignment(assignment(1)));
}

TEST_F(Coordinator, W26_another_life_of_the_own_name_is_reported_once_in_a_row) {
  me->handle_heartbeat(beat("me", {}, 9));
  EXPECT_THAT(conflicts, IsEmpty()) << "the own life is not known";
  me->set_incarnation(8);
  me->handle_heartbeat(beat("me", {}, 8));
  me->handle_heartbeat(beat("me"));
  EXPECT_THAT(conflicts, IsEmpty());
  me->handle_heartbeat(beat("me", {}, 9));
  me->handle_peer_shutdown(notice("me", {}, 30s, 9));
  EXPECT_THAT(conflicts, ElementsAre(9));
  me->handle_peer("me", record("me", {}, 10), time.now());
  me->handle_registry({record("me", {}, 11)}, time.now());
  EXPECT_THAT(conflicts, ElementsAre(9, 10, 11));
  EXPECT_TRUE(me->known_peers().empty());
  EXPECT_THAT(heartbeats, IsEmpty());
}

TEST_F(Coordinator, W31_messages_are_taken_by_their_topic) {
  EXPECT_TRUE(me->handle_message(heartbeat_topic, beat("a").to_json()));
  EXPECT_TRUE(me->handle_message(shutdown_notifications_topic, notice("b").to_json()));
  EXPECT_TRUE(me->handle_message(work_assignment_topic, assignment().to_json()));
  EXPECT_FALSE(me->handle_message(leader_topic, "{}"));
  EXPECT_EQ(heartbeats.size() + shutdowns.size() + assignments.size(), 3u);
}

TEST_F(Coordinator, W33_a_bad_message_spoils_nothing) {
  me->handle_heartbeat(beat("a", {"orders"}));
  EXPECT_THROW(
      me->handle_message(heartbeat_topic, R"({"instance_id":"b","timestamp":"2025-01-01T00:00:00"})"),
      MessageError);
  EXPECT_THROW(me->handle_message(shutdown_notifications_topic, "{}"), MessageError);
  EXPECT_EQ(me->healthy_peer_count(), 1u);
  time.advance(20s);
  EXPECT_THAT(me->check_peer_timeouts(), ElementsAre("a"));
  EXPECT_EQ(me->get_orphaned_subscriptions().size(), 1u);
}

TEST(CoordinatorOptions, bad_ones_are_refused) {
  const auto make = [](std::string name, auto change) {
    CoordinatorOptions options;
    change(options);
    WorkRedistributionCoordinator made(std::move(name), nullptr, options);
  };
  EXPECT_THROW(make("", [](auto&) {}), Error);
  EXPECT_THROW(make(std::string(201, 'a'), [](auto&) {}), Error);
  EXPECT_THROW(make("me", [](auto& options) { options.heartbeat_timeout = 0s; }), Error);
  EXPECT_THROW(make("me", [](auto& options) { options.peer_retention = -1s; }), Error);
  EXPECT_THROW(make("me", [](auto& options) { options.clocks.wall = nullptr; }), Error);
  EXPECT_NO_THROW(make("me", [](auto&) {}));
}

TEST(CoordinatorOptions, real_clocks_are_the_default) {
  WorkRedistributionCoordinator me("me");
  const auto before = Clocks::real_wall();
  const auto stamp = me.create_heartbeat({}).timestamp;
  EXPECT_GE(stamp, before);
  EXPECT_LE(stamp, Clocks::real_wall());
}

}  // namespace
}  // namespace pgcoord::test
