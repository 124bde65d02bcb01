#pragma once

#include <cstdlib>
#include <string_view>

#include "pgcoord/heartbeat_message.hpp"
#include "pgcoord/message_error.hpp"
#include "pgcoord/shutdown_notification.hpp"
#include "pgcoord/work_assignment.hpp"

namespace pgcoord::fuzz {

/// Either refused by a MessageError, or a message that is the same when written and read again.
template <typename Message>
bool read_as(std::string_view text) {
  try {
    const auto message = Message::from_json(text);
    if (Message::from_json(message.to_json()) != message) std::abort();
    return true;
  } catch (const MessageError&) {
    return false;
  }
}

/// Whether it is a message of any kind. Aborts, or lets an exception out, if the codec is wrong.
inline bool read_as_any(std::string_view text) {
  const bool notice = read_as<ShutdownNotification>(text);
  const bool heartbeat = read_as<HeartbeatMessage>(text);
  const bool assignment = read_as<WorkAssignment>(text);
  return notice || heartbeat || assignment;
}

}  // namespace pgcoord::fuzz
