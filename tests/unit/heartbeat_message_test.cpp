#include "pgcoord/heartbeat_message.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "pgcoord/error.hpp"

namespace {

using namespace std::chrono_literals;
using namespace pgcoord;
using testing::ElementsAre;

constexpr UtcTime new_year = std::chrono::sys_days(std::chrono::year{2025} / 1 / 1);

HeartbeatMessage example() {
  HeartbeatMessage heartbeat;
  heartbeat.instance_id = "worker-1";
  heartbeat.timestamp = new_year + 120ms;
  heartbeat.subscriptions = {"orders", "billing"};
  heartbeat.in_flight_count = 3;
  heartbeat.is_leader = true;
  heartbeat.load_factor = 0.75;
  return heartbeat;
}

const std::string document =
    R"({"instance_id":"worker-1","timestamp":"2025-01-01T00:00:00.120000+00:00",)"
    R"("subscriptions":["orders","billing"],"in_flight_count":3,"is_leader":true,"load_factor":0.75})";

TEST(HeartbeatMessage, T49_constructor_fields) {
  const auto heartbeat = example();
  EXPECT_EQ(heartbeat.instance_id, "worker-1");
  EXPECT_EQ(heartbeat.timestamp, new_year + 120ms);
  EXPECT_THAT(heartbeat.subscriptions, ElementsAre("orders", "billing"));
  EXPECT_EQ(heartbeat.in_flight_count, 3);
  EXPECT_TRUE(heartbeat.is_leader);
  EXPECT_EQ(heartbeat.load_factor, 0.75);
}

TEST(HeartbeatMessage, T50_document_is_the_reference_s) {
  EXPECT_EQ(example().to_json(), document);
  HeartbeatMessage heartbeat;
  heartbeat.instance_id = "a";
  heartbeat.timestamp = new_year;
  EXPECT_EQ(heartbeat.to_json(),
            R"({"instance_id":"a","timestamp":"2025-01-01T00:00:00+00:00","subscriptions":[],)"
            R"("in_flight_count":0,"is_leader":false,"load_factor":0.0})");
}

TEST(HeartbeatMessage, T51_reads_a_document) {
  EXPECT_EQ(HeartbeatMessage::from_json(document), example());
  const auto sparse = HeartbeatMessage::from_json(
      R"({"timestamp":"20250101T000000Z","load_factor":1,"instance_id":"a","x":{}})");
  EXPECT_EQ(sparse.timestamp, new_year);
  EXPECT_TRUE(sparse.subscriptions.empty());
  EXPECT_EQ(sparse.in_flight_count, 0);
  EXPECT_FALSE(sparse.is_leader);
  EXPECT_EQ(sparse.load_factor, 1.0);
}

TEST(HeartbeatMessage, T52_a_fresh_one_is_not_stale) {
  EXPECT_FALSE(example().is_stale(example().timestamp + 1s));
  EXPECT_FALSE(example().is_stale(example().timestamp + 15s)) << "only past the age";
}

TEST(HeartbeatMessage, T53_twenty_seconds_are_stale) {
  EXPECT_TRUE(example().is_stale(example().timestamp + 20s));
  EXPECT_TRUE(example().is_stale(example().timestamp + 15s + 1us));
  EXPECT_FALSE(example().is_stale(example().timestamp + 20s, 60s));
  EXPECT_TRUE(example().is_stale(example().timestamp + 6s, 5s));
}

TEST(HeartbeatMessage, T53_one_from_the_future_is_never_stale) {
  EXPECT_FALSE(example().is_stale(example().timestamp - 1h));
  EXPECT_TRUE(example().is_stale(std::chrono::sys_days(std::chrono::year{9999} / 1 / 1))) << "no overflow";
}

TEST(HeartbeatMessage, T54_round_trip_keeps_everything) {
  auto heartbeat = example();
  EXPECT_EQ(HeartbeatMessage::from_json(heartbeat.to_json()), heartbeat);
  heartbeat.incarnation = 12;
  heartbeat.truncated = true;
  heartbeat.load_factor = 0.1 + 0.2;
  EXPECT_EQ(HeartbeatMessage::from_json(heartbeat.to_json()), heartbeat);
}

TEST(HeartbeatMessage, a_load_that_is_no_number_is_refused) {
  auto heartbeat = example();
  for (const double load :
       {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    heartbeat.load_factor = load;
    EXPECT_THROW((void)heartbeat.to_json(), Error);
  }
}

}  // namespace
