#include "tool/text.hpp"

#include <algorithm>
#include <cctype>

namespace pgcoord::tool {

namespace {

bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }

std::size_t width(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(
      text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
}

std::string capitals(std::string text) {
  for (char& c : text) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return text;
}

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '\t':
        out += "\\t";
        break;
      case '\n':
        out += "\\n";
        break;
      case '\r':
        out += "\\r";
        break;
      case '\\':
        out += "\\\\";
        break;
      default:
        out += c;
    }
  }
  return out;
}

std::vector<std::vector<std::string>> table_cells(const Grid& grid) {
  std::vector<std::vector<std::string>> cells(1);
  for (const auto& column : grid.columns) cells.front().push_back(capitals(column));
  for (const auto& row : grid.rows) {
    cells.emplace_back();
    for (const auto& value : row) cells.back().push_back(value ? one_line(*value) : "-");
  }
  return cells;
}

}  // namespace

std::string as_table(const Grid& grid) {
  const auto cells = table_cells(grid);
  std::vector<std::size_t> widths(grid.columns.size());
  for (const auto& row : cells) {
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], width(row[i]));
  }
  std::string out;
  for (const auto& row : cells) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      out += row[i];
      if (i + 1 < row.size()) out.append(widths[i] - width(row[i]) + 2, ' ');
    }
    out += '\n';
  }
  return out;
}

std::string tsv_line(const Grid::Row& row) {
  std::string out;
  for (const auto& value : row) out += (&value == &row.front() ? "" : "\t") + escaped(value.value_or(""));
  return out + '\n';
}

std::string as_tsv(const Grid& grid) {
  std::string out = tsv_line({grid.columns.begin(), grid.columns.end()});
  for (const auto& row : grid.rows) out += tsv_line(row);
  return out;
}

std::string one_line(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (!is_control(c)) {
      out += c;
    } else if (!out.empty() && out.back() != ' ') {
      out += ' ';
    }
  }
  while (!out.empty() && out.back() == ' ') out.pop_back();
  return out;
}

bool is_name(std::string_view text) {
  return !text.empty() && text.size() <= 200 && std::none_of(text.begin(), text.end(), is_control);
}

}  // namespace pgcoord::tool
