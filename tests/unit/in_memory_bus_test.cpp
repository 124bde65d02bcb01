#include "pgcoord/in_memory_bus.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "pgcoord/topics.hpp"
#include "pgcoord/work_redistribution_coordinator.hpp"

namespace {

using namespace pgcoord;
using testing::ElementsAre;

TEST(InMemoryBus, carries_to_the_subscribers_of_the_topic) {
  InMemoryBus bus;
  std::vector<std::string> heard;
  bus.subscribe("a", [&](const auto& payload) { heard.push_back("1 " + payload); });
  bus.subscribe("a", [&](const auto& payload) { heard.push_back("2 " + payload); });
  bus.subscribe("b", [&](const auto& payload) { heard.push_back("b " + payload); });
  bus.publish("a", "x");
  bus.publish("nobody", "y");
  bus.publish("b", "z");
  EXPECT_THAT(heard, ElementsAre("1 x", "2 x", "b z"));
}

TEST(InMemoryBus, unsubscribed_hears_no_more) {
  InMemoryBus bus;
  int heard = 0;
  const auto id = bus.subscribe("a", [&](const auto&) { ++heard; });
  EXPECT_FALSE(bus.unsubscribe("b", id));
  EXPECT_TRUE(bus.unsubscribe("a", id));
  EXPECT_FALSE(bus.unsubscribe("a", id));
  bus.publish("a", "x");
  EXPECT_EQ(heard, 0);
}

TEST(InMemoryBus, a_handler_may_throw_and_publish) {
  int errors = 0;
  InMemoryBus bus([&](std::exception_ptr) { ++errors; });
  std::vector<std::string> heard;
  bus.subscribe("a", [&](const auto& payload) {
    if (payload == "first") bus.publish("a", "second");
    throw 1;
  });
  bus.subscribe("a", [&](const auto& payload) { heard.push_back(payload); });
  bus.publish("a", "first");
  EXPECT_THAT(heard, ElementsAre("first", "second"));
  EXPECT_EQ(errors, 2);
}

TEST(InMemoryBus, threads_lose_nothing) {
  InMemoryBus bus;
  std::atomic<int> heard{0};
  bus.subscribe("a", [&](const auto&) { ++heard; });
  {
    const auto work = [&] {
      for (int i = 0; i < 500; ++i) bus.publish("a", "x");
    };
    const std::jthread one(work);
    const std::jthread two(work);
  }
  bus.publish("a", "last");
  EXPECT_EQ(heard, 1001);
}

TEST(InMemoryBus, W31_coordinators_meet_on_it) {
  InMemoryBus bus;
  WorkRedistributionCoordinator one("one");
  WorkRedistributionCoordinator two("two");
  for (auto* each : {&one, &two})
    for (const auto topic : {shutdown_notifications_topic, heartbeat_topic, work_assignment_topic})
      bus.subscribe(topic, [each, topic](const auto& payload) { each->handle_message(topic, payload); });
  std::vector<std::string> taken;
  two.on_work_assignment([&](const auto& assignment) { taken = assignment.subscriptions; });
  bus.publish(heartbeat_topic, one.create_heartbeat({"orders"}).to_json());
  bus.publish(heartbeat_topic, two.create_heartbeat({}).to_json());
  bus.publish(shutdown_notifications_topic,
              one.create_shutdown_notification(ShutdownIntent::graceful, {"orders"}).to_json());
  bus.publish(work_assignment_topic, one.create_work_assignment("two", {"orders"}).to_json());
  EXPECT_EQ(one.healthy_peer_count(), 1u);
  EXPECT_EQ(two.peer_status("one"), PeerStatus::draining);
  EXPECT_THAT(taken, ElementsAre("orders"));
}

}  // namespace
