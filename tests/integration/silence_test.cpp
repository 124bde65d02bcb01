// A leader whose client is stopped: its session stays, its heartbeats do not.
#include <gtest/gtest.h>

#include <csignal>

#include "fault_test.hpp"
#include "psql.hpp"
#include "wait.hpp"

namespace {

using namespace std::chrono_literals;
using namespace pgcoord::test;
using std::chrono::steady_clock;

class Silence : public FaultTest {
 protected:
  /// Sweeps as a candidate's client does: when the last sweep said that there will be something to see.
  static bool watch_until_leading(Connection& watcher, steady_clock::time_point end) {
    while (steady_clock::now() < end) {
      const double left = std::stod(watcher.value("SELECT extract(epoch FROM coord.sweep())").value());
      if (!heartbeat(watcher).empty()) return true;
      (void)watcher.notification(std::chrono::milliseconds{static_cast<long>(left * 1000) + 1});
    }
    return false;
  }

  /// `grace` beyond the timeout.
  static bool wait_until_silent(Connection& by, const std::string& name, const std::string& grace = "0.1 s") {
    const auto silent = [&] {
      return by.value(
                 "SELECT clock_timestamp() > last_heartbeat_at + heartbeat_timeout + $2::interval"
                 " FROM coord.peers WHERE instance_id = $1",
                 {name, grace}) == "t";
    };
    return wait_until(silent);
  }
};

TEST_F(Silence, G6_field_case_43_stopped_client_loses_its_term_and_changes_nothing_afterwards) {
  Connection heir = listener("b", "60 s");
  Psql client{server().conninfo(database())};
  ASSERT_EQ(client.ask("SELECT coord.join('a', heartbeat_timeout => '2 s')").sqlstate, "00000");
  const std::string token = client.ask("SELECT token FROM coord.campaign('x')").text;
  campaign(heir, "x");
  const auto before = steady_clock::now();
  ASSERT_EQ(client.ask("SELECT election FROM coord.heartbeat()").text, "x");
  const auto after = steady_clock::now();
  client.process().kill(SIGSTOP);

  ASSERT_TRUE(watch_until_leading(heir, after + 3s)) << "timeout + 1 s has passed";
  EXPECT_GE(steady_clock::now() - before, 2s) << "taken before it was silent for its timeout";
  const auto mine = heartbeat(heir).at(0);
  EXPECT_GT(mine.token, std::stoll(token));
  EXPECT_EQ(heir.value("SELECT cause FROM coord.leadership_log ORDER BY event_id DESC LIMIT 1"), "silent");

  client.process().kill(SIGCONT);
  const auto beat = client.ask("SELECT * FROM coord.heartbeat()");
  EXPECT_EQ(beat.sqlstate, "00000");
  EXPECT_EQ(beat.text, "") << "a leadership that it has lost";
  EXPECT_EQ(client.ask("SELECT coord.fence('x', " + token + ")").sqlstate, "PC002");
  EXPECT_EQ(client.ask("SELECT coord.resign('x')").text, "f");
  EXPECT_EQ(client.ask("SELECT leader, is_leader FROM coord.try_acquire('x')").text, "b|f");
  EXPECT_EQ(heartbeat(heir).at(0).token, mine.token);
  EXPECT_EQ(heir.value("SELECT count(*) FROM coord.leadership_log"), "2");
}

TEST_F(Silence, G3_write_of_a_stopped_leader_never_commits) {
  Connection heir = listener("b", "60 s");
  heir.exec("CREATE TABLE written (token bigint)");
  Psql client{server().conninfo(database())};
  client.ask("SELECT coord.join('a', heartbeat_timeout => '1 s')");
  const std::string token = client.ask("SELECT token FROM coord.campaign('x')").text;
  campaign(heir, "x");
  client.ask("BEGIN ISOLATION LEVEL SERIALIZABLE");
  ASSERT_EQ(client.ask("SELECT coord.fence('x', " + token + ")").sqlstate, "00000");
  client.ask("INSERT INTO written VALUES (" + token + ")");
  client.process().kill(SIGSTOP);
  ASSERT_TRUE(watch_until_leading(heir, steady_clock::now() + 3s))
      << "the take-over waited for the open transaction";
  client.process().kill(SIGCONT);
  EXPECT_EQ(client.ask("COMMIT").sqlstate, "PC002");
  EXPECT_EQ(heir.exec("SELECT * FROM written"), Rows{});
}

TEST_F(Silence, G6_field_case_64_who_was_silent_itself_judges_nobody) {
  Connection leader = member("a", "1 s");
  Connection watcher = member("b", "1 s");
  const std::int64_t token = campaign(leader, "x").token;
  campaign(watcher, "x");
  Connection root = connect();
  ASSERT_TRUE(wait_until_silent(root, "a", "0.5 s") && wait_until_silent(root, "b", "0.5 s"));
  sweep(watcher);
  EXPECT_FALSE(campaign(watcher, "x").is_leader);
  const auto led = heartbeat(leader);
  ASSERT_EQ(led.size(), 1U) << "taken by somebody who had not watched";
  EXPECT_EQ(led[0].token, token);
}

TEST_F(Silence, G6_newcomer_takes_over_after_it_has_watched_for_the_timeout) {
  Connection leader = member("a", "1 s");
  campaign(leader, "x");
  Connection root = connect();
  ASSERT_TRUE(wait_until_silent(root, "a"));
  EXPECT_EQ(leader_of(root, "x"), std::nullopt) << "a silent leader is not shown as live";
  Connection heir = listener("b", "60 s");
  EXPECT_FALSE(campaign(heir, "x").is_leader);
  EXPECT_TRUE(watch_until_leading(heir, steady_clock::now() + 2s));
}

TEST_F(Silence, G6_silent_candidate_is_passed_over) {
  Connection leader = member("a", "60 s");
  Connection silent = member("b", "1 s");
  Connection heir = listener("c", "60 s");
  campaign(leader, "x");
  campaign(silent, "x", 9);
  campaign(heir, "x");
  Connection root = connect();
  ASSERT_TRUE(wait_until_silent(root, "b"));
  EXPECT_TRUE(resign(leader, "x"));
  EXPECT_EQ(leader_of(root, "x"), "c");
}

TEST_F(Silence, field_case_53_displaced_session_is_told_that_it_is_no_member) {
  Connection old = member("a", "1 s");
  const std::int64_t token = campaign(old, "x").token;
  Connection root = connect();
  Connection young = connect();
  EXPECT_EQ(young.sqlstate_of("SELECT coord.join('a')"), "PC003");
  ASSERT_TRUE(wait_until_silent(root, "a"));
  join(young, "a");
  EXPECT_GT(campaign(young, "x").token, token);
  for (const char* call : {"SELECT coord.heartbeat()", "SELECT coord.campaign('x')",
                           "SELECT coord.resign('x')", "SELECT coord.withdraw('x')", "SELECT coord.sweep()"})
    EXPECT_EQ(old.sqlstate_of(call), "PC001") << call;
  EXPECT_EQ(old.value("SELECT coord.leave()"), "f");
  EXPECT_EQ(fence_state(old, "x", token), "PC002");
  EXPECT_TRUE(terminate(root, old.backend_pid()));
  EXPECT_EQ(heartbeat(young).size(), 1U) << "the end of the old session took the new one's term";
}

TEST_F(Silence, field_case_62_deleted_member_is_told) {
  Connection lost = member("a");
  campaign(lost, "x");
  Connection root = connect();
  root.exec("DELETE FROM coord._beat; DELETE FROM coord._member");
  EXPECT_EQ(lost.sqlstate_of("SELECT coord.heartbeat()"), "PC001");
  EXPECT_EQ(lost.sqlstate_of("SELECT coord.campaign('x')"), "PC001");
  Connection heir = member("b");
  EXPECT_TRUE(campaign(heir, "x").is_leader);
}

}  // namespace
