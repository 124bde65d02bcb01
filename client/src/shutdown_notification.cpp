#include "pgcoord/shutdown_notification.hpp"

#include <algorithm>
#include <array>

#include "message_json.hpp"
#include "pgcoord/error.hpp"

namespace pgcoord {

namespace {

constexpr std::array intents{ShutdownIntent::graceful, ShutdownIntent::preemption,
                             ShutdownIntent::health_failure, ShutdownIntent::maintenance};

}  // namespace

std::string_view to_string(ShutdownIntent intent) noexcept {
  switch (intent) {
    case ShutdownIntent::graceful:
      return "graceful";
    case ShutdownIntent::preemption:
      return "preemption";
    case ShutdownIntent::health_failure:
      return "health_failure";
    case ShutdownIntent::maintenance:
      return "maintenance";
  }
  return "unknown";
}

std::optional<ShutdownIntent> shutdown_intent_from(std::string_view word) {
  for (const auto intent : intents)
    if (to_string(intent) == word) return intent;
  return std::nullopt;
}

Duration ShutdownNotification::time_remaining(UtcTime now) const {
  if (is_expired(now)) return Duration::zero();
  constexpr auto longest = std::chrono::floor<std::chrono::microseconds>(Duration::max());
  return std::min(expected_completion_at - now, longest);
}

bool ShutdownNotification::is_expired(UtcTime now) const { return now >= expected_completion_at; }

std::string ShutdownNotification::to_json() const {
  if (!metadata.is_object()) throw Error(sqlstate::bad_argument, "shutdown metadata is not a JSON object");
  nlohmann::ordered_json object{{"instance_id", instance_id},
                                {"intent", to_string(intent)},
                                {"initiated_at", to_iso_string(initiated_at)},
                                {"expected_completion_at", to_iso_string(expected_completion_at)},
                                {"subscriptions", subscriptions},
                                {"in_flight_count", in_flight_count},
                                {"metadata", metadata}};
  if (incarnation) object["incarnation"] = *incarnation;
  if (truncated) object["truncated"] = true;
  return detail::write_message(object);
}

ShutdownNotification ShutdownNotification::from_json(std::string_view text) {
  const detail::MessageReader reader("shutdown notification", text);
  ShutdownNotification notice;
  notice.instance_id = reader.name("instance_id");
  const auto word = reader.word("intent");
  const auto intent = shutdown_intent_from(word);
  if (!intent) reader.refuse("\"intent\" is unknown");
  notice.intent = *intent;
  notice.initiated_at = reader.time("initiated_at");
  notice.expected_completion_at = reader.time("expected_completion_at");
  notice.subscriptions = reader.list("subscriptions", false);
  notice.in_flight_count = reader.count("in_flight_count");
  notice.metadata = reader.object("metadata");
  notice.incarnation = reader.number("incarnation");
  notice.truncated = reader.flag("truncated");
  return notice;
}

}  // namespace pgcoord
