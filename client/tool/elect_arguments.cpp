#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "tool/help.hpp"
#include "tool/subcommand.hpp"

namespace pgcoord::tool {

namespace {

const char* const usage = "pgcoord elect NAME [OPTIONS] --";

struct Given {
  std::string name, id, group;
  double timeout = 15'000, grace = 0, overlap = 0, wait = 0;
  int priority = 0;
  bool once = false;
  TalkFlags talk;
};

void set_times(ElectPlan& plan, const Given& given, const CLI::App& app) {
  plan.timeout = exact(given.timeout);
  if (plan.timeout < milliseconds(1'000) || plan.timeout > std::chrono::hours(24)) {
    refuse("--timeout must be between 1s and 24h");
  }
  plan.grace = app.count("--grace") > 0 ? exact(given.grace) : std::min(plan.timeout / 3, plan.grace);
  if (plan.grace > longest_grace(plan.timeout)) {
    refuse(fmt::format(
        "--grace {}ms is too long: with --timeout {}ms a command must be gone within {}ms, so that "
        "it ends before another instance leads",
        plan.grace.count(), plan.timeout.count(), longest_grace(plan.timeout).count()));
  }
  plan.overlap = exact(given.overlap);
  if (plan.overlap > plan.grace) refuse("--overlap must not be longer than --grace");
  if (app.count("--wait") > 0) plan.wait = exact(given.wait);
}

ElectPlan plan_of(const Given& given, const CLI::App& app, const std::vector<std::string>& command) {
  ElectPlan plan;
  plan.election = *given_name(app, "NAME", "election", given.name);
  plan.id = given_name(app, "--id", "instance", given.id).value_or(default_id());
  plan.group = given_name(app, "--group", "group", given.group).value_or(plan.group);
  plan.priority = given.priority;
  plan.once = given.once;
  plan.talk = given.talk.talk();
  plan.command = command;
  require_command(command, usage);
  set_times(plan, given, app);
  return plan;
}

}  // namespace

Subcommand add_elect(CLI::App& app) {
  const auto given = std::make_shared<Given>();
  CLI::App* sub = app.add_subcommand("elect", help::elect);
  sub->footer(help::elect_more);
  sub->formatter(std::make_shared<CommandFormatter>(usage));
  sub->add_option("NAME", given->name, "the election")->required()->type_name("");
  sub->add_option("--id", given->id, "name of this instance (HOST:PID)")->type_name("ID");
  sub->add_option("--group", given->group, "the group it belongs to (default)")->type_name("GROUP");
  sub->add_option("--priority", given->priority, "higher ones lead first (0)")->type_name("N");
  add_duration(*sub, "--timeout", given->timeout, "silence after which leadership is lost (15s)");
  add_duration(*sub, "--grace", given->grace, "from TERM to KILL (5s, or a third of --timeout)");
  add_duration(*sub, "--overlap", given->overlap, "from TERM to KILL when leadership is already gone (0s)");
  add_duration(*sub, "--wait", given->wait, "exit with 75 if it does not lead by then");
  sub->add_flag("--once", given->once, "exit with 76 when leadership is lost");
  add_talk(*sub, given->talk);
  return {sub, [sub, given](const auto& command) -> Task { return plan_of(*given, *sub, command); }, usage};
}

}  // namespace pgcoord::tool
