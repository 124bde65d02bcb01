#include <algorithm>
#include <set>

#include "registry_model.hpp"

namespace pgcoord::test {
namespace {

Value truth(bool value) { return value ? "t" : "f"; }

std::string joined(const std::vector<std::string>& list) {
  std::string text;
  for (const std::string& item : list) text += (text.empty() ? "" : ",") + item;
  return text;
}

std::string row_text(const Rows& rows, std::size_t number) {
  if (number >= rows.size()) return "no row";
  std::string text;
  for (const Value& value : rows[number]) text += value.value_or("NULL") + " | ";
  return text;
}

}  // namespace

std::string difference(const Rows& seen, const Rows& wanted) {
  for (std::size_t i = 0; i < std::max(seen.size(), wanted.size()); ++i)
    if (i >= seen.size() || i >= wanted.size() || seen[i] != wanted[i])
      return "\n  the view:  " + row_text(seen, i) + "\n  the model: " + row_text(wanted, i);
  return "";
}

const char* const RegistryModel::peers_query =
    "SELECT instance_id, member_group, incarnation, status, array_to_string(subscriptions, ','),"
    " in_flight_count, session_pid IS NOT NULL, shutdown_intent IS NOT NULL, time_remaining > interval '1 h',"
    " leads FROM coord.peers WHERE instance_id <> 'sweeper' ORDER BY instance_id";

Rows RegistryModel::peers() const {
  Rows rows;
  for (const auto& [name, member] : members_)
    rows.push_back({name, member.group, std::to_string(member.incarnation), member.status(),
                    joined(member.subscriptions),
                    member.in_flight_count ? Value{std::to_string(*member.in_flight_count)} : Value{},
                    truth(member.session != 0), truth(member.noticed),
                    member.noticed ? truth(!member.run_out) : Value{},
                    truth(leads_something(member.incarnation))});
  return rows;
}

bool RegistryModel::leads_something(std::int64_t incarnation) const {
  return std::any_of(elections_.begin(), elections_.end(),
                     [&](const auto& election) { return election.second.leader == incarnation; });
}

const char* const RegistryModel::orphans_query =
    "SELECT instance_id, subscription, member_group, status, available_at IS NOT NULL"
    " FROM coord.orphaned_subscriptions ORDER BY 1, 2";

bool RegistryModel::someone_healthy_has(const std::string& group, const std::string& subscription) const {
  return std::any_of(members_.begin(), members_.end(), [&](const auto& entry) {
    const Member& member = entry.second;
    return member.group == group && member.status() == "healthy" &&
           std::count(member.subscriptions.begin(), member.subscriptions.end(), subscription) != 0;
  });
}

Rows RegistryModel::orphans() const {
  Rows rows;
  for (const auto& [name, member] : members_) {
    if (member.status() == "healthy") continue;
    for (const auto& subscription : std::set(member.subscriptions.begin(), member.subscriptions.end()))
      if (!someone_healthy_has(member.group, subscription))
        rows.push_back(
            {name, subscription, member.group, member.status(), truth(member.status() == "draining")});
  }
  return rows;
}

const char* const RegistryModel::elections_query =
    "SELECT election, leader, (SELECT leader FROM coord.leader(e.election)), token,"
    " (SELECT string_agg(instance_id, ' ' ORDER BY position) FROM coord.candidates c"
    "  WHERE c.election = e.election), candidates FROM coord.elections e ORDER BY election";

std::string RegistryModel::leader_name(const Election& election) const {
  const Member* const leader = find(election.leader);
  return leader && leader->can_lead() ? leader->name : "";
}

/// Shown by priority alone; who is about to leave keeps its place.
std::string RegistryModel::queue_text(const Election& election) const {
  std::vector<Place> queue = election.queue;
  std::sort(queue.begin(), queue.end(), [](const Place& a, const Place& b) {
    return a.priority != b.priority ? a.priority > b.priority : a.order < b.order;
  });
  std::string text;
  for (const Place& place : queue) text += (text.empty() ? "" : " ") + find(place.incarnation)->name;
  return text;
}

Rows RegistryModel::elections() const {
  const auto unless_empty = [](const std::string& text) { return text.empty() ? Value{} : Value{text}; };
  Rows rows;
  for (const auto& [name, election] : elections_) {
    const Value leader = unless_empty(leader_name(election));
    rows.push_back({name, leader, leader, std::to_string(token(name, 0)), unless_empty(queue_text(election)),
                    std::to_string(election.queue.size())});
  }
  return rows;
}

const char* const RegistryModel::assignments_query =
    "SELECT assignment_id, target_instance_id, target_incarnation, source_instance_id, election, member_group"
    " FROM coord.assignments ORDER BY 1";

Rows RegistryModel::assignments() const {
  Rows rows;
  for (const Assignment& assignment : assignments_)
    if (const Member* const target = find(assignment.incarnation))
      rows.push_back({std::to_string(assignment.id), target->name, std::to_string(assignment.incarnation),
                      assignment.source, assignment.election, target->group});
  return rows;
}

}  // namespace pgcoord::test
