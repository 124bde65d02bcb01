// The server itself goes down: killed backends, immediate stops, ordinary restarts.
#include <gtest/gtest.h>

#include "fault_test.hpp"
#include "wait.hpp"

namespace {

using namespace std::chrono_literals;
using namespace pgcoord::test;

class Crash : public FaultTest {
 protected:
  /// Nobody leads until somebody campaigns; then with a higher token, and the old one is refused.
  void expect_fresh_start(std::int64_t old_token) {
    Connection root = connect();
    EXPECT_EQ(leader_of(root, "x"), std::nullopt);
    EXPECT_EQ(root.exec("SELECT leader, leader_pid, candidates FROM coord.elections"),
              (Rows{{std::nullopt, std::nullopt, "0"}}));
    EXPECT_EQ(root.exec("SELECT * FROM coord.candidates"), Rows{});
    EXPECT_EQ(root.exec("SELECT * FROM coord.peers WHERE session_pid IS NOT NULL OR status = 'healthy'"),
              Rows{});
    Connection next = member("c");
    const Leadership now = campaign(next, "x");
    EXPECT_TRUE(now.is_leader);
    EXPECT_GT(now.token, old_token);
    EXPECT_EQ(fence_state(root, "x", old_token), "PC002");
    EXPECT_EQ(fence_state(root, "x", now.token), "00000");
  }
};

TEST_F(Crash, G2_field_case_103_backends_killed_again_and_again) {
  allow_in_log("was terminated by signal 9");
  std::int64_t token = 0;
  for (int round = 0; round < 3; ++round) {
    Connection leader = member("a");
    Connection heir = member("b");
    const Leadership held = campaign(leader, "x");
    ASSERT_TRUE(held.is_leader);
    ASSERT_GT(held.token, token);
    token = held.token;
    campaign(heir, "x");
    if (round == 1) heir.send("SELECT coord.withdraw('x'), pg_sleep(60)");  // inside a call, with its lock
    server().kill_backend(round == 0 ? leader.backend_pid() : heir.backend_pid());
    ASSERT_TRUE(wait_until([&] { return !leader.alive() && !heir.alive(); }));
    server().wait_ready();
    expect_fresh_start(token);
    Connection root = connect();
    token = newest_token(root, "x");
  }
}

TEST_F(Crash, G2_field_case_47_immediate_stop_and_start) {
  Connection leader = member("a");
  Connection heir = member("b");
  const std::int64_t token = campaign(leader, "x").token;
  campaign(heir, "x");
  server().restart(Server::Mode::immediate);
  expect_fresh_start(token);
}

TEST_F(Crash, G8_fast_restart_is_not_held_up_by_heirs) {
  std::vector<Connection> sessions;
  for (int i = 0; i < 30; ++i) {
    sessions.push_back(member("m" + std::to_string(i)));
    for (const char* election : {"x", "y"}) campaign(sessions.back(), election);
  }
  const auto begin = std::chrono::steady_clock::now();
  server().restart(Server::Mode::fast);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, 15s);
  Connection root = connect();
  root.exec("DELETE FROM coord._election WHERE election = 'y'");
  root.exec("DELETE FROM coord._change WHERE election = 'y'");
  expect_fresh_start(newest_token(root, "x"));
}

TEST_F(Crash, G2_grant_that_was_told_survives_though_commits_are_asynchronous) {
  Connection leader = connect();
  leader.exec("SET synchronous_commit = off");
  join(leader, "a");
  std::int64_t token = 0;
  for (int round = 0; round < 5; ++round) {
    token = campaign(leader, "x").token;
    if (round < 4) resign(leader, "x");
  }
  server().restart(Server::Mode::immediate);
  Connection root = connect();
  EXPECT_EQ(newest_token(root, "x"), token) << "lost in the crash";
  expect_fresh_start(token);
}

}  // namespace
