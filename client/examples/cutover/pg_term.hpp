#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>

#include "cutover/term.hpp"
#include "pgcoord/pg_leader_elector.hpp"
#include "pgcoord/session.hpp"

namespace cutover {

/// A term of an election, as long as the session leads.
class PgTerm final : public Term {
 public:
  /// Waits at most so long for a term before to end, as that of a cutover that died does within
  /// milliseconds. The session must outlive what this returns.
  static BeginTerm begin(pgcoord::Session& session, pgcoord::Duration patience) {
    return [&session, patience](const std::string& election) -> std::unique_ptr<Term> {
      auto term = std::make_unique<PgTerm>(session, election);
      return term->wait(patience) ? std::move(term) : nullptr;
    };
  }

  PgTerm(pgcoord::Session& session, const std::string& election) : elector_(session, election) {
    elector_.on_leader_change([change = change_](bool) {
      const std::lock_guard lock(change->mutex);
      change->happened.notify_all();
    });
    elector_.campaign();
  }

  [[nodiscard]] std::int64_t token() const override { return token_; }

 private:
  struct Change {
    std::mutex mutex;
    std::condition_variable happened;
  };

  bool wait(pgcoord::Duration patience) {
    std::unique_lock lock(change_->mutex);
    change_->happened.wait_for(lock, patience, [this] { return elector_.token().has_value(); });
    const auto token = elector_.token();
    token_ = token ? token->value : 0;
    return token.has_value();
  }

  // Shared with the callback, which may come late.
  std::shared_ptr<Change> change_ = std::make_shared<Change>();
  pgcoord::PgLeaderElector elector_;
  std::int64_t token_ = 0;
};

}  // namespace cutover
