#include "pgcoord/session_options.hpp"

#include <gtest/gtest.h>

#include "pgcoord/error.hpp"
#include "pgcoord/session.hpp"

namespace {

using namespace std::chrono_literals;
using pgcoord::SessionOptions;

SessionOptions sound() {
  SessionOptions options;
  options.instance_id = "me";
  return options;
}

using Spoil = std::function<void(SessionOptions&)>;

std::string refusal(const Spoil& spoil) {
  auto options = sound();
  spoil(options);
  try {
    pgcoord::check(options);
  } catch (const pgcoord::Error& error) {
    EXPECT_EQ(error.sqlstate(), "22023");
    return error.what();
  }
  return "accepted";
}

TEST(SessionOptions, defaults_with_a_name_are_sound) { EXPECT_NO_THROW(pgcoord::check(sound())); }

TEST(SessionOptions, each_bad_option_is_named) {
  const std::vector<std::pair<std::string, Spoil>> cases = {
      {"instance_id", [](auto& o) { o.instance_id.clear(); }},
      {"member_group", [](auto& o) { o.member_group = "a\tb"; }},
      {"subscriptions", [](auto& o) { o.subscriptions = {""}; }},
      {"heartbeat_timeout", [](auto& o) { o.heartbeat_timeout = 999ms; }},
      {"heartbeat_timeout", [](auto& o) { o.heartbeat_timeout = 25h; }},
      {"answer_timeout", [](auto& o) { o.answer_timeout = 7501ms; }},
      {"answer_timeout", [](auto& o) { o.answer_timeout = 0ms; }},
      {"connect_timeout", [](auto& o) { o.connect_timeout = 0ms; }},
      {"close_timeout", [](auto& o) { o.close_timeout = -1ms; }},
      {"reconnect_min", [](auto& o) { o.reconnect_min = 0ms; }},
      {"reconnect_max", [](auto& o) { o.reconnect_max = 1ms; }},
      {"metadata", [](auto& o) { o.metadata = "[]"; }},
      {"metadata", [](auto& o) { o.metadata = "{"; }},
  };
  for (const auto& [name, spoil] : cases) {
    EXPECT_NE(refusal(spoil).find('"' + name + '"'), std::string::npos) << name;
  }
}

TEST(SessionOptions, an_observer_needs_no_name) {
  SessionOptions options;
  options.participation = pgcoord::Participation::observer;
  EXPECT_NO_THROW(pgcoord::check(options));
}

TEST(SessionOptions, a_session_refuses_a_connection_string_that_makes_no_sense) {
  auto options = sound();
  options.conninfo = "host";
  try {
    const pgcoord::Session session(options);
    ADD_FAILURE() << "accepted";
  } catch (const pgcoord::Error& error) {
    EXPECT_EQ(error.sqlstate(), "22023");
  }
}

}  // namespace
