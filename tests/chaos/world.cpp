#include "chaos/world.hpp"

#include <signal.h>

#include <cstdlib>

#include "support/wait.hpp"
#include "support/workshop.hpp"

namespace pgcoord::chaos {

using namespace std::chrono_literals;
using test::Child;
using test::Relay;
using test::Server;
using test::wait_until;

namespace {

// A server that restarts after a crash waits for logins that a frozen connection holds up.
const Server::Settings settings{"track_commit_timestamp = on",        "max_connections = 80",
                                "authentication_timeout = 3s",        "recovery_init_sync_method = syncfs",
                                "hot_standby_feedback = on",          "wal_receiver_status_interval = 1s",
                                "wal_retrieve_retry_interval = 200ms"};

std::string member_program() {
  const char* path = std::getenv("PGCOORD_CHAOS_MEMBER");
  return path ? path : "PGCOORD_CHAOS_MEMBER is not set";
}

/// A time of the server's in SQL, and its answer in nanoseconds.
std::string microseconds(const std::string& time) {
  return "(extract(epoch FROM " + time + ") * 1e6)::bigint";
}
std::int64_t nanoseconds(const test::Value& answer) { return std::stoll(answer.value()) * 1000; }

}  // namespace

World::World(const Settings& wanted)
    : folder_(test::Workshop::instance().new_folder("chaos")), seed_(wanted.seed), primary_(settings) {
  primary_.install();
  superuser().exec(
      "CREATE TABLE chaos_row (number bigint PRIMARY KEY, election text NOT NULL, token bigint NOT NULL, who "
      "text NOT NULL)");
  if (wanted.has_standby) standby_ = primary_.add_standby();
  for (int i = 0; i < wanted.members; ++i) {
    auto& player = players_.emplace_back();
    player.name = "m" + std::to_string(i);
    player.relays.push_back(std::make_unique<Relay>(primary_.port()));
    if (standby_) player.relays.push_back(std::make_unique<Relay>(standby_->port()));
    start(player);
  }
}

void World::start(Player& player) {
  std::string ports;
  for (const auto& relay : player.relays) ports += (ports.empty() ? "" : ",") + std::to_string(relay->port());
  const auto seed = std::to_string(seed_) + ' ' + player.name + ' ' + std::to_string(++player.lives);
  const test::MovedClock::Preloaded preloaded(clock_);
  player.child = std::make_unique<Child>(
      std::vector<std::string>{member_program(), ports, player.name, (folder_ / player.name).string(), seed});
}

std::string World::leader() {
  try {
    auto session = superuser();
    session.exec("SET lock_timeout = '50ms'");
    const auto rows =
        session.exec("SELECT coalesce(leader, '') FROM coord.leadership_log ORDER BY event_id DESC LIMIT 1");
    return rows.empty() ? "" : rows[0][0].value();
  } catch (const test::SqlError&) {
    return {};
  }
}

std::optional<pid_t> World::wal_sender() {
  const auto rows = superuser().exec("SELECT pid FROM pg_stat_replication");
  return rows.empty() ? std::nullopt : std::optional<pid_t>(std::stoi(rows[0][0].value()));
}

void World::promote() {
  const auto place = fault("promote");
  const auto sender = wal_sender();
  if (sender) ::kill(*sender, SIGSTOP);
  {
    auto session = superuser();
    const auto rows = [&session] {
      return std::stoi(session.value("SELECT count(*) FROM chaos_row").value());
    };
    // Terms that the standby lacks: their numbers must not be given again.
    session.exec("SELECT coord.depose(election) FROM coord.elections");
    const auto before = rows();
    wait_until([&] { return rows() > before + 5; }, 10s);
  }
  primary_.stop(Server::Mode::immediate);
  standby_->promote();
  promoted_ = true;
  server().wait_ready();
  mended(place);
  const auto replayed = superuser().value("SELECT " + microseconds("pg_last_xact_replay_timestamp()"));
  const auto behind = fault("behind", "standby");
  faults_.at(behind).from = nanoseconds(replayed) - wall_offset();
  mended(behind);
}

std::size_t World::fault(const std::string& what, const std::string& who) {
  faults_.push_back({"fault", what, who, 0, 0, 0, now(), 0, {}});
  return faults_.size() - 1;
}

bool World::recovers(std::chrono::seconds bound) {
  server().wait_ready();
  auto session = superuser();
  const auto count = [&session] {
    return session.value(
        "SELECT count(DISTINCT election) FROM chaos_row WHERE pg_xact_commit_timestamp(xmin) > "
        "(SELECT max(at) FROM chaos_mended)");
  };
  session.exec("CREATE TABLE chaos_mended AS SELECT clock_timestamp() AS at");
  return wait_until([&] { return count() == "2"; }, bound);
}

/// Nanoseconds to take from the server's clock to get this machine's time since boot.
std::int64_t World::wall_offset() {
  auto session = superuser();
  std::int64_t best = 0;
  std::int64_t shortest = 0;
  for (int i = 0; i < 20; ++i) {
    const auto before = now();
    const auto wall = nanoseconds(session.value("SELECT " + microseconds("clock_timestamp()")));
    const auto took = now() - before;
    if (i > 0 && took >= shortest) continue;
    shortest = took;
    best = wall - before - took / 2;
  }
  return best;
}

void World::collect(const std::string& sql, const std::string& kind, History& history) {
  const auto offset = wall_offset();
  for (const auto& row : superuser().exec(sql)) {
    history.push_back({kind,
                       row[0].value(),
                       row[1].value_or(""),
                       0,
                       std::stoll(row[2].value()),
                       std::stoll(row[3].value()),
                       nanoseconds(row[4]) - offset,
                       0,
                       {}});
  }
}

void World::end(Player& player) {
  player.child->kill(SIGTERM);
  const auto ending = player.child->wait(20s);
  if (!ending || !ending->ok()) {
    complaints_.push_back(player.name + " did not end well: " + player.child->err() +
                          (ending && ending->signal ? "signal " + std::to_string(*ending->signal) : ""));
  }
  player.child.reset();
}

History World::finish() {
  for (auto& player : players_) end(player);
  History history;
  const auto committed = microseconds("pg_xact_commit_timestamp(xmin)");
  collect("SELECT election, leader, epoch::bigint << 40 | term, event_id, " + committed +
              " FROM coord._change ORDER BY event_id",
          "grant", history);
  collect("SELECT election, who, token, number, " + committed + " FROM chaos_row", "row", history);
  for (const auto& player : players_) {
    const auto part = read_history(folder_ / player.name);
    history.insert(history.end(), part.begin(), part.end());
  }
  history.insert(history.end(), faults_.begin(), faults_.end());
  const char* const wanted = std::getenv("PGCOORD_HISTORY_TO");
  const auto file = wanted && *wanted ? std::filesystem::path(wanted) : folder_ / "history";
  write_history(file, history);
  return history;
}

}  // namespace pgcoord::chaos
