#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "connection.hpp"

namespace pgcoord::test {

/// Status of a member of the group "default" by coord.peers; empty when it has no row.
Value status_of(Connection& by, const std::string& name);
/// Waits until that is the status.
bool becomes(Connection& by, const std::string& name, const std::string& status,
             std::chrono::milliseconds bound = std::chrono::seconds{1});
/// The incarnation in coord.peers; throws when there is no row.
std::int64_t incarnation_of(Connection& by, const std::string& name);

/// Announces the shutdown of that session's member, intent "graceful".
void announce_shutdown(Connection& member, const std::string& drain_timeout = "30 s");
/// coord.assign() of `subscriptions`, written as an array literal; returns assignment_id.
std::int64_t assign(Connection& leader, const std::string& target, const std::string& election,
                    std::int64_t token, const std::string& subscriptions = "{s}");

/// A ring of the channel ".member".
struct MemberBell {
  std::string instance;
  std::int64_t incarnation = 0;
  std::string event;
};

/// From now on this session hears of the members of the group "default".
void listen_to_members(Connection& session);
/// From now on it hears everything that the extension tells about the group "default".
void listen_to_all(Connection& session);
/// The next ring within the bound; other notifications are dropped.
std::optional<MemberBell> next_bell(Connection& session, Connection::Bound bound);
/// The same about that instance.
std::optional<MemberBell> next_bell(Connection& session, const std::string& instance,
                                    Connection::Bound bound);
/// "a joined", "b gone", … as many as have come until now.
std::vector<std::string> bells_until_now(Connection& session);
/// "joined", "gone", … of that instance; those of others are dropped.
std::vector<std::string> bells_until_now(Connection& session, const std::string& instance);

}  // namespace pgcoord::test
