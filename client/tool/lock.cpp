#include "tool/lock.hpp"

#include <algorithm>
#include <optional>
#include <random>
#include <utility>

#include "pgcoord/error.hpp"
#include "tool/exit_code.hpp"
#include "tool/lock_attempt.hpp"
#include "tool/runner.hpp"

namespace pgcoord::tool {

namespace {

LockOptions lock_options(const Access& access) {
  LockOptions options;
  options.conninfo = access.conninfo;
  options.holder_id = default_id();
  options.connect_timeout = std::min(access.connect_timeout, options.connect_timeout);
  return options;
}

/// Joins the supervisor's decisions to the lock manager, the command, the signals and the clock.
class Loop {
 public:
  Loop(const Access& access, const LockPlan& plan);
  int run();

 private:
  void hear(Granted& news);
  void hear(const Denied& news);
  void hear(const LockLost& news);
  void carry_out_orders() {
    Runner::carry_out_orders(supervisor_, [this](const auto& order) { carry_out(order); });
  }
  void carry_out(const Try& order) { attempts_.begin(order); }
  void carry_out(const Wait& order) { attempts_.begin(order); }
  void carry_out(const Begin& order);
  void carry_out(const GiveBack& order);
  template <typename Other>
  void carry_out(const Other& order) {
    runner_.carry_out(order);
  }

  const LockPlan& plan_;
  Runner runner_;
  const std::shared_ptr<LockInbox> inbox_ = std::make_shared<LockInbox>();
  LockSupervisor supervisor_;
  const std::shared_ptr<PgLockManager> manager_;
  const LockAttempts attempts_;
  std::optional<LockGuard> guard_;
};

Loop::Loop(const Access& access, const LockPlan& plan)
    : plan_(plan),
      runner_(plan.talk, plan.grace),
      supervisor_(plan, access.connect_timeout, Random(std::random_device{}()), BootClock::now()),
      manager_(std::make_shared<PgLockManager>(lock_options(access))),
      attempts_(access, plan.key, manager_, inbox_) {
  manager_->on_lost([inbox = inbox_](const LockInfo& lock, const Failure& reason) {
    inbox->post(LockLost{lock, reason});
  });
}

int Loop::run() {
  while (!runner_.exit()) {
    carry_out_orders();
    if (runner_.exit()) break;
    runner_.wait(inbox_->descriptor(), supervisor_.deadline());
    for (auto& news : inbox_->take()) {
      std::visit([this](auto& told) { hear(told); }, news);
    }
    supervisor_.tick(BootClock::now());
    runner_.report_to(supervisor_);
  }
  runner_.kill_command();
  manager_->close();
  return *runner_.exit();
}

// A loss may have been told before the grant, and is then not told again.
void Loop::hear(Granted& news) {
  if (!news.guard.is_held()) {
    const Failure broken{
        std::string(sqlstate::connection_lost), "the connection to the server is lost", {}, {}};
    return supervisor_.refused(LockFailure::unavailable, broken, BootClock::now());
  }
  guard_.emplace(std::move(news.guard));
  supervisor_.granted();
}

void Loop::hear(const Denied& news) { supervisor_.refused(news.kind, news.reason, BootClock::now()); }

// Not one of an earlier grant, under which nothing was started.
void Loop::hear(const LockLost& news) {
  if (guard_ && guard_->info() == news.lock) supervisor_.lost(news.reason, BootClock::now());
}

void Loop::carry_out(const Begin&) {
  CommandLine line;
  line.words = plan_.command;
  line.variables = {{"PGCOORD_LOCK", plan_.key}, {"PGCOORD_LOCK_ID", std::to_string(guard_->info().lock_id)}};
  line.connection = manager_->socket_of(plan_.key);
  line.overlap = plan_.overlap;
  if (!runner_.start(std::move(line), Instant::max()))
    supervisor_.ended(exit_code::own_failure, BootClock::now());
}

void Loop::carry_out(const GiveBack&) { supervisor_.given_back(guard_->release() == LockRelease::released); }

}  // namespace

int lock(const Access& access, const LockPlan& plan) { return Loop(access, plan).run(); }

}  // namespace pgcoord::tool
