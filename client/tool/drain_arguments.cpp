#include <memory>

#include "tool/help.hpp"
#include "tool/subcommand.hpp"
#include "tool/suggest.hpp"

namespace pgcoord::tool {

namespace {

const std::vector<std::string> intents{"graceful", "preemption", "health_failure", "maintenance"};

struct Given {
  std::string instance, group, intent = "maintenance";
  double timeout = 30'000;
  bool wait = false;
};

DrainPlan plan_of(const Given& given, const CLI::App& app) {
  DrainPlan plan;
  plan.instance = *given_name(app, "INSTANCE", "instance", given.instance);
  plan.group = given_name(app, "--group", "group", given.group).value_or(plan.group);
  plan.intent = given.intent;
  plan.timeout = exact(given.timeout);
  if (plan.timeout > std::chrono::hours(24)) refuse("--timeout must be at most 24h");
  plan.wait = given.wait;
  return plan;
}

std::string check_intent(const std::string& value) {
  if (std::find(intents.begin(), intents.end(), value) != intents.end()) return "";
  return "it must be " + CLI::detail::join(intents, ", ") + suggestion(value, intents);
}

}  // namespace

Subcommand add_drain(CLI::App& app) {
  const auto given = std::make_shared<Given>();
  CLI::App* sub = app.add_subcommand("drain", help::drain);
  sub->footer(help::drain_more);
  sub->add_option("INSTANCE", given->instance, "the member")->required()->type_name("");
  sub->add_option("--group", given->group, "the group it belongs to (default)")->type_name("GROUP");
  sub->add_option("--intent", given->intent,
                  "why: graceful, preemption, health_failure, maintenance (the last)")
      ->type_name("INTENT")
      ->check(check_intent);
  add_duration(*sub, "--timeout", given->timeout, "how long it has (30s)");
  sub->add_flag("--wait", given->wait, "until it is gone; exit with 75 if its time passes first");
  return {sub, [sub, given](const auto&) -> Task { return plan_of(*given, *sub); }};
}

}  // namespace pgcoord::tool
