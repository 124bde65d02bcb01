#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "chaos/record.hpp"

namespace pgcoord::chaos {

/// What is promised in time.
struct Bounds {
  /// heartbeat_timeout of the members.
  std::chrono::nanoseconds silence{};
  /// From the end of a leader's session to the next leader, if somebody is there; on a machine this busy.
  std::chrono::nanoseconds handover{};
  /// From the end of a fault that took all sessions to a leader, with the server undisturbed all this time.
  std::chrono::nanoseconds recovery{};
};

using Violations = std::vector<std::string>;

/// Everything in a history that the guarantees forbid; empty if it is in order. Says nothing of what may or
/// may not have happened: only what is certain counts.
Violations check(const History& history, const Bounds& bounds);

/// The parts of it. G1, G2: tokens of one election rise, each belongs to one member's life, and what a server
/// that was promoted hands out is higher than what the lost one did.
Violations check_tokens(const History& history);
/// G3: no write commits under a term when a newer one has committed, or under one that was not its member's.
Violations check_fences(const History& history);
/// G1, G4: nobody says that it leads but under a term that was granted to it, or longer than its silence
/// lasts after a newer term has begun.
Violations check_claims(const History& history, const Bounds& bounds);
/// G6: a leader that dies, leaves, is cut off, or is silent for longer than it may be, is replaced in time.
Violations check_gaps(const History& history, const Bounds& bounds);
/// Each election has a leader again some time after all sessions were lost.
Violations check_recoveries(const History& history, const Bounds& bounds);
/// Two members never hold one lock, as far as no fault has come between them and the server.
Violations check_locks(const History& history);
/// What was acknowledged is there, unless a promoted standby may lack it; what was refused is not.
Violations check_writes(const History& history);

}  // namespace pgcoord::chaos
