#include "tool/arguments.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "tool/conninfo.hpp"
#include "tool/exit_code.hpp"
#include "tool/help.hpp"
#include "tool/subcommand.hpp"
#include "tool/suggest.hpp"
#include "tool/text.hpp"

namespace pgcoord::tool {

namespace {

using Words = std::vector<std::string>;

bool is_option(const std::string& word) { return word.size() > 1 && word.front() == '-'; }

Words options_of(const CLI::App& app) {
  Words names;
  for (const CLI::Option* option : app.get_options()) {
    for (const auto& name : option->get_lnames()) names.push_back("--" + name);
    for (const auto& name : option->get_snames()) names.push_back("-" + name);
  }
  return names;
}

class Reader {
 public:
  Reader();
  std::variant<Plan, Answer> read(Words words);

 private:
  void add_access(CLI::App& app);
  Plan plan() const;
  Access access() const;
  const Subcommand* used() const;
  std::string mistake(const CLI::ParseError& error) const;
  std::string unknown_option(const std::string& word) const;
  std::string misplaced(const Words& extras) const;

  CLI::App app_{help::overview, "pgcoord"};
  std::string conninfo_;
  double connect_timeout_ = 10'000;
  std::vector<Subcommand> subcommands_;
  bool has_command_ = false;
  Words command_;
};

Reader::Reader() {
  app_.require_subcommand(0, 1);
  app_.option_defaults()->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
  app_.set_version_flag("--version", "pgcoord " PGCOORD_VERSION);
  app_.footer(help::more);
  app_.get_formatter()->column_width(help_column);
  add_access(app_);
  for (const auto add : {add_elect, add_lock, add_drain, add_leader, add_members, add_locks, add_orphans,
                         add_assignments, add_log, add_watch}) {
    subcommands_.push_back(add(app_));
    add_access(*subcommands_.back().app);
  }
}

void Reader::add_access(CLI::App& app) {
  app.add_option("-d,--dbname", conninfo_, "connection string, URI or database name")->type_name("CONNINFO");
  add_duration(app, "--connect-timeout", connect_timeout_, "give up if there is no connection by then (10s)");
}

std::variant<Plan, Answer> Reader::read(Words words) {
  const auto mark = std::find(words.begin(), words.end(), "--");
  has_command_ = mark != words.end();
  if (has_command_) command_.assign(mark + 1, words.end());
  words.erase(mark, words.end());
  std::reverse(words.begin(), words.end());
  try {
    app_.parse(std::move(words));
    return plan();
  } catch (const CLI::CallForHelp&) {
    return Answer{app_.help(), exit_code::success};
  } catch (const CLI::CallForVersion& version) {
    return Answer{std::string(version.what()) + "\n", exit_code::success};
  } catch (const CLI::ParseError& error) {
    return Answer{one_line(mistake(error)), exit_code::usage};
  } catch (const Refused& refused) {
    return Answer{one_line(refused.text), exit_code::usage};
  }
}

const Subcommand* Reader::used() const {
  for (const auto& subcommand : subcommands_) {
    if (app_.got_subcommand(subcommand.app)) return &subcommand;
  }
  return nullptr;
}

Plan Reader::plan() const {
  const Subcommand* const chosen = used();
  if (!chosen) refuse("no command given; see pgcoord --help");
  if (has_command_ && chosen->usage.empty()) {
    refuse(fmt::format("{} takes no command", chosen->app->get_name()));
  }
  return {access(), chosen->task(command_)};
}

Access Reader::access() const {
  std::string why;
  const auto conninfo = as_conninfo(conninfo_, why);
  if (!conninfo) refuse("invalid connection string for --dbname: " + why);
  if (connect_timeout_ < 1) refuse("--connect-timeout must be positive");
  return {*conninfo, exact(connect_timeout_)};
}

// What is left over says best what went wrong, whatever was noticed first.
std::string Reader::mistake(const CLI::ParseError& error) const {
  Words extras = app_.remaining();
  if (const Subcommand* const chosen = used()) {
    const Words more = chosen->app->remaining();
    extras.insert(extras.end(), more.begin(), more.end());
  }
  if (extras.empty()) return error.what();
  return is_option(extras.front()) ? unknown_option(extras.front()) : misplaced(extras);
}

std::string Reader::unknown_option(const std::string& word) const {
  const std::string name = word.substr(0, word.find('='));
  const Subcommand* const chosen = used();
  const std::string where = chosen ? chosen->app->get_name() + " --help" : "--help";
  const std::string meant = suggestion(name, options_of(chosen ? *chosen->app : app_));
  return fmt::format("unknown option {}{}", name, meant.empty() ? "; see pgcoord " + where : meant);
}

std::string Reader::misplaced(const Words& extras) const {
  const Subcommand* const chosen = used();
  if (!chosen) {
    Words names;
    for (const auto& subcommand : subcommands_) names.push_back(subcommand.app->get_name());
    const std::string meant = suggestion(extras.front(), names);
    return fmt::format("unknown command \"{}\"{}", extras.front(),
                       meant.empty() ? "; see pgcoord --help" : meant);
  }
  if (chosen->usage.empty()) return fmt::format("unexpected word \"{}\"", extras.front());
  if (has_command_) return fmt::format("unexpected word \"{}\" before \"--\"", extras.front());
  return fmt::format("\"--\" is missing before the command; did you mean: {} {}", chosen->usage,
                     fmt::join(extras, " "));
}

}  // namespace

std::variant<Plan, Answer> parse(Words words) { return Reader().read(std::move(words)); }

}  // namespace pgcoord::tool
