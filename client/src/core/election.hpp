#pragma once

#include <memory>
#include <optional>
#include <string>

#include "pgcoord/backoff.hpp"
#include "pgcoord/leadership.hpp"
#include "pgcoord/leadership_cell.hpp"
#include "pgcoord/time.hpp"

namespace pgcoord::detail {

/// What the core knows and wants of one election.
struct Election {
  Election(std::string election, Backoff retry) : name(std::move(election)), backoff(retry) {}

  std::string name;
  std::shared_ptr<LeadershipCell> cell = std::make_shared<LeadershipCell>();

  // Leading.
  std::optional<Token> held;
  /// The greatest token that was reported lost: it and everything below is over for good.
  Token ended;
  /// The server may believe that we still lead a term that we ended.
  bool hand_back = false;
  /// Announced as ours, and not looked at yet.
  Token named;

  // Wanting to lead.
  std::optional<int> wish;  // its priority
  /// Queued at the server, as far as we know.
  bool placed = false;
  bool withdrawing = false;
  Instant retry_at;
  /// Campaign again although queued: nobody was said to lead.
  std::optional<Instant> recheck_at;
  Backoff backoff;

  // Knowing who leads.
  std::optional<std::string> leader;
  bool stale = true;
  /// Because of an announcement.
  bool rung = false;
  bool wanted = false;
  int observers = 0;
  Instant read_at;
  /// What was told last, to tell only changes.
  std::optional<std::string> told_leader;
  Token told_token;
};

}  // namespace pgcoord::detail
