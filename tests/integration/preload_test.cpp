// With and without preloading, and under the server's own timers and foreign signals.
#include <gtest/gtest.h>

#include <csignal>
#include <fstream>
#include <thread>

#include "fault_test.hpp"
#include "wait.hpp"

namespace {

using namespace std::chrono_literals;
using namespace pgcoord::test;

/// One round of everything, in sessions of its own.
void run_a_reign(Server& server, const std::string& database) {
  Connection leader = server.connect(database);
  Connection heir = server.connect(database);
  join(leader, "leader");
  join(heir, "heir");
  const std::int64_t token = campaign(leader, "e").token;
  EXPECT_FALSE(campaign(heir, "e").is_leader);
  listen(heir);
  EXPECT_EQ(fence_state(leader, "e", token), "00000");
  leader.sever();
  const auto notice = next_notice(heir, "e", 5s);
  ASSERT_TRUE(notice.has_value());
  EXPECT_GT(notice->token, token);
  EXPECT_EQ(fence_state(heir, "e", token), "PC002");
  EXPECT_TRUE(heir.value("SELECT coord.leave()") == "t");
}

class Preload : public FaultTest {
 public:
  static void SetUpTestSuite() {
    start_server({"shared_preload_libraries = 'pg_coord'", "pg_coord.log_retention = '1 h'"});
  }
};

TEST_F(Preload, field_case_95_works_when_preloaded) {
  run_a_reign(server(), database());
  Connection session = connect();
  EXPECT_EQ(session.value("SHOW pg_coord.log_retention"), "1h");
}

TEST_F(Preload, field_case_95_a_standby_without_it_can_be_read_and_promoted) {
  Connection leader = connect();
  join(leader, "a");
  const std::int64_t token = campaign(leader, "e").token;
  const auto standby = server().add_standby({"shared_preload_libraries = ''"});
  server().wait_replayed(*standby);
  Connection there = standby->connect(database());
  EXPECT_EQ(there.value("SELECT token FROM coord.elections"), std::to_string(token));
  EXPECT_EQ(there.sqlstate_of("SELECT coord.join('b')"), "25006");
  standby->promote();
  run_a_reign(*standby, database());
}

TEST_F(Preload, field_case_103_comes_up_again_after_a_crash) {
  allow_in_log("terminated by signal|terminating connection|recovery|not properly shut down");
  allow_in_log("all server processes terminated|connection to client lost|terminating any other");
  Connection victim = connect();
  server().kill_backend(victim.backend_pid());
  server().wait_ready();
  run_a_reign(server(), database());
}

class Unloaded : public FaultTest {};

TEST_F(Unloaded, field_case_95_settings_of_an_unloaded_library_are_refused_or_kept) {
  Connection session = connect();
  EXPECT_EQ(session.sqlstate_of("LOAD 'pg_coord'"), "00000");
  EXPECT_EQ(session.sqlstate_of("SET pg_coord.log_retention = '2 h'"), "00000");
  EXPECT_EQ(session.sqlstate_of("SET pg_coord.log_retention = '-1'"), "22023");
  EXPECT_EQ(session.sqlstate_of("SET pg_coord.no_such_setting = 1"), "42602");
  run_a_reign(server(), database());
}

class Timers : public FaultTest {
 public:
  static void SetUpTestSuite() {
    start_server({"client_connection_check_interval = '20ms'", "statement_timeout = '5s'",
                  "lock_timeout = '3s'", "idle_in_transaction_session_timeout = '10s'",
                  "idle_session_timeout = '60s'", "deadlock_timeout = '10ms'"});
  }
};

TEST_F(Timers, field_case_94_foreign_alarms_disturb_nothing) {
  Connection session = member("busy");
  const pid_t pid = session.backend_pid();
  for (int round = 0; round < 200; ++round) {
    server().signal(pid, SIGALRM);
    const std::int64_t token = campaign(session, "e").token;
    server().signal(pid, SIGALRM);
    EXPECT_EQ(heartbeat(session).size(), 1U);
    EXPECT_EQ(fence_state(session, "e", token), "00000");
    EXPECT_TRUE(resign(session, "e"));
  }
  EXPECT_EQ(session.value("SHOW lock_timeout"), "3s");
  EXPECT_EQ(session.value("SELECT pg_sleep(0)::text"), "");
}

/// Threads, and which signals are caught, ignored and blocked.
std::string trade_with_the_kernel(pid_t pid) {
  std::ifstream status("/proc/" + std::to_string(pid) + "/status");
  std::string found;
  for (std::string line; std::getline(status, line);)
    if (line.starts_with("Threads:") || line.starts_with("SigCgt:") || line.starts_with("SigIgn:") ||
        line.starts_with("SigBlk:"))
      found += line + "; ";
  return found;
}

TEST_F(Timers, field_case_94_starts_no_thread_and_changes_no_signal_handler) {
  Connection session = connect();
  const std::string locale =
      "SELECT string_agg(setting, ' ' ORDER BY name) FROM pg_settings WHERE name LIKE 'lc%'";
  const Value before = session.value(locale);
  session.exec("SELECT pg_sleep(0), to_char(1234.5, '9G999D9L')");
  const std::string at_first = trade_with_the_kernel(session.backend_pid());
  ASSERT_NE(at_first.find("Threads:\t1;"), std::string::npos) << at_first;
  const Value money = session.value("SELECT to_char(1234.5, '9G999D9L')");
  session.exec("LOAD 'pg_coord'");
  join(session, "quiet");
  const std::int64_t token = campaign(session, "e").token;
  heartbeat(session);
  EXPECT_EQ(fence_state(session, "e", token), "00000");
  session.exec("CALL coord.lock('k', '1 s')");
  session.exec("SELECT coord.unlock_all()");
  EXPECT_EQ(trade_with_the_kernel(session.backend_pid()), at_first);
  EXPECT_EQ(session.value(locale), before);
  EXPECT_EQ(session.value("SELECT to_char(1234.5, '9G999D9L')"), money);
}

TEST_F(Timers, field_case_40_nobody_renews_for_another) {
  Connection leader = member("leader", "1 s");
  Connection other = member("other");
  const std::int64_t token = campaign(leader, "e").token;
  const auto heard = [&] {
    return other.value("SELECT last_heartbeat_at FROM coord.peers WHERE instance_id = 'leader'");
  };
  const Value before = heard();
  EXPECT_TRUE(heartbeat(other).empty());
  EXPECT_EQ(other.sqlstate_of("SELECT coord.join('leader')"), "PC003");
  EXPECT_FALSE(resign(other, "e"));
  Connection stranger = connect();
  EXPECT_EQ(stranger.sqlstate_of("SELECT * FROM coord.heartbeat()"), "PC001");
  EXPECT_EQ(heard(), before);
  EXPECT_EQ(newest_token(other, "e"), token);
}

}  // namespace
