#pragma once

#include <memory>
#include <string>
#include <variant>

#include "pgcoord/pg_lock_manager.hpp"
#include "tool/inbox.hpp"
#include "tool/lock_supervisor.hpp"
#include "tool/plan.hpp"

namespace pgcoord::tool {

struct Granted {
  LockGuard guard;
};
struct Denied {
  LockFailure kind = LockFailure::unavailable;
  Failure reason;
};
struct LockLost {
  LockInfo lock;
  Failure reason;
};

/// What `lock` is told.
using LockNews = std::variant<Granted, Denied, LockLost>;
using LockInbox = Inbox<LockNews>;

/// Asks for locks on threads of their own, since that takes its time, and posts Granted or Denied. They do
/// not outlast close() of the manager by much.
class LockAttempts {
 public:
  LockAttempts(const Access& access, std::string key, std::shared_ptr<PgLockManager> manager,
               std::shared_ptr<LockInbox> inbox);

  void begin(const Try& order) const;
  void begin(const Wait& order) const;

 private:
  const Access access_;
  const std::string key_;
  const std::shared_ptr<PgLockManager> manager_;
  const std::shared_ptr<LockInbox> inbox_;
};

}  // namespace pgcoord::tool
