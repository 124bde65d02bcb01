#include "pq/fields.hpp"

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "pgcoord/error.hpp"

namespace pgcoord::detail {

namespace {

[[noreturn]] void refuse() { throw std::invalid_argument("unexpected answer from the server"); }

template <typename Number>
Number parsed(std::string_view value) {
  Number number{};
  const auto end = std::from_chars(value.data(), value.data() + value.size(), number);
  if (end.ec != std::errc() || end.ptr != value.data() + value.size()) refuse();
  return number;
}

}  // namespace

std::string trimmed(const char* message) {
  std::string text = message ? message : "";
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
  return text;
}

Failure refusal(const PGconn* connection) {
  if (!connection) return {std::string(sqlstate::cannot_connect), "out of memory", {}, {}};
  const auto words = trimmed(PQerrorMessage(connection));
  if (words.find("unsupported startup parameter") == std::string::npos)  // PgBouncer's
    return {std::string(sqlstate::cannot_connect), words, {}, {}};
  return {std::string(sqlstate::pooled_connection),
          "connection goes through a proxy that refuses its settings", words,
          "Connect to the server itself. A pool of whole sessions must let the parameter \"options\" pass "
          "(see ProxyCheck)."};
}

std::string_view text(const PGresult* result, int row, int column) {
  return {PQgetvalue(result, row, column), static_cast<std::size_t>(PQgetlength(result, row, column))};
}

std::int64_t number(const PGresult* result, int row, int column) {
  return parsed<std::int64_t>(text(result, row, column));
}

Duration span(const PGresult* result, int row, int column, Duration unit) {
  const std::int64_t most = std::chrono::hours(24 * 73'050) / unit;
  return std::clamp(number(result, row, column), -most, most) * unit;
}

double real(const PGresult* result, int row, int column) { return parsed<double>(text(result, row, column)); }

std::vector<std::string> list(const PGresult* result, int row, int column) {
  const auto array = nlohmann::json::parse(text(result, row, column), nullptr, false);
  if (!array.is_array()) refuse();
  std::vector<std::string> values;
  for (const auto& value : array) {
    if (!value.is_string()) refuse();
    values.push_back(value.get<std::string>());
  }
  return values;
}

}  // namespace pgcoord::detail
