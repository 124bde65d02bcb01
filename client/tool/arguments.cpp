#include "tool/arguments.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>

#include <fmt/format.h>

#include "tool/conninfo.hpp"
#include "tool/duration.hpp"
#include "tool/exit_code.hpp"
#include "tool/help.hpp"
#include "tool/text.hpp"

namespace pgcoord::tool {

namespace {

constexpr std::size_t help_column = 32;

struct Refused {
  std::string text;
};

[[noreturn]] void refuse(std::string text) { throw Refused{std::move(text)}; }

/// CLI11 knows nothing of what follows "--".
class ElectFormatter : public CLI::Formatter {
 public:
  ElectFormatter() { column_width(help_column); }
  std::string make_usage(const CLI::App*, std::string) const override {
    return "Usage: pgcoord elect NAME [OPTIONS] -- COMMAND [ARGUMENT...]\n";
  }
};

/// The options as they are read; made into a Plan once all of them are known.
class Reader {
 public:
  Reader();
  std::variant<Plan, Answer> read(std::vector<std::string> words);

 private:
  CLI::App* add(const char* name, const char* summary, const char* more);
  static void add_duration(CLI::App& app, const char* name, double& into, const char* text);
  void add_access(CLI::App& app);
  void add_output(CLI::App& app);
  void add_elect();
  void add_leader();
  void add_members();
  void add_log();
  void add_watch();
  Plan plan() const;
  Access access() const;
  ElectPlan elect() const;
  void set_times(ElectPlan& plan) const;
  Output output() const;
  std::optional<std::string> if_given(const char* option, const std::string& value) const;

