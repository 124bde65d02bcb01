#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pgcoord::tool {

/// Rows of text as a query gave them; none stands for NULL.
struct Grid {
  using Row = std::vector<std::optional<std::string>>;
  std::vector<std::string> columns;
  std::vector<Row> rows;
};

/// Columns in line, names of columns in capitals, "-" for NULL. Widths are counted in code points.
[[nodiscard]] std::string as_table(const Grid& grid);
/// Tabs between; \t, \n, \r and \\ within a value stand for themselves; NULL is empty.
[[nodiscard]] std::string as_tsv(const Grid& grid);

/// One row of that, break included.
[[nodiscard]] std::string tsv_line(const Grid::Row& row);

/// Line breaks and other control characters become single spaces, none at the ends.
[[nodiscard]] std::string one_line(std::string_view text);

/// 1 to 200 bytes without control characters, as the server wants it.
[[nodiscard]] bool is_name(std::string_view text);

}  // namespace pgcoord::tool
