#include "tool/print.hpp"

#include <cstdio>

#include "tool/exit_code.hpp"

namespace pgcoord::tool {

namespace {

std::string as_json_array(const Grid& grid) {
  std::string out = "[";
  for (const auto& row : grid.rows) {
    out += (&row == &grid.rows.front() ? "\n" : ",\n") + row.front().value_or("null");
  }
  return out + (grid.rows.empty() ? "]\n" : "\n]\n");
}

std::string text_of(const Grid& grid, Output output) {
  if (output == Output::json) return as_json_array(grid);
  return output == Output::tsv ? as_tsv(grid) : as_table(grid);
}

}  // namespace

bool print(const std::string& text) {
  return std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0;
}

int print(const Grid& grid, Output output) {
  return print(text_of(grid, output)) ? exit_code::success : exit_code::own_failure;
}

std::string look_sql(Output output, const std::string& columns, const std::string& from,
                     const std::string& extra) {
  if (output != Output::json) return "SELECT " + columns + " FROM " + from;
  return "SELECT to_json(q) FROM (SELECT *" + (extra.empty() ? "" : ", " + extra) + " FROM " + from + ") q";
}

}  // namespace pgcoord::tool
