#include "pgcoord/heartbeat_message.hpp"

#include <cmath>

#include "message_json.hpp"
#include "pgcoord/error.hpp"

namespace pgcoord {

bool HeartbeatMessage::is_stale(UtcTime now, Duration max_age) const {
  // In whole microseconds, since spans of thousands of years do not fit into nanoseconds.
  return now - timestamp > std::chrono::floor<std::chrono::microseconds>(max_age);
}

std::string HeartbeatMessage::to_json() const {
  if (!std::isfinite(load_factor)) throw Error(sqlstate::bad_argument, "load factor is not finite");
  nlohmann::ordered_json object{{"instance_id", instance_id},     {"timestamp", to_iso_string(timestamp)},
                                {"subscriptions", subscriptions}, {"in_flight_count", in_flight_count},
                                {"is_leader", is_leader},         {"load_factor", load_factor}};
  if (incarnation) object["incarnation"] = *incarnation;
  if (truncated) object["truncated"] = true;
  return detail::write_message(object);
}

HeartbeatMessage HeartbeatMessage::from_json(std::string_view text) {
  const detail::MessageReader reader("heartbeat", text);
  HeartbeatMessage heartbeat;
  heartbeat.instance_id = reader.name("instance_id");
  heartbeat.timestamp = reader.time("timestamp");
  heartbeat.subscriptions = reader.list("subscriptions", false);
  heartbeat.in_flight_count = reader.count("in_flight_count");
  heartbeat.is_leader = reader.flag("is_leader");
  heartbeat.load_factor = reader.real("load_factor");
  heartbeat.incarnation = reader.number("incarnation");
  heartbeat.truncated = reader.flag("truncated");
  return heartbeat;
}

}  // namespace pgcoord
