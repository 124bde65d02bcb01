#include "tool/leader_watch.hpp"

#include <charconv>

#include "tool/text.hpp"

namespace pgcoord::tool {

namespace {

const char* const newest_sql = "SELECT coalesce(max(event_id), 0) FROM coord.leadership_log";

// The first two columns are for us, the third is one JSON object, the rest is for people.
const char* const changes_sql =
    "SELECT event_id, election, to_json(l), date_trunc('milliseconds', at), election, cause, previous, "
    "leader, token"
    " FROM coord.leadership_log l WHERE event_id > $2::bigint AND ($1::text IS NULL OR election = $1)"
    " ORDER BY event_id";
const char* const current_sql =
    "SELECT NULL, election, to_json(e), date_trunc('milliseconds', at), election, cause, previous, leader, "
    "token"
    " FROM (SELECT NULL::bigint AS event_id, election, epoch, term, token, NULL::text AS previous, leader,"
    " 'current' AS cause, elected_at AS at FROM coord.elections"
    " WHERE leader IS NOT NULL AND ($1::text IS NULL OR election = $1)) e ORDER BY election";

constexpr std::size_t peer_columns = 5;

std::int64_t number(const std::optional<std::string>& text) {
  std::int64_t value = 0;
  if (text) std::from_chars(text->data(), text->data() + text->size(), value);
  return value;
}

}  // namespace

// A log that is shorter than what was told is another one: the database was restored or made anew.
std::string LeaderWatch::begin(Database& database) {
  // One snapshot, or a change between the two would be told twice.
  database.query("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY");
  const std::int64_t newest = number(database.query(newest_sql).rows.front().front());
  const Grid current = database.query(current_sql, {plan_.election});
  database.query("COMMIT");
  if (cursor_ && newest >= cursor_->newest()) return "";
  cursor_.emplace(newest);
  std::string lines;
  for (const auto& row : current.rows) lines += line(row);
  return lines;
}

std::string LeaderWatch::look(Database& database) {
  const Grid changes = database.query(changes_sql, {plan_.election, std::to_string(cursor_->from())});
  std::string lines;
  for (const auto& row : changes.rows) {
    if (cursor_->admit(row[1].value_or(""), number(row[0]))) lines += line(row);
  }
  return lines;
}

std::string LeaderWatch::line(const Grid::Row& row) const {
  if (plan_.output == Output::json) return row[2].value_or("") + "\n";
  Grid::Row shown(row.begin() + 3, row.end());
  if (plan_.output == Output::tsv) {
    if (plan_.peers) shown.resize(shown.size() + peer_columns);
    return tsv_line(shown);
  }
  const auto& previous = shown[3];
  const std::string leads = shown[4] ? *shown[4] + " leads, token " + shown[5].value_or("") : "nobody leads";
  const std::string why = shown[2].value_or("") + (previous ? ", before: " + *previous : "");
  return one_line(shown[0].value_or("") + "  " + shown[1].value_or("") + ": " + leads + " (" + why + ")") +
         "\n";
}

}  // namespace pgcoord::tool
