#include <memory>

#include "tool/help.hpp"
#include "tool/subcommand.hpp"

namespace pgcoord::tool {

namespace {

const char* const usage = "pgcoord lock [OPTIONS] KEY --";

struct Given {
  std::string key, output = "table";
  std::vector<std::string> keys;
  double grace = 5'000, overlap = 0, wait = 0;
  bool no_wait = false;
  TalkFlags talk;
};

LockPlan plan_of(const Given& given, const CLI::App& app, const std::vector<std::string>& command) {
  LockPlan plan;
  plan.key = *given_name(app, "KEY", "lock", given.key);
  if (given.no_wait && app.count("--wait") > 0) refuse("--wait and --no-wait exclude each other");
  if (app.count("--wait") > 0) plan.wait = exact(given.wait);
  if (given.no_wait) plan.wait = milliseconds(0);
  plan.grace = exact(given.grace);
  plan.overlap = exact(given.overlap);
  plan.talk = given.talk.talk();
  plan.command = command;
  require_command(command, usage);
  return plan;
}

LocksPlan plan_of(const Given& given, const CLI::App& app) {
  for (const auto& key : given.keys) static_cast<void>(given_name(app, "KEY", "lock", key));
  return {given.keys, output_of(given.output)};
}

}  // namespace

Subcommand add_lock(CLI::App& app) {
  const auto given = std::make_shared<Given>();
  CLI::App* sub = app.add_subcommand("lock", help::lock);
  sub->footer(help::lock_more);
  sub->formatter(std::make_shared<CommandFormatter>(usage));
  sub->add_option("KEY", given->key, "the lock")->required()->type_name("");
  add_duration(*sub, "--wait", given->wait, "exit with 75 if it is not held by then; 0: one attempt");
  sub->add_flag("-n,--no-wait", given->no_wait, "the same as --wait 0");
  add_duration(*sub, "--grace", given->grace, "from TERM to KILL (5s)");
  add_duration(*sub, "--overlap", given->overlap, "from TERM to KILL when the lock is already gone (0s)");
  add_talk(*sub, given->talk);
  return {sub, [sub, given](const auto& command) -> Task { return plan_of(*given, *sub, command); }, usage};
}

Subcommand add_locks(CLI::App& app) {
  const auto given = std::make_shared<Given>();
  CLI::App* sub = app.add_subcommand("locks", help::locks);
  sub->footer(help::locks_more);
  sub->add_option("KEY", given->keys, "only these; exit with 1 unless each is held")
      ->type_name("")
      ->multi_option_policy(CLI::MultiOptionPolicy::Throw)
      ->expected(0, 1'000);
  add_output(*sub, given->output);
  return {sub, [sub, given](const auto&) -> Task { return plan_of(*given, *sub); }};
}

}  // namespace pgcoord::tool
