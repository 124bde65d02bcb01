#pragma once

#include <string_view>

namespace pgcoord {

/// Where each kind of message goes. One topic carries one kind. On PostgreSQL these are the channels of
/// the group `default`; another group's have `.` and its name appended.
inline constexpr std::string_view coordination_topic_prefix = "__eventsource_coordination";
/// ShutdownNotification.
inline constexpr std::string_view shutdown_notifications_topic = "__eventsource_coordination.shutdown";
/// HeartbeatMessage.
inline constexpr std::string_view heartbeat_topic = "__eventsource_coordination.heartbeat";
/// WorkAssignment.
inline constexpr std::string_view work_assignment_topic = "__eventsource_coordination.work_assignment";
/// The server's doorbell for members that come, go or fall silent; no message of the coordinator.
inline constexpr std::string_view member_topic = "__eventsource_coordination.member";
/// LeaderNotice; no message of the coordinator.
inline constexpr std::string_view leader_topic = "__eventsource_coordination.leader";

}  // namespace pgcoord
