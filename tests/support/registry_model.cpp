#include "registry_model.hpp"

#include <algorithm>

namespace pgcoord::test {
namespace {

constexpr const char* not_a_member = "PC001";
constexpr const char* fenced_off = "PC002";
constexpr const char* in_use = "PC003";
constexpr const char* not_the_leader = "PC005";

}  // namespace

std::string RegistryModel::Member::status() const {
  if (noticed) return run_out || session == 0 ? "terminated" : "draining";
  return session == 0 || silent ? "stale" : "healthy";
}

const RegistryModel::Member* RegistryModel::find(std::int64_t incarnation) const {
  for (const auto& [name, member] : members_)
    if (member.incarnation == incarnation) return &member;
  return nullptr;
}

RegistryModel::Member* RegistryModel::bound_to(int session) {
  for (auto& [name, member] : members_)
    if (member.session == session) return &member;
  return nullptr;
}

int RegistryModel::session_of(const std::string& name) const {
  const auto found = members_.find(name);
  return found == members_.end() ? 0 : found->second.session;
}

bool RegistryModel::is_member(int session) const {
  return std::any_of(members_.begin(), members_.end(),
                     [&](const auto& entry) { return entry.second.session == session; });
}

int RegistryModel::leading_session(const std::string& election) const {
  const auto found = elections_.find(election);
  const Member* const leader = found == elections_.end() ? nullptr : find(found->second.leader);
  return leader ? leader->session : 0;
}

std::string RegistryModel::join(int session, const std::string& name, const std::string& group,
                                const List& subscriptions) {
  Member& member = members_[name];
  const bool again = member.session == session && session != 0;
  if (!again && member.session != 0 && !member.silent) return in_use;
  if (!again) {
    give_up_everything(member.incarnation);
    member.incarnation = ++incarnations_;
    member.in_flight_count = 0;
  }
  member.name = name;
  member.group = group;
  member.session = session;
  member.subscriptions = subscriptions;
  member.silent = member.noticed = member.run_out = false;
  return std::to_string(member.incarnation);
}

std::string RegistryModel::heartbeat(int session, const List& subscriptions) {
  Member* const member = bound_to(session);
  if (!member) return not_a_member;
  member->silent = false;
  member->subscriptions = subscriptions;
  return "";
}

std::string RegistryModel::announce(int session, bool at_once, int in_flight_count) {
  Member* const member = bound_to(session);
  if (!member) return not_a_member;
  member->in_flight_count = in_flight_count;
  return drain(member->name, at_once);
}

std::string RegistryModel::drain(const std::string& name, bool at_once) {
  const auto found = members_.find(name);
  if (found == members_.end() || found->second.session == 0) return not_a_member;
  found->second.noticed = true;
  found->second.run_out = at_once;
  return "t";
}

std::string RegistryModel::leave(int session) {
  Member* const member = bound_to(session);
  if (!member) return "f";
  give_up_everything(member->incarnation);
  member->session = 0;
  member->in_flight_count.reset();
  if (!member->noticed) members_.erase(std::string{member->name});
  return "t";
}

std::string RegistryModel::remove(const std::string& name) {
  const auto found = members_.find(name);
  if (found == members_.end()) return "f";
  if (found->second.session != 0 && !found->second.silent) return in_use;
  give_up_everything(found->second.incarnation);
  members_.erase(found);
  return "t";
}

void RegistryModel::end_session(int session) {
  Member* const member = bound_to(session);
  if (!member) return;
  member->session = 0;
  give_up_everything(member->incarnation);
}

void RegistryModel::fall_silent(const std::string& name) { members_.at(name).silent = true; }

/// Those about to leave last, then by priority, then first come.
bool RegistryModel::goes_before(const Place& a, const Place& b) const {
  const bool a_leaves = find(a.incarnation)->noticed;
  const bool b_leaves = find(b.incarnation)->noticed;
  if (a_leaves != b_leaves) return b_leaves;
  if (a.priority != b.priority) return a.priority > b.priority;
  return a.order < b.order;
}

const RegistryModel::Place* RegistryModel::first(const Election& election) const {
  const Place* best = nullptr;
  for (const Place& place : election.queue)
    if (find(place.incarnation)->can_lead() && (!best || goes_before(place, *best))) best = &place;
  return best;
}

/// The first of the queue leads, or nobody.
void RegistryModel::succeed(Election& election) {
  const Place* const heir = first(election);
  election.leader = heir ? heir->incarnation : 0;
  if (!heir) return;
  ++election.term;
  election.queue.erase(election.queue.begin() + (heir - election.queue.data()));
}

void RegistryModel::give_up_everything(std::int64_t incarnation) {
  if (incarnation == 0) return;
  for (auto& [name, election] : elections_) {
    std::erase_if(election.queue, [&](const Place& place) { return place.incarnation == incarnation; });
    if (election.leader == incarnation) succeed(election);
  }
}

std::string RegistryModel::campaign(int session, const std::string& name, std::optional<int> priority) {
  Member* const me = bound_to(session);
  if (!me || me->run_out) return not_a_member;
  Election& election = elections_[name];
  if (election.leader != me->incarnation && priority) {
    const auto place = std::find_if(election.queue.begin(), election.queue.end(),
                                    [&](const Place& taken) { return taken.incarnation == me->incarnation; });
    if (place == election.queue.end())
      election.queue.push_back({me->incarnation, *priority, ++places_});
    else
      place->priority = *priority;
  }
  if (election.leader == 0) {
    const bool was_silent = me->silent;
    me->silent = false;  // who asks is there
    const Place* const heir = first(election);
    if (heir && heir->incarnation != me->incarnation) me->silent = was_silent;
    succeed(election);
    if (!heir) {
      election.leader = me->incarnation;
      ++election.term;
    }
  }
  const bool mine = election.leader == me->incarnation;
  return find(election.leader)->name + (mine ? "|t|" : "|f|") + std::to_string(election.term);
}

std::string RegistryModel::resign(int session, const std::string& name) {
  const Member* const me = bound_to(session);
  if (!me) return not_a_member;
  const auto found = elections_.find(name);
  if (found == elections_.end() || found->second.leader != me->incarnation) return "f";
  succeed(found->second);
  return "t";
}

std::string RegistryModel::withdraw(int session, const std::string& name) {
  const Member* const me = bound_to(session);
  if (!me) return not_a_member;
  const auto found = elections_.find(name);
  if (found == elections_.end()) return "f";
  return std::erase_if(found->second.queue,
                       [&](const Place& place) { return place.incarnation == me->incarnation; }) != 0
             ? "t"
             : "f";
}

std::int64_t RegistryModel::token(const std::string& name, int age) const {
  const auto found = elections_.find(name);
  return (epoch_ << 40) + (found == elections_.end() ? 1 : found->second.term - age);
}

std::string RegistryModel::assign(int session, const std::string& target, const std::string& name, int age) {
  const Member* const me = bound_to(session);
  if (!me) return not_a_member;
  const auto election = elections_.find(name);
  if (election == elections_.end() || age != 0 || election->second.leader == 0) return fenced_off;
  if (election->second.leader != me->incarnation) return not_the_leader;
  const auto found = members_.find(target);
  if (found == members_.end() || found->second.group != me->group || found->second.status() != "healthy")
    return not_a_member;
  const auto id = static_cast<std::int64_t>(assignments_.size()) + 1;
  assignments_.push_back({id, found->second.incarnation, me->name, name});
  return std::to_string(id);
}

void RegistryModel::sweep() {
  for (auto& [name, election] : elections_) {
    const bool drained = election.leader != 0 && find(election.leader)->run_out;
    if (drained || election.leader == 0) succeed(election);
  }
}

}  // namespace pgcoord::test
