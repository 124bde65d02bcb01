#include "tool/elect.hpp"

#include <poll.h>

#include <algorithm>
#include <array>
#include <memory>
#include <system_error>
#include <thread>

#include "pgcoord/error.hpp"
#include "pgcoord/pg_coordinator.hpp"
#include "pgcoord/pg_leader_elector.hpp"
#include "pgcoord/session.hpp"
#include "tool/command.hpp"
#include "tool/connect.hpp"
#include "tool/exit_code.hpp"
#include "tool/inbox.hpp"
#include "tool/renewer.hpp"
#include "tool/say.hpp"
#include "tool/signals.hpp"
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
  void wait();
  void hear(const News& news);
  void hear(const Event& event);
  void hear(const Explained& explained);
  void explain_unless_joined(const Failure& reason);
  void hear_signal(int number);
  void carry_out(const Order& order);
  void start(const Start& order);

  const Access& access_;
  const ElectPlan& plan_;
  Signals signals_;
  const std::shared_ptr<Inbox> inbox_ = std::make_shared<Inbox>();
  Supervisor supervisor_;
  std::unique_ptr<Command> command_;
  std::optional<int> exit_;
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
  while (!exit_) {
    wait();
    for (const auto& news : inbox_->take()) hear(news);
    supervisor_.tick(BootClock::now());
    while (const auto number = signals_.next()) hear_signal(*number);
    for (const auto& order : supervisor_.take_orders()) carry_out(order);
  }
  command_.reset();
  session_.close();
  return *exit_;
}

void Loop::wait() {
  int most = -1;
  if (const auto deadline = supervisor_.deadline()) {
    const auto left = std::chrono::ceil<milliseconds>(*deadline - BootClock::now());
    most = static_cast<int>(std::clamp<std::int64_t>(left.count(), 0, 60'000));
  }
  std::array<pollfd, 2> ready{pollfd{signals_.descriptor(), POLLIN, 0},
                              pollfd{inbox_->descriptor(), POLLIN, 0}};
  poll(ready.data(), ready.size(), most);
}

void Loop::hear(const News& news) {
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

void Loop::hear_signal(int number) {
  if (number != SIGCHLD) return supervisor_.signalled(number, BootClock::now());
  const auto code = command_ ? command_->ended() : std::nullopt;
  if (!code) return;
  command_.reset();
  supervisor_.ended(*code, BootClock::now());
}

void Loop::carry_out(const Order& order) {
  if (const auto* begin = std::get_if<Start>(&order)) start(*begin);
  if (const auto* end = std::get_if<KillAt>(&order); end && command_) command_->kill_at(end->when);
  if (const auto* signal = std::get_if<Forward>(&order); signal && command_)
    command_->forward(signal->signal);
  if (const auto* note = std::get_if<Note>(&order); note && note->from <= plan_.talk) say(note->text);
  if (const auto* end = std::get_if<Exit>(&order)) exit_ = end->code;
}

void Loop::start(const Start& order) {
  const CommandLine line{plan_.command, variables_of(plan_, order.token), signals_.original_mask(),
                         plan_.grace};
  try {
    command_ = std::make_unique<Command>(line, order.kill_at);
  } catch (const std::system_error& error) {
    say(error.what());
    supervisor_.ended(exit_code::own_failure, BootClock::now());
  }
}

}  // namespace

int elect(const Access& access, const ElectPlan& plan) { return Loop(access, plan).run(); }

}  // namespace pgcoord::tool
