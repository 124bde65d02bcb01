#include "message.hpp"

#include "doorbell.hpp"
#include "json.hpp"
#include "rules/token.hpp"

namespace coord {

namespace {

/// What commands/async.c takes: its payloads must be shorter than 8,000 bytes.
constexpr int longest_payload = 7999;

/// How much of a message fits.
enum class Extent { whole, without_list, without_metadata };

/// The fullest version of a message that a notification can carry.
template <class Notice>
const char* fitting(const char* (*compose)(const Notice&, Extent), const Notice& notice) {
  const char* payload = compose(notice, Extent::whole);
  if (strlen(payload) > longest_payload) payload = compose(notice, Extent::without_list);
  if (strlen(payload) > longest_payload) payload = compose(notice, Extent::without_metadata);
  return payload;
}

void put_list_if_whole(Json* json, Datum list, Extent extent) {
  if (extent == Extent::whole) put_list(json, "subscriptions", list);
}

const char* end_message(Json* json, Extent extent) {
  if (extent != Extent::whole) put_bool(json, "truncated", true);
  return end_object(json);
}

const char* word_for(MemberEvent event) {
  switch (event) {
    case MemberEvent::joined:
      return "joined";
    case MemberEvent::left:
      return "left";
    case MemberEvent::gone:
      return "gone";
    case MemberEvent::silent:
      return "silent";
    case MemberEvent::removed:
      return "removed";
  }
  return nullptr;
}

const char* compose_shutdown(const ShutdownNotice& notice, Extent extent) {
  Json json;
  begin_object(&json);
  put_text(&json, "instance_id", notice.instance);
  put_text(&json, "intent", notice.intent);
  put_time(&json, "initiated_at", notice.initiated_at);
  put_time(&json, "expected_completion_at", notice.deadline);
  put_list_if_whole(&json, notice.subscriptions, extent);
  put_number(&json, "in_flight_count", notice.in_flight_count);
  if (extent != Extent::without_metadata) put_jsonb(&json, "metadata", notice.metadata);
  put_number(&json, "incarnation", notice.incarnation);
  return end_message(&json, extent);
}

const char* compose_heartbeat(const HeartbeatNotice& notice, Extent extent) {
  Json json;
  begin_object(&json);
  put_text(&json, "instance_id", notice.instance);
  put_time(&json, "timestamp", notice.at);
  put_list_if_whole(&json, notice.subscriptions, extent);
  put_number(&json, "in_flight_count", notice.in_flight_count);
  put_bool(&json, "is_leader", notice.leads);
  put_float(&json, "load_factor", notice.load_factor);
  put_number(&json, "incarnation", notice.incarnation);
  return end_message(&json, extent);
}

const char* compose_assignment(const AssignmentNotice& notice, Extent extent) {
  Json json;
  begin_object(&json);
  put_text(&json, "target_instance_id", notice.target);
  put_list_if_whole(&json, notice.subscriptions, extent);
  put_text(&json, "source_instance_id", notice.source);
  put_time(&json, "assigned_at", notice.at);
  put_number(&json, "priority", notice.priority);
  put_number(&json, "target_incarnation", notice.target_incarnation);
  put_number(&json, "assignment_id", notice.assignment_id);
  put_text(&json, "election", notice.election);
  put_number(&json, "token", notice.token);
  return end_message(&json, extent);
}

}  // namespace

void tell_leader_change(const LeaderChange& change, const char* group) {
  if (!group) return;
  Json json;
  begin_object(&json);
  put_text(&json, "election", change.election);
  put_text(&json, "leader", change.leader);
  put_number(&json, "epoch", change.epoch);
  put_number(&json, "term", change.term);
  put_number(&json, "token", make_token(change.epoch, change.term));
  put_text(&json, "previous", change.previous);
  if (change.successor) put_text(&json, "successor", change.successor);
  put_text(&json, "cause", change.cause);
  put_time(&json, "at", change.at);
  if (change.event_id != 0)
    put_number(&json, "event_id", change.event_id);
  else
    put_text(&json, "event_id", nullptr);
  announce(Channel::leader, group, end_object(&json));
}

void tell_member_event(const char* group, const char* instance, int64 incarnation, MemberEvent event) {
  Json json;
  begin_object(&json);
  put_text(&json, "instance_id", instance);
  put_number(&json, "incarnation", incarnation);
  put_text(&json, "event", word_for(event));
  put_time(&json, "at", GetCurrentTimestamp());
  announce(Channel::member, group, end_object(&json));
}

void tell_shutdown(const ShutdownNotice& notice, const char* group) {
  announce(Channel::shutdown, group, fitting(compose_shutdown, notice));
}

void tell_heartbeat(const HeartbeatNotice& notice, const char* group) {
  announce(Channel::heartbeat, group, fitting(compose_heartbeat, notice));
}

void tell_assignment(const AssignmentNotice& notice, const char* group) {
  announce(Channel::work_assignment, group, fitting(compose_assignment, notice));
}

}  // namespace coord
