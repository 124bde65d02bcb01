#include "tool/watch.hpp"

#include <algorithm>
#include <random>
#include <thread>
#include <utility>

#include "pgcoord/backoff.hpp"
#include "pgcoord/error.hpp"
#include "pgcoord/topics.hpp"
#include "tool/channels.hpp"
#include "tool/database.hpp"
#include "tool/exit_code.hpp"
#include "tool/leader_watch.hpp"
#include "tool/peer_watch.hpp"
#include "tool/print.hpp"
#include "tool/say.hpp"

namespace pgcoord::tool {

namespace {

constexpr Duration at_most_between_looks = std::chrono::seconds(5);
/// However often it rings.
constexpr Duration at_least_between_looks = milliseconds(100);

const char* const groups_sql = "SELECT 'default' UNION SELECT member_group FROM coord.peers";
const char* const header = "at\telection\tcause\tprevious\tleader\ttoken";
const char* const more_header = "\tgroup\tinstance\tstatus\tintent\tleft";

bool is_of_connection(const Error& error) {
  return error.sqlstate().starts_with("08") || error.sqlstate().starts_with("57P");
}

class Watch {
 public:
  Watch(const Access& access, const WatchPlan& plan)
      : access_(access), plan_(plan), leaders_(plan), peers_(plan.output) {}
  int run();

 private:
  void follow();
  void look(Database& database, Channels& channels);
  void wait(Database& database, Instant looked) const;
  Channels channels() const;
  void tell(const std::string& lines);
  void tell_trouble(const Error& error);

  const Access& access_;
  const WatchPlan& plan_;
  LeaderWatch leaders_;
  PeerWatch peers_;
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
      if (!leaders_.has_begun() || exit_code::remedy(error.sqlstate()) == exit_code::Remedy::none) throw;
      if (!std::exchange(in_trouble_, true)) {
        backoff.reset();
        tell_trouble(error);
      }
      std::this_thread::sleep_for(backoff.next(random));
    }
  }
  return exit_code::own_failure;
}

void Watch::tell_trouble(const Error& error) {
  const std::string what = is_of_connection(error) ? "the connection to the server is lost" : error.what();
  say(what + "; trying again");
}

void Watch::follow() {
  Database database(access_);
  Channels listened = channels();
  listened.listen(database, "default");
  const bool first = !leaders_.has_begun();
  const std::string current = leaders_.begin(database);
  if (first && plan_.output == Output::tsv) {
    tell(std::string(header) + (plan_.peers ? more_header : "") + "\n");
  }
  tell(current);
  if (std::exchange(in_trouble_, false)) say("connected again");
  while (!broken_output_) {
    const Instant looked = BootClock::now();
    look(database, listened);
    wait(database, looked);
  }
}

Channels Watch::channels() const {
  if (!plan_.peers) return Channels{leader_topic};
  return Channels{leader_topic, member_topic, shutdown_notifications_topic, heartbeat_topic};
}

// Listens to what is new before it reads, so that nothing falls between.
void Watch::look(Database& database, Channels& channels) {
  for (const auto& row : database.query(groups_sql).rows) channels.listen(database, row.front().value_or(""));
  tell(leaders_.look(database));
  if (plan_.peers) tell(peers_.look(database));
}

void Watch::wait(Database& database, Instant looked) const {
  Duration most = at_most_between_looks;
  if (const auto deadline = peers_.until_next_deadline()) {
    most = std::min<Duration>(most, *deadline + milliseconds(1));
  }
  if (!database.wait_for_notification(most)) return;
  std::this_thread::sleep_for(looked + at_least_between_looks - BootClock::now());
}

void Watch::tell(const std::string& lines) {
  if (!lines.empty() && !print(lines)) broken_output_ = true;
}

}  // namespace

int watch(const Access& access, const WatchPlan& plan) { return Watch(access, plan).run(); }

}  // namespace pgcoord::tool
