#include "tool/subcommand.hpp"

#include <fmt/format.h>

#include "tool/duration.hpp"
#include "tool/text.hpp"

namespace pgcoord::tool {

void refuse(std::string text) { throw Refused{std::move(text)}; }

CommandFormatter::CommandFormatter(std::string usage) : usage_(std::move(usage)) {
  column_width(help_column);
}

std::string CommandFormatter::make_usage(const CLI::App*, std::string) const {
  return "Usage: " + usage_ + " COMMAND [ARGUMENT...]\n";
}

void require_command(const std::vector<std::string>& command, const std::string& usage) {
  if (command.empty() || command.front().empty()) {
    refuse(fmt::format("no command: {} COMMAND [ARGUMENT...]", usage));
  }
}

Talk TalkFlags::talk() const {
  if (quiet && verbose) refuse("--quiet and --verbose exclude each other");
  return quiet ? Talk::quiet : verbose ? Talk::verbose : Talk::normal;
}

void add_talk(CLI::App& app, TalkFlags& into) {
  app.add_flag("-q,--quiet", into.quiet, "tell errors only");
  app.add_flag("-v,--verbose", into.verbose, "tell every step");
}

void add_duration(CLI::App& app, const char* option, double& into, const char* text) {
  app.add_option(option, into, text)->type_name("DURATION")->transform(CLI::Validator(to_milliseconds, ""));
}

milliseconds exact(double value) { return milliseconds(static_cast<std::int64_t>(value)); }

void add_output(CLI::App& app, std::string& into) {
  app.add_option("--output", into, "table, tsv or json (table)")
      ->type_name("FORMAT")
      ->check([](const std::string& value) {
        const bool known = value == "table" || value == "tsv" || value == "json";
        return known ? "" : "it must be table, tsv or json, not " + value;
      });
}

Output output_of(const std::string& text) {
  if (text == "json") return Output::json;
  return text == "tsv" ? Output::tsv : Output::table;
}

std::optional<std::string> given_name(const CLI::App& app, const char* option, const char* what,
                                      const std::string& value) {
  if (app.count(option) == 0) return std::nullopt;
  if (value.empty()) refuse(fmt::format("{} must not be empty", option));
  if (!is_name(value)) {
    refuse(fmt::format("the name of the {} must have 1 to 200 bytes and no control characters", what));
  }
  return value;
}

}  // namespace pgcoord::tool
