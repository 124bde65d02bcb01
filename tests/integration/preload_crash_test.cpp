// A server that preloads the library loses backends to SIGKILL again and again, while two databases are led
// and written.
#include <gtest/gtest.h>

#include <atomic>
#include <random>
#include <thread>

#include "fault_test.hpp"
#include "wait.hpp"

namespace {

using namespace std::chrono_literals;
using namespace pgcoord::test;

/// A thread that leads when it can, writes fenced, hands over at times, and comes back after every crash.
class Worker {
 public:
  Worker(const Server& server, std::string database, std::string name)
      : server_(server), database_(std::move(database)), name_(std::move(name)), thread_([this] { run(); }) {}
  ~Worker() { stop(); }
  void stop() {
    stopping_ = true;
    if (thread_.joinable()) thread_.join();
  }

 private:
  void run() {
    while (!stopping_) {
      try {
        Connection session = server_.connect(database_);
        join(session, name_);
        while (!stopping_) turn(session);
      } catch (const std::exception&) {
        std::this_thread::sleep_for(10ms);  // the server is down, or does not know yet that we died
      }
    }
  }

  void turn(Connection& session) {
    const Leadership held = campaign(session, "x");
    if (!held.is_leader) return std::this_thread::sleep_for(10ms);
    const std::vector<std::string> values{std::to_string(held.token), name_};
    for (int writes = 0; writes < 5; ++writes)
      session.exec("INSERT INTO written (token, who) SELECT $1::bigint, $2 FROM coord.fence('x', $1::bigint)",
                   values);
    resign(session, "x");
  }

  const Server& server_;
  std::string database_;
  std::string name_;
  std::atomic<bool> stopping_{false};
  std::thread thread_;
};

class PreloadCrash : public FaultTest {
 public:
  static void SetUpTestSuite() { start_server({"shared_preload_libraries = 'pg_coord'"}); }

 protected:
  static std::int64_t written(const std::string& database) {
    return std::stoll(
        server().connect(database).value("SELECT count(*) FROM written WHERE token IS NOT NULL").value());
  }

  /// A backend of that database that runs; one that holds an election's turn, if `inside` is set.
  static pid_t victim(const std::string& database, Connection& inside, bool wanted, std::mt19937& random) {
    if (wanted) {
      inside.send("SELECT coord.depose('x'), pg_sleep(60)");
      Connection root = server().connect();
      EXPECT_TRUE(wait_until([&] { return waits_for(root, inside.backend_pid(), "PgSleep"); }));
      return inside.backend_pid();
    }
    const Rows pids =
        server().connect().exec("SELECT pid FROM pg_stat_activity WHERE datname = $1", {database});
    return pids.empty() ? inside.backend_pid() : std::stoi(pids[random() % pids.size()][0].value());
  }

  static void expect_right(const std::string& database) {
    Connection session = server().connect(database);
    EXPECT_EQ(session.value("SELECT count(*) FROM (SELECT token < lag(token) OVER (ORDER BY id) AS late"
                            " FROM written) w WHERE late"),
              "0")
        << "written under an old term after a newer one";
    EXPECT_EQ(session.value("SELECT count(*) FROM (SELECT FROM written GROUP BY token"
                            " HAVING count(DISTINCT who) > 1) t"),
              "0")
        << "two led with one token";
    EXPECT_EQ(faults_of_journal(session), std::vector<std::string>{});
    join(session, "last");
    const Leadership last = campaign(session, "x");
    EXPECT_TRUE(last.is_leader);
    EXPECT_EQ(session.value("SELECT max(token) < $1::bigint FROM written", {std::to_string(last.token)}),
              "t");
  }
};

TEST_F(PreloadCrash, G2_field_case_103_twenty_kills_under_load_in_two_databases) {
  allow_in_log("terminated by signal|terminating connection|recovery|connection to client lost");
  server().install("second");
  const std::vector<std::string> databases{database(), "second"};
  std::vector<std::unique_ptr<Worker>> workers;
  for (const auto& name : databases) {
    server().connect(name).exec("CREATE TABLE written (id bigserial, token bigint, who text)");
    for (const char* who : {"a", "b"}) workers.push_back(std::make_unique<Worker>(server(), name, who));
  }
  std::mt19937 random(103);
  for (std::size_t round = 0; round < 20; ++round) {
    SCOPED_TRACE(round);
    for (const auto& name : databases) {
      const auto before = written(name);
      ASSERT_TRUE(wait_until([&] { return written(name) > before; })) << "no work in " << name;
    }
    const auto& name = databases[round % 2];
    Connection inside = server().connect(name);
    server().kill_backend(victim(name, inside, round % 5 == 0, random));
    ASSERT_TRUE(wait_until([&] { return !inside.alive(); })) << "no crash";
    server().wait_ready();
  }
  for (const auto& worker : workers) worker->stop();
  for (const auto& name : databases) expect_right(name);
}

}  // namespace
