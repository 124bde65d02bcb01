#include <algorithm>
#include <memory>

#include "tool/help.hpp"
#include "tool/subcommand.hpp"
#include "tool/suggest.hpp"

namespace pgcoord::tool {

namespace {

const std::vector<std::string> known_statuses{"healthy", "draining", "terminated", "stale", "unknown"};

struct Given {
  std::string name, group, is, output = "table";
  std::vector<std::string> statuses;
  int count = 20;
  bool no_peers = false;
};

/// A subcommand that only looks: `plan` makes its task of what was given.
template <class Plan>
Subcommand look(CLI::App* sub, const std::shared_ptr<Given>& given, const char* more, Plan plan) {
  sub->footer(more);
  add_output(*sub, given->output);
  return {sub, [sub, given, plan](const auto&) -> Task { return plan(*sub, *given); }};
}

std::string check_status(const std::string& value) {
  if (std::find(known_statuses.begin(), known_statuses.end(), value) != known_statuses.end()) return "";
  return "each must be one of " + CLI::detail::join(known_statuses, ", ") + ", not " + value +
         suggestion(value, known_statuses);
}

void add_group(CLI::App& sub, Given& given) {
  sub.add_option("--group", given.group, "only this group")->type_name("GROUP");
}

}  // namespace

Subcommand add_leader(CLI::App& app) {
  const auto given = std::make_shared<Given>();
  CLI::App* sub = app.add_subcommand("leader", help::leader);
  sub->add_option("NAME", given->name, "the election")->required()->type_name("");
  sub->add_option("--is", given->is, "print nothing; succeed if this instance leads")->type_name("ID");
  return look(sub, given, help::leader_more, [](const CLI::App& used, const Given& values) {
    return LeaderPlan{*given_name(used, "NAME", "election", values.name),
                      given_name(used, "--is", "instance", values.is), output_of(values.output)};
  });
}

Subcommand add_members(CLI::App& app) {
  const auto given = std::make_shared<Given>();
  CLI::App* sub = app.add_subcommand("members", help::members);
  add_group(*sub, *given);
  sub->add_option("--status", given->statuses, "only these, with commas between: healthy, draining, ...")
      ->type_name("STATUS")
      ->delimiter(',')
      ->multi_option_policy(CLI::MultiOptionPolicy::Throw)
      ->allow_extra_args(false)
      ->check(check_status);
  return look(sub, given, help::members_more, [](const CLI::App& used, const Given& values) {
    return MembersPlan{given_name(used, "--group", "group", values.group), values.statuses,
                       output_of(values.output)};
  });
}

Subcommand add_orphans(CLI::App& app) {
  const auto given = std::make_shared<Given>();
  CLI::App* sub = app.add_subcommand("orphans", help::orphans);
  add_group(*sub, *given);
  return look(sub, given, help::orphans_more, [](const CLI::App& used, const Given& values) {
    return OrphansPlan{given_name(used, "--group", "group", values.group), output_of(values.output)};
  });
}

Subcommand add_assignments(CLI::App& app) {
  const auto given = std::make_shared<Given>();
  CLI::App* sub = app.add_subcommand("assignments", help::assignments);
  sub->add_option("INSTANCE", given->name, "only those to this instance")->type_name("");
  add_group(*sub, *given);
  return look(sub, given, help::assignments_more, [](const CLI::App& used, const Given& values) {
    return AssignmentsPlan{given_name(used, "INSTANCE", "instance", values.name),
                           given_name(used, "--group", "group", values.group), output_of(values.output)};
  });
}

Subcommand add_log(CLI::App& app) {
  const auto given = std::make_shared<Given>();
  CLI::App* sub = app.add_subcommand("log", help::log);
  sub->add_option("NAME", given->name, "only this election")->type_name("");
  sub->add_option("-n", given->count, "how many (20)")->type_name("N")->check(CLI::Range(1, 1'000'000));
  return look(sub, given, help::log_more, [](const CLI::App& used, const Given& values) {
    return LogPlan{given_name(used, "NAME", "election", values.name), values.count, output_of(values.output)};
  });
}

Subcommand add_watch(CLI::App& app) {
  const auto given = std::make_shared<Given>();
  CLI::App* sub = app.add_subcommand("watch", help::watch);
  sub->add_option("NAME", given->name, "only this election, and no members")->type_name("");
  sub->add_flag("--no-peers", given->no_peers, "leaders only, no members");
  return look(sub, given, help::watch_more, [](const CLI::App& used, const Given& values) {
    const auto election = given_name(used, "NAME", "election", values.name);
    return WatchPlan{election, !values.no_peers && !election, output_of(values.output)};
  });
}

}  // namespace pgcoord::tool
