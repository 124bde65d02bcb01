#include "tool/duration.hpp"

#include <CLI/CLI.hpp>
#include <map>

namespace pgcoord::tool {

std::string to_milliseconds(std::string& text) {
  const std::map<std::string, double> units{{"ms", 1}, {"s", 1e3}, {"m", 6e4}, {"h", 3.6e6}};
  if (text == "0") return "";  // the same in every unit
  const char* const rule = "a duration has a unit (500ms, 5s, 2m, 1h), is not negative, and is at most 168h";
  try {
    const std::string wrong = CLI::AsNumberWithUnit(units, CLI::AsNumberWithUnit::UNIT_REQUIRED)(text);
    const double number = wrong.empty() ? std::stod(text) : -1;
    return number >= 0 && number <= 168 * 3.6e6 ? "" : rule;
  } catch (const std::exception&) {
    return rule;
  }
}

}  // namespace pgcoord::tool
