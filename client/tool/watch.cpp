#include "tool/watch.hpp"

#include <charconv>
#include <cstdio>
#include <random>
#include <thread>
#include <utility>

#include "pgcoord/backoff.hpp"
#include "pgcoord/error.hpp"
#include "tool/database.hpp"
#include "tool/exit_code.hpp"
#include "tool/log_cursor.hpp"
#include "tool/say.hpp"

namespace pgcoord::tool {

namespace {

constexpr Duration between_looks = std::chrono::seconds(5);

// The channels of all groups: each group's changes are announced on one of its own.
const char* const channels_sql =
    "SELECT DISTINCT CASE WHEN g = 'default' THEN base WHEN octet_length(base || '.' || g) < 64 THEN base || "
    "'.' || g"
    " ELSE base || '.' || left(encode(sha256(convert_to(g, 'UTF8')), 'hex'), 24) END"
    " FROM (VALUES ('__eventsource_coordination.leader')) b (base),"
    " (SELECT 'default' UNION SELECT member_group FROM coord.peers) m (g)";

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

std::int64_t number(const std::optional<std::string>& text) {
  std::int64_t value = 0;
  if (text) std::from_chars(text->data(), text->data() + text->size(), value);
  return value;
}

class Watch {
 public:
  Watch(const Access& access, const WatchPlan& plan) : access_(access), plan_(plan) {}
  int run();

 private:
  void follow();
  void begin(Database& database);
  void listen(Database& database);
  void tell_changes(Database& database);
  void tell(const Grid::Row& row);
  void print(const std::string& text);

  const Access& access_;
  const WatchPlan& plan_;
  std::optional<LogCursor> cursor_;
  bool in_trouble_ = false;
  bool broken_output_ = false;
};

int Watch::run() {
  Random random(std::random_device{}());
  Backoff backoff(milliseconds(100), milliseconds(5'000));
  while (!broken_output_) {
    try {
      follow();
    } catch (const Error& error) {
      const auto remedy = exit_code::remedy(error.sqlstate());
      if (!cursor_ || remedy == exit_code::Remedy::none) throw;
      if (!std::exchange(in_trouble_, true)) {
        backoff.reset();
        say(std::string(error.what()) + "; trying again");
      }
      std::this_thread::sleep_for(backoff.next(random));
    }
  }
  return exit_code::own_failure;
}

void Watch::follow() {
  Database database(access_);
  listen(database);
  begin(database);
  in_trouble_ = false;
  while (!broken_output_) {
    tell_changes(database);
    if (!database.wait_for_notification(between_looks)) listen(database);
  }
}

// A log that is shorter than what was told is another one: the database was restored or made anew.
void Watch::begin(Database& database) {
  // One snapshot, or a change between the two would be told twice.
  database.query("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY");
  const std::int64_t newest = number(database.query(newest_sql).rows.front().front());
  const Grid current = database.query(current_sql, {plan_.election});
  database.query("COMMIT");
  if (cursor_ && newest >= cursor_->newest()) return;
  cursor_.emplace(newest);
  if (plan_.output == Output::tsv) print("at\telection\tcause\tprevious\tleader\ttoken\n");
  for (const auto& row : current.rows) tell(row);
}

void Watch::listen(Database& database) {
  for (const auto& row : database.query(channels_sql).rows) database.listen(row.front().value_or(""));
}

void Watch::tell_changes(Database& database) {
  const Grid changes = database.query(changes_sql, {plan_.election, std::to_string(cursor_->from())});
  for (const auto& row : changes.rows) {
    if (cursor_->admit(row[1].value_or(""), number(row[0]))) tell(row);
  }
}

void Watch::tell(const Grid::Row& row) {
  if (plan_.output == Output::json) return print(row[2].value_or("") + "\n");
  const Grid::Row shown(row.begin() + 3, row.end());
  if (plan_.output == Output::tsv) {
    const std::string text = as_tsv({{}, {shown}});
    return print(text.substr(1));  // without the empty header
  }
  const auto& previous = shown[3];
  const std::string leads = shown[4] ? *shown[4] + " leads, token " + shown[5].value_or("") : "nobody leads";
  const std::string why = shown[2].value_or("") + (previous ? ", before: " + *previous : "");
  print(one_line(shown[0].value_or("") + "  " + shown[1].value_or("") + ": " + leads + " (" + why + ")") +
        "\n");
}

void Watch::print(const std::string& text) {
  const bool written =
      std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0;
  broken_output_ = broken_output_ || !written;
}

}  // namespace

int watch(const Access& access, const WatchPlan& plan) { return Watch(access, plan).run(); }

}  // namespace pgcoord::tool
