// What is told on the channels: the wire messages, and the bells that only say where to look. Nothing on a
// channel is believed by those who hear it.
#pragma once

#include "pg.hpp"

namespace coord {

/// One change of leadership; null where unknown or nobody.
struct LeaderChange {
  const char* election;
  const char* leader;
  const char* previous;
  const char* successor;  // who should campaign at once, when this session could not hand over itself
  int32 epoch;
  int64 term;
  const char* cause;
  TimestampTz at;
  int64 event_id;  // 0: the change itself is not made yet
};
/// To members of `group`; a null group is nobody.
void tell_leader_change(const LeaderChange& change, const char* group);

/// What happened to a member, beside its messages.
enum class MemberEvent { joined, left, gone, silent, removed };
void tell_member_event(const char* group, const char* instance, int64 incarnation, MemberEvent event);

/// The wire messages. Datums are a text[] and a jsonb; a list (and metadata) too long for a notification is
/// left out, and `truncated` says so.
struct ShutdownNotice {
  const char* instance;
  int64 incarnation;
  const char* intent;
  TimestampTz initiated_at;
  TimestampTz deadline;
  Datum subscriptions;
  int32 in_flight_count;
  Datum metadata;
};
void tell_shutdown(const ShutdownNotice& notice, const char* group);

struct HeartbeatNotice {
  const char* instance;
  int64 incarnation;
  TimestampTz at;
  Datum subscriptions;
  int32 in_flight_count;
  bool leads;
  float8 load_factor;
};
void tell_heartbeat(const HeartbeatNotice& notice, const char* group);

struct AssignmentNotice {
  const char* target;
  int64 target_incarnation;
  const char* source;
  Datum subscriptions;
  TimestampTz at;
  int32 priority;
  int64 assignment_id;
  const char* election;
  int64 token;
};
void tell_assignment(const AssignmentNotice& notice, const char* group);

}  // namespace coord
