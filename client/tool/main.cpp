#include <cstdio>
#include <exception>

#include "pgcoord/error.hpp"
#include "tool/arguments.hpp"
#include "tool/drain.hpp"
#include "tool/elect.hpp"
#include "tool/exit_code.hpp"
#include "tool/lock.hpp"
#include "tool/looks.hpp"
#include "tool/say.hpp"
#include "tool/watch.hpp"

namespace pgcoord::tool {

namespace {

struct Run {
  const Access& access;

  int operator()(const ElectPlan& plan) const { return elect(access, plan); }
  int operator()(const LockPlan& plan) const { return lock(access, plan); }
  int operator()(const LocksPlan& plan) const { return show_locks(access, plan); }
  int operator()(const DrainPlan& plan) const { return drain(access, plan); }
  int operator()(const LeaderPlan& plan) const { return show_leader(access, plan); }
  int operator()(const MembersPlan& plan) const { return show_members(access, plan); }
  int operator()(const OrphansPlan& plan) const { return show_orphans(access, plan); }
  int operator()(const AssignmentsPlan& plan) const { return show_assignments(access, plan); }
  int operator()(const LogPlan& plan) const { return show_log(access, plan); }
  int operator()(const WatchPlan& plan) const { return watch(access, plan); }
};

int answer(const Answer& answer) {
  if (answer.exit_code == exit_code::success) {
    std::fputs(answer.text.c_str(), stdout);
  } else {
    say(answer.text);
  }
  return answer.exit_code;
}

int run(std::vector<std::string> words) {
  try {
    const auto parsed = parse(std::move(words));
    const auto* plan = std::get_if<Plan>(&parsed);
    return plan ? std::visit(Run{plan->access}, plan->task) : answer(std::get<Answer>(parsed));
  } catch (const Error& error) {
    say(error.detail().empty() ? error.what() : std::string(error.what()) + ": " + error.detail());
    return exit_code::of_sqlstate(error.sqlstate());
  } catch (const std::exception& error) {
    say(error.what());
    return exit_code::own_failure;
  }
}

}  // namespace

}  // namespace pgcoord::tool

int main(int count, char** words) { return pgcoord::tool::run({words + 1, words + count}); }
