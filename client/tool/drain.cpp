#include "tool/drain.hpp"

#include <algorithm>
#include <optional>
#include <random>
#include <string>
#include <thread>

#include "pgcoord/backoff.hpp"
#include "pgcoord/error.hpp"
#include "pgcoord/topics.hpp"
#include "tool/channels.hpp"
#include "tool/database.hpp"
#include "tool/exit_code.hpp"
#include "tool/print.hpp"
#include "tool/say.hpp"

namespace pgcoord::tool {

namespace {

constexpr Duration slack = std::chrono::seconds(2);
constexpr Duration between_looks = std::chrono::seconds(5);
/// However often it rings.
constexpr Duration at_least_between_looks = milliseconds(100);

const char* const drain_sql = "SELECT coord.drain($1, $2, $3, ($4 || ' ms')::interval)";
const char* const found_sql =
    "SELECT incarnation, session_pid,"
    " ceil(extract(epoch FROM $3::timestamptz - clock_timestamp()) * 1000)::bigint"
    " FROM coord.peers WHERE instance_id = $1 AND member_group = $2 AND shutdown_intent IS NOT NULL";

class Drain {
 public:
  Drain(const Access& access, const DrainPlan& plan) : access_(access), plan_(plan) {}
  int run();

 private:
  void connect();
  int wait();
  std::optional<milliseconds> time_left();
  void connect_again(const Error& lost);

  const Access& access_;
  const DrainPlan& plan_;
  std::optional<Database> database_;
  std::string deadline_;
  Instant until_{};
  /// Which one was told to leave; a later one of that name is another.
  std::optional<std::string> incarnation_;
};

int Drain::run() {
  connect();
  const std::string timeout = std::to_string(plan_.timeout.count());
  until_ = BootClock::now() + plan_.timeout + slack;
  const Grid told = database_->query(drain_sql, {plan_.instance, plan_.group, plan_.intent, timeout});
  deadline_ = told.rows.front().front().value_or("");
  if (!print(deadline_ + "\n")) return exit_code::own_failure;
  return plan_.wait ? wait() : exit_code::success;
}

// Listens before it looks, so that nothing falls between.
void Drain::connect() {
  database_.emplace(access_);
  if (!plan_.wait) return;
  Channels({member_topic, shutdown_notifications_topic, heartbeat_topic}).listen(*database_, plan_.group);
}

int Drain::wait() {
  while (BootClock::now() < until_) {
    try {
      const Instant looked = BootClock::now();
      const auto left = time_left();
      if (!left) return exit_code::success;
      if (*left <= milliseconds(0)) break;
      if (database_->wait_for_notification(std::min<Duration>(*left + milliseconds(1), between_looks)))
        std::this_thread::sleep_for(looked + at_least_between_looks - BootClock::now());
    } catch (const Error& error) {
      connect_again(error);
    }
  }
  say("\"" + plan_.instance + "\" is still there at its deadline");
  return exit_code::not_in_time;
}

/// None once it is gone.
std::optional<milliseconds> Drain::time_left() {
  const Grid found = database_->query(found_sql, {plan_.instance, plan_.group, deadline_});
  if (found.rows.empty()) return std::nullopt;
  const auto& row = found.rows.front();
  if (!incarnation_) incarnation_ = row[0];
  if (row[0] != incarnation_ || !row[1]) return std::nullopt;
  return milliseconds(std::stoll(row[2].value_or("0")));
}

void Drain::connect_again(const Error& lost) {
  if (exit_code::remedy(lost.sqlstate()) != exit_code::Remedy::retry) throw lost;
  Random random(std::random_device{}());
  Backoff backoff(milliseconds(100), milliseconds(2'000));
  while (true) {
    std::this_thread::sleep_for(std::min<Duration>(backoff.next(random), until_ - BootClock::now()));
    try {
      return connect();
    } catch (const Error& error) {
      if (BootClock::now() >= until_) throw Error(error.sqlstate(), error.what(), error.detail());
    }
  }
}

}  // namespace

int drain(const Access& access, const DrainPlan& plan) { return Drain(access, plan).run(); }

}  // namespace pgcoord::tool
