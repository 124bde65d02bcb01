#include <chrono>
#include <cstdio>
#include <deque>
#include <exception>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "figure.hpp"
#include "pgcoord/pg_lock_manager.hpp"
#include "support/server.hpp"
#include "support/wait.hpp"

// What a hundred that wait for a lock cost the server: statements, as pg_stat_statements counts them, and
// dead rows of another table that VACUUM must leave; beside a hundred in SELECT pg_advisory_lock().

namespace pgcoord::bench {
namespace {

constexpr int waiters = 100;
constexpr const char* key = "bench";

/// By a PgLockManager, a thread each.
class Threads {
 public:
  explicit Threads(const std::string& conninfo) : manager_{options(conninfo)} {
    for (int i = 0; i < waiters; ++i) threads_.emplace_back([this] { wait(); });
  }
  ~Threads() { stop_.request_stop(); }
  Threads(const Threads&) = delete;
  Threads& operator=(const Threads&) = delete;

 private:
  static LockOptions options(const std::string& conninfo) {
    LockOptions options;
    options.conninfo = conninfo;
    options.connect_timeout = std::chrono::seconds{30};
    return options;
  }
  void wait() {
    try {
      const auto guard = manager_.acquire(key, std::nullopt, stop_.get_token());
      std::fprintf(stderr, "a lock that is held was granted\n");
    } catch (const LockError& error) {
      if (error.sqlstate() != "57014") std::fprintf(stderr, "%s\n", error.what());
    }
  }

  PgLockManager manager_;
  std::stop_source stop_;
  std::vector<std::jthread> threads_;
};

/// By statements.
class Sessions {
 public:
  explicit Sessions(const std::string& conninfo) {
    for (int i = 0; i < waiters; ++i)
      sessions_.emplace_back(conninfo).send("SELECT pg_advisory_lock(coord.lock_key($1))", {key});
  }
  ~Sessions() {  // one that waits does not notice that its client is gone
    for (test::Connection& session : sessions_) session.cancel();
  }
  Sessions(const Sessions&) = delete;
  Sessions& operator=(const Sessions&) = delete;

 private:
  std::deque<test::Connection> sessions_;
};

class Measurement {
 public:
  explicit Measurement(const test::Server& server)
      : conninfo_{server.conninfo("ours")},
        holder_{conninfo_},
        vacuum_{conninfo_},
        observer_{server.conninfo()} {
    observer_.exec("CREATE EXTENSION IF NOT EXISTS pg_stat_statements");
    vacuum_.exec("CREATE TABLE other (n int)");
    holder_.exec("SELECT coord.try_lock($1)", {key});
  }

  struct Cost {
    double statements = 0;
    double dead_rows = 0;
  };
  template <typename Waiting>
  Cost of(std::chrono::seconds span) {
    require([this] { return in_queue() == 0; });
    const Waiting waiting{conninfo_};
    require([this] { return in_queue() == waiters; });
    observer_.exec("SELECT pg_stat_statements_reset()");
    std::this_thread::sleep_for(span);  // what is measured
    Cost cost;
    cost.statements = number(
        "SELECT coalesce(sum(calls), 0) FROM pg_stat_statements s JOIN pg_database d ON d.oid = s.dbid"
        " WHERE d.datname = 'ours'");
    cost.dead_rows = dead_rows();
    return cost;
  }

 private:
  double in_queue() {
    return number("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted");
  }
  double number(const std::string& sql) { return std::stod(observer_.value(sql).value()); }

  template <typename Condition>
  static void require(Condition condition) {
    if (!test::wait_until(condition, std::chrono::minutes{1}))
      throw std::runtime_error{"not all of them wait"};
  }

  /// Of ten thousand.
  double dead_rows() {
    vacuum_.exec("TRUNCATE other; INSERT INTO other SELECT generate_series(1, 10000); DELETE FROM other");
    vacuum_.exec("SELECT pg_stat_force_next_flush()");
    vacuum_.exec("VACUUM other");
    return std::stod(
        vacuum_.value("SELECT n_dead_tup FROM pg_stat_user_tables WHERE relname = 'other'").value());
  }

  std::string conninfo_;
  test::Connection holder_;
  test::Connection vacuum_;
  test::Connection observer_;  // in another database
};

void measure(const test::Server& server, int seconds) {
  Measurement measurement{server};
  const auto plain = measurement.of<Sessions>(std::chrono::seconds{1});
  const auto ours = measurement.of<Threads>(std::chrono::seconds{seconds});
  print({"statements while 100 wait", "/s", ours.statements / seconds, plain.statements,
         Target::value_at_most, 0});
  print({"dead rows of another table that VACUUM leaves", "", ours.dead_rows, plain.dead_rows,
         Target::value_at_most, 0});
}

}  // namespace
}  // namespace pgcoord::bench

int main(int argc, char** argv) try {
  pgcoord::test::Server server{
      {"max_connections = 250", "autovacuum = off", "shared_preload_libraries = 'pg_stat_statements'"}};
  server.install("ours");
  pgcoord::bench::measure(server, argc > 1 ? std::stoi(argv[1]) : 10);
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
