#include "pgcoord/session_options.hpp"

#include <nlohmann/json.hpp>

#include "names.hpp"
#include "pgcoord/error.hpp"

namespace pgcoord {

namespace {

using std::chrono::milliseconds;

void require(bool sound, const char* option, const char* rule) {
  if (!sound) {
    throw Error(sqlstate::bad_argument, std::string("invalid option \"") + option + "\"", rule);
  }
}

void check_names(const SessionOptions& options) {
  if (options.participation == Participation::member) {
    detail::check_name("option \"instance_id\"", options.instance_id);
  }
  detail::check_name("option \"member_group\"", options.member_group);
  for (const auto& subscription : options.subscriptions) {
    detail::check_name("option \"subscriptions\"", subscription);
  }
}

void check_times(const SessionOptions& options) {
  const auto timeout = options.heartbeat_timeout;
  require(timeout >= std::chrono::seconds(1) && timeout <= std::chrono::hours(24), "heartbeat_timeout",
          "It must be between 1 s and 1 day.");
  if (options.answer_timeout) {
    require(*options.answer_timeout > milliseconds(0) && *options.answer_timeout * 2 <= timeout,
            "answer_timeout", "It must be positive, and at most half of \"heartbeat_timeout\".");
  }
  require(options.connect_timeout > milliseconds(0), "connect_timeout", "It must be positive.");
  require(options.close_timeout >= milliseconds(0), "close_timeout", "It must not be negative.");
  require(options.reconnect_min > milliseconds(0), "reconnect_min", "It must be positive.");
  require(options.reconnect_max >= options.reconnect_min, "reconnect_max",
          "It must not be less than \"reconnect_min\".");
}

}  // namespace

void check(const SessionOptions& options) {
  check_names(options);
  check_times(options);
  const auto metadata = nlohmann::json::parse(options.metadata, nullptr, false);
  require(metadata.is_object(), "metadata", "It must be a JSON object.");
}

}  // namespace pgcoord