  CLI::App app_{help::overview, "pgcoord"};
  CLI::App* used_ = nullptr;
  std::string conninfo_, name_, id_, group_, is_, output_ = "table";
  double connect_timeout_ = 10'000, timeout_ = 15'000, grace_ = 0, overlap_ = 0, wait_ = 0;
  int priority_ = 0, count_ = 20;
  bool once_ = false, quiet_ = false, verbose_ = false;
  bool has_command_ = false;
  std::vector<std::string> command_;
};

Reader::Reader() {
  app_.require_subcommand(0, 1);
  app_.option_defaults()->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
  app_.set_version_flag("--version", "pgcoord " PGCOORD_VERSION);
  app_.footer(help::more);
  app_.get_formatter()->column_width(help_column);
  add_access(app_);
  add_elect();
  add_leader();
  add_members();
  add_log();
  add_watch();
}

CLI::App* Reader::add(const char* name, const char* summary, const char* more) {
  CLI::App* sub = app_.add_subcommand(name, summary);
  sub->footer(more);
  add_access(*sub);
  return sub;
}

void Reader::add_duration(CLI::App& app, const char* name, double& into, const char* text) {
  app.add_option(name, into, text)->type_name("DURATION")->transform(CLI::Validator(to_milliseconds, ""));
}

void Reader::add_access(CLI::App& app) {
  app.add_option("-d,--dbname", conninfo_, "connection string, URI or database name")->type_name("CONNINFO");
  add_duration(app, "--connect-timeout", connect_timeout_, "give up if there is no connection by then (10s)");
}

void Reader::add_output(CLI::App& app) {
  app.add_option("--output", output_, "table, tsv or json (table)")
      ->type_name("FORMAT")
      ->check([](const std::string& value) {
        const bool known = value == "table" || value == "tsv" || value == "json";
        return known ? "" : "it must be table, tsv or json, not " + value;
      });
}

void Reader::add_elect() {
  CLI::App* sub = add("elect", help::elect, help::elect_more);
  sub->formatter(std::make_shared<ElectFormatter>());
  sub->add_option("NAME", name_, "the election")->required()->type_name("");
  sub->add_option("--id", id_, "name of this instance (HOST:PID)")->type_name("ID");
  sub->add_option("--group", group_, "the group it belongs to (default)")->type_name("GROUP");
  sub->add_option("--priority", priority_, "higher ones lead first (0)")->type_name("N");
  add_duration(*sub, "--timeout", timeout_, "silence after which leadership is lost (15s)");
  add_duration(*sub, "--grace", grace_, "from TERM to KILL (5s, or a third of --timeout)");
  add_duration(*sub, "--overlap", overlap_, "from TERM to KILL when leadership is already gone (0s)");
  add_duration(*sub, "--wait", wait_, "exit with 75 if it does not lead by then");
  sub->add_flag("--once", once_, "exit with 76 when leadership is lost");
  sub->add_flag("-q,--quiet", quiet_, "tell errors only");
  sub->add_flag("-v,--verbose", verbose_, "tell every step");
}

void Reader::add_leader() {
  CLI::App* sub = add("leader", help::leader, help::leader_more);
  sub->add_option("NAME", name_, "the election")->required()->type_name("");
  sub->add_option("--is", is_, "print nothing; succeed if this instance leads")->type_name("ID");
  add_output(*sub);
}

void Reader::add_members() {
  CLI::App* sub = add("members", help::members, help::members_more);
  sub->add_option("--group", group_, "only this group")->type_name("GROUP");
  add_output(*sub);
}

void Reader::add_log() {
  CLI::App* sub = add("log", help::log, help::log_more);
  sub->add_option("NAME", name_, "only this election")->type_name("");
  sub->add_option("-n", count_, "how many (20)")->type_name("N")->check(CLI::Range(1, 1'000'000));
  add_output(*sub);
}

void Reader::add_watch() {
  CLI::App* sub = add("watch", help::watch, help::watch_more);
  sub->add_option("NAME", name_, "only this election")->type_name("");
  add_output(*sub);
}

std::variant<Plan, Answer> Reader::read(std::vector<std::string> words) {
  const auto mark = std::find(words.begin(), words.end(), "--");
  has_command_ = mark != words.end();
  if (has_command_) command_.assign(mark + 1, words.end());
  words.erase(mark, words.end());
  std::reverse(words.begin(), words.end());
  try {
    app_.parse(std::move(words));
    if (app_.get_subcommands().empty()) refuse("no command given; see pgcoord --help");
    used_ = app_.get_subcommands().front();
    return plan();
  } catch (const CLI::CallForHelp&) {
    return Answer{app_.help(), exit_code::success};
  } catch (const CLI::CallForVersion& version) {
    return Answer{std::string(version.what()) + "\n", exit_code::success};
  } catch (const CLI::ParseError& error) {
    return Answer{one_line(error.what()), exit_code::usage};
  } catch (const Refused& refused) {
    return Answer{one_line(refused.text), exit_code::usage};
  }
}

Plan Reader::plan() const {
  const std::string used = used_->get_name();
  for (const auto& [what, name] : {std::pair("election", name_), std::pair("group", group_),
                                   std::pair("instance", id_), std::pair("instance", is_)}) {
    if (!name.empty() && !is_name(name)) {
      refuse(fmt::format("the name of the {} must have 1 to 200 bytes and no control characters", what));
    }
  }
  if (has_command_ && used != "elect") refuse(fmt::format("{} takes no command", used));
  const auto named = if_given("NAME", name_);
  if (used == "elect") return {access(), elect()};
  if (used == "leader") return {access(), LeaderPlan{*named, if_given("--is", is_), output()}};
  if (used == "members") return {access(), MembersPlan{if_given("--group", group_), output()}};
  if (used == "log") return {access(), LogPlan{named, count_, output()}};
  return {access(), WatchPlan{named, output()}};
}

std::optional<std::string> Reader::if_given(const char* option, const std::string& value) const {
  const CLI::Option* found = used_->get_option_no_throw(option);
  if (!found || found->count() == 0) return std::nullopt;
  if (value.empty()) refuse(fmt::format("{} must not be empty", option));
  return value;
}

Access Reader::access() const {
  const auto conninfo = as_conninfo(conninfo_);
  if (!conninfo) refuse("invalid connection string for --dbname");
  if (connect_timeout_ < 1) refuse("--connect-timeout must be positive");
  return {*conninfo, milliseconds(static_cast<std::int64_t>(connect_timeout_))};
}

ElectPlan Reader::elect() const {
  ElectPlan plan;
  plan.election = *if_given("NAME", name_);
  plan.id = if_given("--id", id_).value_or(default_id());
  plan.group = if_given("--group", group_).value_or("default");
  plan.priority = priority_;
  plan.once = once_;
  if (quiet_ && verbose_) refuse("--quiet and --verbose exclude each other");
  plan.talk = quiet_ ? Talk::quiet : verbose_ ? Talk::verbose : Talk::normal;
  plan.command = command_;
  if (command_.empty() || command_.front().empty()) {
    refuse("no command: pgcoord elect NAME [OPTIONS] -- COMMAND [ARGUMENT...]");
  }
  set_times(plan);
  return plan;
}

void Reader::set_times(ElectPlan& plan) const {
  const auto exact = [](double value) { return milliseconds(static_cast<std::int64_t>(value)); };
  plan.timeout = exact(timeout_);
  if (plan.timeout < milliseconds(1'000) || plan.timeout > std::chrono::hours(24)) {
    refuse("--timeout must be between 1s and 24h");
  }
  plan.grace = used_->count("--grace") > 0 ? exact(grace_) : std::min(plan.timeout / 3, plan.grace);
  if (plan.grace > longest_grace(plan.timeout)) {
    refuse(fmt::format(
        "--grace {}ms is too long: with --timeout {}ms a command must be gone within {}ms, so that "
        "it ends before another instance leads",
        plan.grace.count(), plan.timeout.count(), longest_grace(plan.timeout).count()));
  }
  plan.overlap = exact(overlap_);
  if (plan.overlap > plan.grace) refuse("--overlap must not be longer than --grace");
  if (used_->count("--wait") > 0) plan.wait = exact(wait_);
}

Output Reader::output() const {
  if (output_ == "json") return Output::json;
  return output_ == "tsv" ? Output::tsv : Output::table;
}

}  // namespace

std::variant<Plan, Answer> parse(std::vector<std::string> words) { return Reader().read(std::move(words)); }

}  // namespace pgcoord::tool
