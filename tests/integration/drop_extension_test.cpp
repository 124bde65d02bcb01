// DROP EXTENSION under living members, and its return.
#include <gtest/gtest.h>

#include "fault_test.hpp"
#include "wait.hpp"

namespace {

using namespace std::chrono_literals;
using namespace pgcoord::test;

class DropExtension : public FaultTest {
 protected:
  void SetUp() override {
    FaultTest::SetUp();
    root_ = std::make_unique<Connection>(connect());
  }
  void TearDown() override {
    root_.reset();
    FaultTest::TearDown();
  }
  void drop() { root_->exec("DROP EXTENSION pg_coord"); }
  void create() { root_->exec("CREATE EXTENSION pg_coord"); }

  std::unique_ptr<Connection> root_;
};

TEST_F(DropExtension, field_case_98_sessions_end_cleanly_without_it) {
  skip_journal();
  Connection leader = member("a");
  Connection heir = member("b");
  campaign(leader, "x");
  campaign(heir, "x");
  drop();
  EXPECT_EQ(leader.sqlstate_of("SELECT coord.heartbeat()"), "42883");
  EXPECT_EQ(leader.sqlstate_of("DISCARD ALL"), "00000");
  EXPECT_TRUE(terminate(*root_, leader.backend_pid(), 1s));
  EXPECT_TRUE(terminate(*root_, heir.backend_pid(), 1s));
}

TEST_F(DropExtension, field_case_98_members_of_the_old_registry_are_strangers_in_the_new_one) {
  Connection old = member("a");
  campaign(old, "x");
  drop();
  create();
  Connection young = member("b", "60 s");  // has the incarnation that the old one had
  const std::int64_t token = campaign(young, "x").token;
  const Value beat = young.value("SELECT last_heartbeat_at FROM coord.peers");
  EXPECT_EQ(old.sqlstate_of("SELECT coord.heartbeat()"), "PC001") << "it beat for another member";
  EXPECT_EQ(young.value("SELECT last_heartbeat_at FROM coord.peers"), beat);
  EXPECT_EQ(old.sqlstate_of("SELECT coord.campaign('x')"), "PC001");
  EXPECT_EQ(old.value("SELECT coord.leave()"), "f");
  EXPECT_TRUE(terminate(*root_, old.backend_pid(), 1s));
  const auto led = heartbeat(young);
  ASSERT_EQ(led.size(), 1U) << "the old session's end took another member's term";
  EXPECT_EQ(led[0].token, token);
}

TEST_F(DropExtension, field_case_98_the_same_sessions_use_the_new_one) {
  Connection one = member("a");
  Connection two = member("b");
  campaign(one, "x");
  campaign(two, "x");
  one.exec("PREPARE attempt AS SELECT * FROM coord.campaign('x')");
  one.exec("EXECUTE attempt");
  drop();
  EXPECT_NE(one.sqlstate_of("EXECUTE attempt"), "00000");
  create();
  EXPECT_EQ(one.sqlstate_of("EXECUTE attempt"), "PC001");
  join(one, "a");
  join(two, "b");
  EXPECT_EQ(one.exec("EXECUTE attempt").at(0).at(2), "t");
  EXPECT_FALSE(campaign(two, "x").is_leader);
  one.exec("SELECT coord.heartbeat('{s}', 1, 0.5)");
  EXPECT_TRUE(resign(one, "x"));
  EXPECT_EQ(heartbeat(two).size(), 1U);
  campaign(one, "x");
  EXPECT_TRUE(terminate(*root_, two.backend_pid(), 1s));
  EXPECT_EQ(heartbeat(one).size(), 1U);
  EXPECT_EQ(fence_state(one, "x", newest_token(*root_, "x")), "00000");
}

TEST_F(DropExtension, field_case_98_rolled_back_in_the_session_that_uses_it) {
  Connection leader = member("a");
  const std::string token = std::to_string(campaign(leader, "x").token);
  const std::string fence = "SELECT coord.fence('x', " + token + ")";
  leader.exec("BEGIN");
  leader.exec(fence);
  leader.exec("DROP EXTENSION pg_coord");
  leader.exec("SAVEPOINT s");
  EXPECT_EQ(leader.sqlstate_of(fence), "42883");
  leader.exec("ROLLBACK TO s");
  leader.exec("ROLLBACK");
  EXPECT_EQ(leader.sqlstate_of(fence), "00000");
  EXPECT_EQ(heartbeat(leader).size(), 1U);
  EXPECT_TRUE(resign(leader, "x"));
  EXPECT_TRUE(campaign(leader, "x").is_leader);
}

TEST_F(DropExtension, G3_fenced_transaction_that_drops_it_does_not_commit) {
  Connection leader = member("a");
  const std::string token = std::to_string(campaign(leader, "x").token);
  leader.exec("BEGIN");
  leader.exec("SELECT coord.fence('x', " + token + ")");
  leader.exec("DROP EXTENSION pg_coord");
  EXPECT_EQ(leader.sqlstate_of("COMMIT"), "PC002");
  EXPECT_EQ(heartbeat(leader).size(), 1U);
}

TEST_F(DropExtension, G8_session_that_ends_while_a_drop_is_open) {
  Connection leader = member("a");
  Connection heir = member("b");
  campaign(leader, "x");
  campaign(heir, "x");
  root_->exec("BEGIN; DROP EXTENSION pg_coord");
  Connection other = connect();
  EXPECT_TRUE(terminate(other, leader.backend_pid(), 1s));
  root_->exec("ROLLBACK");
  EXPECT_TRUE(campaign(heir, "x").is_leader);
}

TEST_F(DropExtension, field_case_100_database_is_dropped_under_members) {
  const std::string name = database() + "_victim";
  server().install(name);
  Connection leader = server().connect(name);
  Connection heir = server().connect(name);
  join(leader, "a");
  join(heir, "b");
  campaign(leader, "x");
  campaign(heir, "x");
  root_->exec("DROP DATABASE " + name + " WITH (FORCE)");
  EXPECT_TRUE(wait_until([&] { return !leader.alive() && !heir.alive(); }));
}

TEST_F(DropExtension, G2_field_case_56_deleted_row_does_not_bring_old_tokens_back) {
  skip_journal();
  Connection leader = member("a");
  std::int64_t token = 0;
  for (int round = 0; round < 5; ++round) {
    token = campaign(leader, "x").token;
    if (round < 4) resign(leader, "x");
  }
  root_->exec("DELETE FROM coord._election");
  EXPECT_TRUE(heartbeat(leader).empty());
  EXPECT_EQ(fence_state(leader, "x", token), "PC002");
  EXPECT_FALSE(resign(leader, "x"));
  const Leadership now = campaign(leader, "x");
  EXPECT_TRUE(now.is_leader);
  EXPECT_GT(now.token, token);
}

}  // namespace
