#include "pgcoord/shutdown_notification.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "pgcoord/error.hpp"

namespace {

using namespace std::chrono_literals;
using namespace pgcoord;
using testing::ElementsAre;

constexpr UtcTime new_year = std::chrono::sys_days(std::chrono::year{2025} / 1 / 1);

ShutdownNotification example() {
  ShutdownNotification notice;
  notice.instance_id = "worker-1";
  notice.intent = ShutdownIntent::preemption;
  notice.initiated_at = new_year;
  notice.expected_completion_at = new_year + 30s;
  notice.subscriptions = {"orders", "billing", "orders"};
  notice.in_flight_count = 7;
  notice.metadata = {{"zone", "b"}, {"reason", {{"code", 3}}}};
  return notice;
}

const std::string document =
    R"({"instance_id":"worker-1","intent":"preemption","initiated_at":"2025-01-01T00:00:00+00:00",)"
    R"("expected_completion_at":"2025-01-01T00:00:30+00:00","subscriptions":["orders","billing","orders"],)"
    R"("in_flight_count":7,"metadata":{"reason":{"code":3},"zone":"b"}})";

TEST(ShutdownIntent, T40_four_wire_values) {
  EXPECT_EQ(to_string(ShutdownIntent::graceful), "graceful");
  EXPECT_EQ(to_string(ShutdownIntent::preemption), "preemption");
  EXPECT_EQ(to_string(ShutdownIntent::health_failure), "health_failure");
  EXPECT_EQ(to_string(ShutdownIntent::maintenance), "maintenance");
}

TEST(ShutdownIntent, T41_lookup_by_wire_value) {
  EXPECT_EQ(shutdown_intent_from("graceful"), ShutdownIntent::graceful);
  EXPECT_EQ(shutdown_intent_from("preemption"), ShutdownIntent::preemption);
  EXPECT_EQ(shutdown_intent_from("health_failure"), ShutdownIntent::health_failure);
  EXPECT_EQ(shutdown_intent_from("maintenance"), ShutdownIntent::maintenance);
  for (const char* word : {"", "GRACEFUL", "graceful ", "scaling_down"})
    EXPECT_EQ(shutdown_intent_from(word), std::nullopt) << word;
}

TEST(ShutdownNotification, T42_keeps_all_fields) {
  const auto notice = example();
  EXPECT_EQ(notice.instance_id, "worker-1");
  EXPECT_EQ(notice.intent, ShutdownIntent::preemption);
  EXPECT_EQ(notice.initiated_at, new_year);
  EXPECT_EQ(notice.expected_completion_at, new_year + 30s);
  EXPECT_THAT(notice.subscriptions, ElementsAre("orders", "billing", "orders"));
  EXPECT_EQ(notice.in_flight_count, 7);
  EXPECT_EQ(notice.metadata["zone"], "b");
}

TEST(ShutdownNotification, T43_document_is_the_reference_s) { EXPECT_EQ(example().to_json(), document); }

TEST(ShutdownNotification, T43_every_key_is_written_with_its_default) {
  ShutdownNotification notice;
  notice.instance_id = "a";
  notice.initiated_at = notice.expected_completion_at = new_year + 5us;
  EXPECT_EQ(notice.to_json(),
            R"({"instance_id":"a","intent":"graceful","initiated_at":"2025-01-01T00:00:00.000005+00:00",)"
            R"("expected_completion_at":"2025-01-01T00:00:00.000005+00:00","subscriptions":[],)"
            R"("in_flight_count":0,"metadata":{}})");
}

TEST(ShutdownNotification, T44_reads_a_full_document) {
  const auto notice = ShutdownNotification::from_json(document);
  EXPECT_EQ(notice.instance_id, "worker-1");
  EXPECT_EQ(notice.intent, ShutdownIntent::preemption);
  EXPECT_EQ(notice.initiated_at, new_year);
  EXPECT_EQ(notice.expected_completion_at, new_year + 30s);
  EXPECT_THAT(notice.subscriptions, ElementsAre("orders", "billing", "orders"));
  EXPECT_EQ(notice.in_flight_count, 7);
  EXPECT_EQ(notice.metadata, (nlohmann::json{{"zone", "b"}, {"reason", {{"code", 3}}}}));
  EXPECT_EQ(notice.incarnation, std::nullopt);
  EXPECT_FALSE(notice.truncated);
}

TEST(ShutdownNotification, T44_optional_keys_have_defaults) {
  const auto notice = ShutdownNotification::from_json(
      R"({"instance_id":"a","intent":"maintenance","initiated_at":"2025-01-01T00:00:00Z",)"
      R"("expected_completion_at":"2025-01-01 01:00:00+01:00","in_flight_count":null,"metadata":null,"more":[1]})");
  EXPECT_EQ(notice.expected_completion_at, new_year);
  EXPECT_TRUE(notice.subscriptions.empty());
  EXPECT_EQ(notice.in_flight_count, 0);
  EXPECT_EQ(notice.metadata, nlohmann::json::object());
}

TEST(ShutdownNotification, T45_time_remaining) {
  EXPECT_EQ(example().time_remaining(new_year), 30s);
  EXPECT_EQ(example().time_remaining(new_year + 500ms), 29'500ms);
}

TEST(ShutdownNotification, T46_past_its_deadline_nothing_remains) {
  EXPECT_EQ(example().time_remaining(new_year + 31s), 0s);
  EXPECT_EQ(example().time_remaining(new_year + 30s), 0s);
}

TEST(ShutdownNotification, T47_is_expired_from_the_deadline_on) {
  EXPECT_FALSE(example().is_expired(new_year + 30s - 1us));
  EXPECT_TRUE(example().is_expired(new_year + 30s));
  EXPECT_TRUE(example().is_expired(new_year + 1h));
}

TEST(ShutdownNotification, T48_round_trip_keeps_everything) {
  auto notice = example();
  EXPECT_EQ(ShutdownNotification::from_json(notice.to_json()), notice);
  notice.incarnation = std::int64_t{1} << 60;
  notice.truncated = true;
  notice.initiated_at += 1us;
  EXPECT_EQ(ShutdownNotification::from_json(notice.to_json()), notice);
}

TEST(ShutdownNotification, thousands_of_years_remain_without_overflow) {
  auto notice = example();
  notice.expected_completion_at = std::chrono::sys_days(std::chrono::year{9999} / 1 / 1);
  EXPECT_GT(notice.time_remaining(new_year), std::chrono::hours(24 * 365 * 200));
  EXPECT_FALSE(notice.is_expired(new_year));
}

TEST(ShutdownNotification, W30_metadata_is_a_copy) {
  nlohmann::json metadata{{"inner", {{"value", 1}}}};
  auto notice = example();
  notice.metadata = metadata;
  const auto copy = notice;
  metadata["inner"]["value"] = 2;
  notice.metadata["inner"]["value"] = 3;
  EXPECT_EQ(copy.metadata["inner"]["value"], 1);
}

TEST(ShutdownNotification, what_json_cannot_say_is_refused) {
  auto notice = example();
  notice.metadata = nlohmann::json::array();
  EXPECT_THROW((void)notice.to_json(), Error);
  notice = example();
  notice.subscriptions = {"\xff"};
  EXPECT_THROW((void)notice.to_json(), Error);
}

}  // namespace
