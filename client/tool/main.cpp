#include <cstdio>
#include <exception>

#include "pgcoord/error.hpp"
#include "tool/arguments.hpp"
#include "tool/elect.hpp"
#include "tool/exit_code.hpp"
#include "tool/looks.hpp"
#include "tool/say.hpp"
#include "tool/watch.hpp"

namespace pgcoord::tool {

namespace {

int run(const Plan& plan) {
  if (const auto* task = std::get_if<ElectPlan>(&plan.task)) return elect(plan.access, *task);
  if (const auto* task = std::get_if<LeaderPlan>(&plan.task)) return show_leader(plan.access, *task);
  if (const auto* task = std::get_if<MembersPlan>(&plan.task)) return show_members(plan.access, *task);
  if (const auto* task = std::get_if<LogPlan>(&plan.task)) return show_log(plan.access, *task);
  return watch(plan.access, std::get<WatchPlan>(plan.task));
}

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
    return plan ? run(*plan) : answer(std::get<Answer>(parsed));
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
