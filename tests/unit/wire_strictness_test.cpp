#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "pgcoord/heartbeat_message.hpp"
#include "pgcoord/message_error.hpp"
#include "pgcoord/shutdown_notification.hpp"
#include "pgcoord/topics.hpp"
#include "pgcoord/work_assignment.hpp"

// What is no message is refused as a whole, by an error that says why.

namespace {

using namespace pgcoord;
using nlohmann::json;
using testing::HasSubstr;

TEST(Topics, T36_prefix) { EXPECT_EQ(coordination_topic_prefix, "__eventsource_coordination"); }
TEST(Topics, T37_shutdown) { EXPECT_EQ(shutdown_notifications_topic, "__eventsource_coordination.shutdown"); }
TEST(Topics, T38_heartbeat) { EXPECT_EQ(heartbeat_topic, "__eventsource_coordination.heartbeat"); }
TEST(Topics, T39_assignment) {
  EXPECT_EQ(work_assignment_topic, "__eventsource_coordination.work_assignment");
}

const json notice{{"instance_id", "a"},
                  {"intent", "graceful"},
                  {"initiated_at", "2025-01-01T00:00:00+00:00"},
                  {"expected_completion_at", "2025-01-01T00:00:00+00:00"},
                  {"subscriptions", {"s"}},
                  {"in_flight_count", 1},
                  {"metadata", json::object()}};
const json heartbeat{{"instance_id", "a"},     {"timestamp", "2025-01-01T00:00:00+00:00"},
                     {"subscriptions", {"s"}}, {"in_flight_count", 1},
                     {"is_leader", true},      {"load_factor", 0.5}};
const json assignment{{"target_instance_id", "a"},
                      {"subscriptions", {"s"}},
                      {"source_instance_id", "b"},
                      {"assigned_at", "2025-01-01T00:00:00+00:00"},
                      {"priority", 1}};

void read(const json& kind, const std::string& text) {
  if (kind == notice) (void)ShutdownNotification::from_json(text);
  if (kind == heartbeat) (void)HeartbeatMessage::from_json(text);
  if (kind == assignment) (void)WorkAssignment::from_json(text);
}

/// Empty if it was taken.
std::string refusal(const json& kind, const std::string& text) {
  try {
    read(kind, text);
    return {};
  } catch (const MessageError& error) {
    EXPECT_EQ(error.sqlstate(), "22P02");
    return error.what();
  }
}

std::string refusal(const json& kind, const char* key, json value) {
  json changed = kind;
  changed[key] = std::move(value);
  return refusal(kind, changed.dump());
}

std::string refusal_without(const json& kind, const char* key) {
  json changed = kind;
  changed.erase(key);
  return refusal(kind, changed.dump());
}

TEST(WireStrictness, what_is_no_object_is_refused) {
  for (const auto& kind : {notice, heartbeat, assignment}) {
    EXPECT_EQ(refusal(kind, kind.dump()), "");
    for (const char* text : {"", " ", "{", "null", "1", "\"a\"", "[]", "{} {}", "{'instance_id':'a'}",
                             "{\"a\":\"\xff\"}", "{\"a\":1e999}"})
      EXPECT_NE(refusal(kind, text), "") << text;
    EXPECT_THAT(refusal(kind, kind.dump() + "x"), HasSubstr("not JSON"));
    EXPECT_THAT(refusal(kind, "{}"), HasSubstr("is missing"));
  }
}

TEST(WireStrictness, missing_keys_are_named) {
  for (const char* key : {"instance_id", "intent", "initiated_at", "expected_completion_at"})
    EXPECT_EQ(refusal_without(notice, key),
              "invalid shutdown notification: \"" + std::string(key) + "\" is missing");
  for (const char* key : {"instance_id", "timestamp"})
    EXPECT_EQ(refusal_without(heartbeat, key), "invalid heartbeat: \"" + std::string(key) + "\" is missing");
  for (const char* key : {"target_instance_id", "subscriptions", "source_instance_id", "assigned_at"})
    EXPECT_EQ(refusal_without(assignment, key),
              "invalid work assignment: \"" + std::string(key) + "\" is missing");
}

TEST(WireStrictness, null_is_no_value_for_what_is_required) {
  for (const char* key : {"instance_id", "intent", "initiated_at", "expected_completion_at", "subscriptions"})
    EXPECT_THAT(refusal(notice, key, nullptr), HasSubstr(key));
  for (const char* key : {"instance_id", "timestamp", "subscriptions"})
    EXPECT_THAT(refusal(heartbeat, key, nullptr), HasSubstr(key));
  for (const char* key : {"target_instance_id", "subscriptions", "source_instance_id", "assigned_at"})
    EXPECT_THAT(refusal(assignment, key, nullptr), HasSubstr(key));
}

TEST(WireStrictness, wrong_types_are_named) {
  for (const auto& [key, value] : json{
           {"instance_id", 1},
           {"intent", 1},
           {"initiated_at", 0},
           {"metadata", "x"},
           {"metadata", json::array()},
           {"in_flight_count", "1"},
           {"incarnation", "1"},
           {"truncated", 1}}.get<std::map<std::string, json>>())
    EXPECT_THAT(refusal(notice, key.c_str(), value), HasSubstr('"' + key + '"'));
  EXPECT_THAT(refusal(heartbeat, "is_leader", 1), HasSubstr("true or false"));
  EXPECT_THAT(refusal(heartbeat, "is_leader", "true"), HasSubstr("true or false"));
  EXPECT_THAT(refusal(heartbeat, "load_factor", "0.5"), HasSubstr("a finite number"));
  EXPECT_THAT(refusal(heartbeat, "load_factor", true), HasSubstr("a finite number"));
  EXPECT_THAT(refusal(assignment, "election", 1), HasSubstr("a string"));
  EXPECT_THAT(refusal(assignment, "token", 1.0), HasSubstr("an integer"));
}

TEST(WireStrictness, integers_stay_in_their_range) {
  EXPECT_EQ(refusal(heartbeat, "in_flight_count", 2147483647), "");
  for (const json& value : {json(2147483648), json(-1), json(1.0), json(1e300), json(18446744073709551615u)})
    EXPECT_THAT(refusal(heartbeat, "in_flight_count", value), HasSubstr("in_flight_count")) << value;
  EXPECT_EQ(refusal(assignment, "priority", -2147483648), "");
  EXPECT_THAT(refusal(assignment, "priority", -2147483649), HasSubstr("priority"));
  EXPECT_EQ(refusal(assignment, "token", 9223372036854775807), "");
  EXPECT_THAT(refusal(assignment, "token", 9223372036854775808u), HasSubstr("token"));
}

TEST(WireStrictness, W30_a_bare_string_is_no_list) {
  for (const auto& kind : {notice, heartbeat, assignment})
    for (const json& value : {json("orders"), json{{"0", "orders"}}, json{"orders", 1}, json{nullptr}})
      EXPECT_THAT(refusal(kind, "subscriptions", value), HasSubstr("a list of strings")) << value;
}

TEST(WireStrictness, W33_an_offset_less_time_is_refused) {
  EXPECT_THAT(refusal(heartbeat, "timestamp", "2025-01-01T00:00:00"), HasSubstr("timestamp"));
  EXPECT_THAT(refusal(notice, "initiated_at", "2025-01-01"), HasSubstr("initiated_at"));
  EXPECT_THAT(refusal(notice, "expected_completion_at", "soon"), HasSubstr("expected_completion_at"));
  EXPECT_THAT(refusal(assignment, "assigned_at", "2025-01-01T00:00:00"), HasSubstr("assigned_at"));
}

TEST(WireStrictness, an_unknown_intent_and_an_empty_name_are_refused) {
  EXPECT_THAT(refusal(notice, "intent", "GRACEFUL"), HasSubstr("intent"));
  EXPECT_THAT(refusal(notice, "instance_id", ""), HasSubstr("is empty"));
  EXPECT_THAT(refusal(assignment, "source_instance_id", ""), HasSubstr("is empty"));
}

TEST(WireStrictness, unknown_keys_are_ignored) {
  for (const auto& kind : {notice, heartbeat, assignment})
    EXPECT_EQ(refusal(kind, "later", json{{"a", {1}}}), "");
}

TEST(WireStrictness, nesting_has_a_limit) {
  const auto nested = [](int depth) { return std::string(depth, '[') + std::string(depth, ']'); };
  EXPECT_EQ(refusal(notice, "metadata", json{{"a", json::parse(nested(50))}}), "");
  EXPECT_EQ(refusal(notice, "metadata", json{{"a", std::string(100, '[') + '"' + "\\"}}), "");
  std::string text = notice.dump();
  text.insert(text.size() - 1, ",\"x\":" + nested(1'000'000));
  EXPECT_THAT(refusal(notice, text), HasSubstr("nested too deep"));
}

}  // namespace
