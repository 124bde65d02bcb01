#include "pgcoord/work_assignment.hpp"

#include "message_json.hpp"

namespace pgcoord {

std::string WorkAssignment::to_json() const {
  nlohmann::ordered_json object{{"target_instance_id", target_instance_id},
                                {"subscriptions", subscriptions},
                                {"source_instance_id", source_instance_id},
                                {"assigned_at", to_iso_string(assigned_at)},
                                {"priority", priority}};
  if (target_incarnation) object["target_incarnation"] = *target_incarnation;
  if (assignment_id) object["assignment_id"] = *assignment_id;
  if (election) object["election"] = *election;
  if (token) object["token"] = *token;
  if (truncated) object["truncated"] = true;
  return detail::write_message(object);
}

WorkAssignment WorkAssignment::from_json(std::string_view text) {
  const detail::MessageReader reader("work assignment", text);
  WorkAssignment assignment;
  assignment.target_instance_id = reader.name("target_instance_id");
  assignment.truncated = reader.flag("truncated");
  assignment.subscriptions = reader.list("subscriptions", !assignment.truncated);
  assignment.source_instance_id = reader.name("source_instance_id");
  assignment.assigned_at = reader.time("assigned_at");
  assignment.priority = reader.integer("priority");
  assignment.target_incarnation = reader.number("target_incarnation");
  assignment.assignment_id = reader.number("assignment_id");
  assignment.election = reader.optional_word("election");
  assignment.token = reader.number("token");
  return assignment;
}

}  // namespace pgcoord
