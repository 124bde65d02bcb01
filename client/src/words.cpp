#include "pgcoord/command.hpp"
#include "pgcoord/leadership.hpp"

namespace pgcoord {

std::string_view to_string(LossCause cause) noexcept {
  switch (cause) {
    case LossCause::resigned:
      return "resigned";
    case LossCause::expired:
      return "expired";
    case LossCause::unhealthy:
      return "unhealthy";
    case LossCause::disconnected:
      return "disconnected";
    case LossCause::superseded:
      return "superseded";
    case LossCause::not_member:
      return "not_member";
    case LossCause::closed:
      return "closed";
  }
  return "unknown";
}

std::string_view to_string(Statement statement) noexcept {
  switch (statement) {
    case Statement::listen:
      return "listen";
    case Statement::join:
      return "join";
    case Statement::heartbeat:
      return "heartbeat";
    case Statement::sweep:
      return "sweep";
    case Statement::campaign:
      return "campaign";
    case Statement::try_acquire:
      return "try_acquire";
    case Statement::resign:
      return "resign";
    case Statement::withdraw:
      return "withdraw";
    case Statement::leader:
      return "leader";
    case Statement::leave:
      return "leave";
    case Statement::ping:
      return "ping";
    case Statement::peers:
      return "peers";
    case Statement::peer:
      return "peer";
    case Statement::assignments:
      return "assignments";
    case Statement::announce_shutdown:
      return "announce_shutdown";
    case Statement::assign:
      return "assign";
    case Statement::remove_member:
      return "remove_member";
  }
  return "unknown";
}

}  // namespace pgcoord
