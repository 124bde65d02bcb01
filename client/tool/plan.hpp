#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace pgcoord::tool {

using std::chrono::milliseconds;

/// What the command line asks for, checked: nothing here needs to be looked at twice.

/// How to reach the server.
struct Access {
  /// A libpq connection string or URI; empty: the PG* environment and libpq's defaults.
  std::string conninfo;
  milliseconds connect_timeout{10'000};
};

enum class Output { table, tsv, json };
/// quiet: errors; normal: also losses; verbose: also every step.
enum class Talk { quiet, normal, verbose };

struct ElectPlan {
  std::string election;
  std::string id;
  std::string group = "default";
  int priority = 0;
  milliseconds timeout{15'000};
  milliseconds grace{5'000};
  milliseconds overlap{0};
  /// Give up if it does not lead by then; none: wait for ever.
  std::optional<milliseconds> wait;
  /// Exit when leadership is lost, instead of waiting to lead again.
  bool once = false;
  Talk talk = Talk::normal;
  std::vector<std::string> command;
};

struct LockPlan {
  std::string key;
  /// Give up if it is not held by then; zero: one attempt; none: wait for ever.
  std::optional<milliseconds> wait;
  milliseconds grace{5'000};
  milliseconds overlap{0};
  Talk talk = Talk::normal;
  std::vector<std::string> command;
};

struct LocksPlan {
  /// Only these, and succeed only if each is held; none given: all.
  std::vector<std::string> keys;
  Output output = Output::table;
};

struct LeaderPlan {
  std::string election;
  /// Only say by the exit code whether this one leads.
  std::optional<std::string> is;
  Output output = Output::table;
};

struct MembersPlan {
  std::optional<std::string> group;
  /// Only these; none given: all.
  std::vector<std::string> statuses;
  Output output = Output::table;
};

struct DrainPlan {
  std::string instance;
  std::string group = "default";
  std::string intent = "maintenance";
  milliseconds timeout{30'000};
  /// Until the member is gone, or its deadline has passed.
  bool wait = false;
};

struct OrphansPlan {
  std::optional<std::string> group;
  Output output = Output::table;
};

struct AssignmentsPlan {
  /// Only those to this one.
  std::optional<std::string> instance;
  std::optional<std::string> group;
  Output output = Output::table;
};

struct LogPlan {
  std::optional<std::string> election;
  int count = 20;
  Output output = Output::table;
};

struct WatchPlan {
  std::optional<std::string> election;
  /// Also tell what becomes of the members.
  bool peers = true;
  Output output = Output::table;
};

using Task = std::variant<ElectPlan, LockPlan, LeaderPlan, MembersPlan, LocksPlan, DrainPlan, OrphansPlan,
                          AssignmentsPlan, LogPlan, WatchPlan>;

struct Plan {
  Access access;
  Task task;
};

/// HOST:PID, for an instance that was given no name.
[[nodiscard]] std::string default_id();

/// For how long after a confirmed heartbeat was sent a command may run. Shorter than the timeout: the next
/// heartbeat is sent after a quarter of it, and when that is unanswered for a half, the session closes the
/// connection. A server that was only slow then hands over as soon as it sees that.
[[nodiscard]] milliseconds term_for(milliseconds timeout);
/// How long before that a command must be gone: the time to kill and reap it.
[[nodiscard]] milliseconds margin_for(milliseconds timeout);
/// The longest grace that ends in time, and leaves a heartbeat a tenth of the timeout to be answered.
[[nodiscard]] milliseconds longest_grace(milliseconds timeout);

}  // namespace pgcoord::tool
