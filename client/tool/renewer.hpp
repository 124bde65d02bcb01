#pragma once

#include <memory>

#include "pgcoord/pg_leader_elector.hpp"
#include "tool/elect_news.hpp"
#include "tool/plan.hpp"

namespace pgcoord::tool {

/// While the elector leads, proves it to the server a little more often than the session would by itself,
/// and posts until when each proof is good: that is how the loss of leadership is foreseen. The first proof
/// comes right after the election, so that a command starts only on a fresh answer.
///
/// Works on a thread of its own, since a proof waits for the server. Destruction does not wait for it.
class Renewer {
 public:
  Renewer(const std::shared_ptr<PgLeaderElector>& elector, milliseconds timeout,
          std::shared_ptr<ElectInbox> inbox);
  Renewer(const Renewer&) = delete;
  Renewer& operator=(const Renewer&) = delete;
  ~Renewer();

 private:
  class Work;
  const std::shared_ptr<Work> work_;
};

}  // namespace pgcoord::tool
