#pragma once

#include <CLI/CLI.hpp>

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "tool/plan.hpp"

namespace pgcoord::tool {

inline constexpr std::size_t help_column = 32;

/// A mistake that only shows once every option is known: one line for the user.
struct Refused {
  std::string text;
};
[[noreturn]] void refuse(std::string text);

/// A word after "pgcoord", and how its options become a task. `task` is to be called after parsing, with what
/// follows "--"; it throws Refused.
struct Subcommand {
  CLI::App* app = nullptr;
  std::function<Task(const std::vector<std::string>& command)> task;
  /// How it is used, for one that takes a command after "--"; nothing for the others.
  std::string usage = {};
};

/// CLI11 knows nothing of what follows "--".
class CommandFormatter : public CLI::Formatter {
 public:
  explicit CommandFormatter(std::string usage);
  std::string make_usage(const CLI::App*, std::string) const override;

 private:
  const std::string usage_;
};

/// Throws Refused if there is none.
void require_command(const std::vector<std::string>& command, const std::string& usage);

[[nodiscard]] Subcommand add_elect(CLI::App& app);
[[nodiscard]] Subcommand add_lock(CLI::App& app);
[[nodiscard]] Subcommand add_drain(CLI::App& app);
[[nodiscard]] Subcommand add_leader(CLI::App& app);
[[nodiscard]] Subcommand add_members(CLI::App& app);
[[nodiscard]] Subcommand add_locks(CLI::App& app);
[[nodiscard]] Subcommand add_orphans(CLI::App& app);
[[nodiscard]] Subcommand add_assignments(CLI::App& app);
[[nodiscard]] Subcommand add_log(CLI::App& app);
[[nodiscard]] Subcommand add_watch(CLI::App& app);

/// Reads a duration with its unit as milliseconds.
void add_duration(CLI::App& app, const char* option, double& into, const char* text);
[[nodiscard]] milliseconds exact(double value);

/// -q and -v, which exclude each other. `talk` throws Refused.
struct TalkFlags {
  bool quiet = false;
  bool verbose = false;
  [[nodiscard]] Talk talk() const;
};
void add_talk(CLI::App& app, TalkFlags& into);

void add_output(CLI::App& app, std::string& into);
[[nodiscard]] Output output_of(const std::string& text);

/// The value of an option that was given, and none of one that was not. Throws Refused for an empty one, or
/// for what the server would not take as the name of a `what`.
[[nodiscard]] std::optional<std::string> given_name(const CLI::App& app, const char* option, const char* what,
                                                    const std::string& value);

}  // namespace pgcoord::tool
