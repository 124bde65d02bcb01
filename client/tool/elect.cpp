#include "tool/elect.hpp"

#include <algorithm>
#include <memory>
#include <thread>

#include "pgcoord/error.hpp"
#include "pgcoord/pg_coordinator.hpp"
#include "pgcoord/pg_leader_elector.hpp"
#include "pgcoord/session.hpp"
#include "tool/connect.hpp"
#include "tool/elect_news.hpp"
#include "tool/exit_code.hpp"
#include "tool/renewer.hpp"
#include "tool/runner.hpp"
#include "tool/supervisor.hpp"

namespace pgcoord::tool {

namespace {

constexpr Duration longest_explanation = std::chrono::seconds(3);

SessionOptions session_options(const Access& access, const ElectPlan& plan) {
  SessionOptions options;
  options.conninfo = access.conninfo;
  options.connect_timeout = std::min(access.connect_timeout, options.connect_timeout);
  options.instance_id = plan.id;
  options.member_group = plan.group;
  options.heartbeat_timeout = plan.timeout;
  return options;
}

Variables variables_of(const ElectPlan& plan, Token token) {
  return {{"PGCOORD_ELECTION", plan.election},
          {"PGCOORD_INSTANCE", plan.id},
          {"PGCOORD_TOKEN", std::to_string(token.value)},
          {"PGCOORD_EPOCH", std::to_string(token.epoch())},
          {"PGCOORD_TERM", std::to_string(token.term())}};
}

/// Joins the supervisor's decisions to the session, the command, the signals and the clock.
class Loop {
 public:
  Loop(const Access& access, const ElectPlan& plan);
  int run();

 private:
  void hear(const ElectNews& news);
  void hear(const Event& event);
  void hear(const Explained& explained);
  void explain_unless_joined(const Failure& reason);
  void carry_out_orders() {
    Runner::carry_out_orders(supervisor_, [this](const auto& order) { carry_out(order); });
  }
  void carry_out(const Start& order);
  template <typename Other>
  void carry_out(const Other& order) {
    runner_.carry_out(order);
  }

  const Access& access_;
  const ElectPlan& plan_;
  Runner runner_;
  const std::shared_ptr<ElectInbox> inbox_ = std::make_shared<ElectInbox>();
  Supervisor supervisor_;
  bool has_joined_ = false;
  bool explaining_ = false;
  Session session_;
  /// For the sake of DrainRequested, which is told only to those who watch the group.
  PgCoordinator coordinator_;
  const std::shared_ptr<PgLeaderElector> elector_;
};

Loop::Loop(const Access& access, const ElectPlan& plan)
    : access_(access),
      plan_(plan),
      runner_(plan.talk, plan.grace),
      supervisor_(plan, access.connect_timeout, BootClock::now()),
      session_(session_options(access, plan)),
      coordinator_(session_),
      elector_(std::make_shared<PgLeaderElector>(session_, plan.election)) {
  session_.on_event([inbox = inbox_](const Event& event) { inbox->post(event); });
  coordinator_.watch();
}

int Loop::run() {
  const Renewer renewer(elector_, plan_.timeout, inbox_);
  elector_->campaign(plan_.priority);
  while (!runner_.exit()) {
    runner_.wait(inbox_->descriptor(), supervisor_.deadline());
    for (const auto& news : inbox_->take()) hear(news);
    supervisor_.tick(BootClock::now());
    runner_.report_to(supervisor_);
    carry_out_orders();
  }
  runner_.kill_command();
  session_.close();
  return *runner_.exit();
}

void Loop::hear(const ElectNews& news) {
  if (const auto* renewed = std::get_if<Renewed>(&news)) {
    supervisor_.renewed(renewed->token, renewed->until, BootClock::now());
  } else if (const auto* explained = std::get_if<Explained>(&news)) {
    hear(*explained);
  } else {
    hear(std::get<Event>(news));
  }
}

void Loop::hear(const Event& event) {
  const Instant now = BootClock::now();
  if (std::holds_alternative<Joined>(event)) {
    has_joined_ = true;
    supervisor_.joined();
  }
  if (const auto* gone = std::get_if<Disconnected>(&event)) {
    supervisor_.trouble(gone->reason, now);
    explain_unless_joined(gone->reason);
  }
  if (const auto* in_use = std::get_if<InstanceInUse>(&event)) supervisor_.trouble(in_use->reason, now);
  if (const auto* failed = std::get_if<Failed>(&event)) supervisor_.trouble(failed->reason, now);
  if (const auto* lost = std::get_if<Lost>(&event)) supervisor_.lost(lost->token, lost->cause, now);
  if (const auto* drain = std::get_if<DrainRequested>(&event)) {
    supervisor_.drained(to_string(drain->notice.intent), drain->deadline, now);
  }
}

// A refusal for good, a wrong password say, must not be taken for a server that is not up yet.
void Loop::explain_unless_joined(const Failure& reason) {
  if (has_joined_ || reason.sqlstate != sqlstate::cannot_connect || std::exchange(explaining_, true)) return;
  std::thread([access = access_, given = reason.message, inbox = inbox_] {
    inbox->post(Explained{explain(access, given, longest_explanation)});
  }).detach();
}

void Loop::hear(const Explained& explained) {
  explaining_ = false;
  if (explained.reason.sqlstate == sqlstate::cannot_connect) return;
  supervisor_.trouble(explained.reason, BootClock::now());
}

void Loop::carry_out(const Start& order) {
  CommandLine line;
  line.words = plan_.command;
  line.variables = variables_of(plan_, order.token);
  if (!runner_.start(std::move(line), order.kill_at)) {
    supervisor_.ended(exit_code::own_failure, BootClock::now());
  }
}

}  // namespace

int elect(const Access& access, const ElectPlan& plan) { return Loop(access, plan).run(); }

}  // namespace pgcoord::tool
