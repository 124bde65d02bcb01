#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "connection.hpp"

namespace pgcoord::test {

/// coord.leadership, as the extension returned it.
struct Leadership {
  std::string election;
  Value leader;
  bool is_leader = false;
  int epoch = 0;
  std::int64_t term = 0;
  std::int64_t token = 0;
};

/// A notice of a change of leadership.
struct Notice {
  std::string election;
  Value leader;
  Value previous;
  Value successor;
  std::int64_t token = 0;
  std::string cause;
};

/// Calls of the extension by one session. All throw SqlError.
std::int64_t join(Connection& session, const std::string& name, const std::string& timeout = "15 s",
                  const std::string& group = "default");
std::vector<Leadership> heartbeat(Connection& session);
Leadership campaign(Connection& session, const std::string& election, int priority = 0);
Leadership try_acquire(Connection& session, const std::string& election);
bool resign(Connection& session, const std::string& election);
bool depose(Connection& session, const std::string& election);
void sweep(Connection& session);
/// Who leads, by coord.leader(); empty when nobody does.
Value leader_of(Connection& session, const std::string& election);
/// The newest token of an election, whoever leads it.
std::int64_t newest_token(Connection& session, const std::string& election);
/// "00000", or what coord.fence() fails with in a transaction of its own.
std::string fence_state(Connection& session, const std::string& election, std::int64_t token);

/// From now on this session hears of changes in the group "default".
void listen(Connection& session);
/// The next notice about that election within the bound.
std::optional<Notice> next_notice(Connection& session, const std::string& election, Connection::Bound bound);

/// What is wrong with the journal of this database: terms that overlap or go back, a row that the journal
/// does not end in, queues of members that are gone. Empty when all is well.
std::vector<std::string> faults_of_journal(Connection& session);

}  // namespace pgcoord::test
