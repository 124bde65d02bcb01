// A take-over between a fenced write and its COMMIT.
#include <gtest/gtest.h>

#include "fault_test.hpp"
#include "wait.hpp"

namespace {

using namespace std::chrono_literals;
using namespace pgcoord::test;
using std::chrono::steady_clock;

class FenceCommit : public FaultTest, public testing::WithParamInterface<const char*> {
 protected:
  void SetUp() override {
    FaultTest::SetUp();
    root_ = std::make_unique<Connection>(connect());
    root_->exec("CREATE TABLE written (token bigint)");
    leader_ = std::make_unique<Connection>(member("a"));
    token_ = campaign(*leader_, "x").token;
  }
  void TearDown() override {
    leader_.reset();
    root_.reset();
    FaultTest::TearDown();
  }

  std::string token() const { return std::to_string(token_); }
  void write_fenced(Connection& session, const std::string& isolation) const {
    session.exec("BEGIN ISOLATION LEVEL " + isolation);
    session.exec("SELECT coord.fence('x', " + token() + ")");
    session.exec("INSERT INTO written VALUES (" + token() + ")");
  }
  Connection queued() const {
    Connection heir = member("b");
    campaign(heir, "x");
    return heir;
  }
  void expect_nothing_written() { EXPECT_EQ(root_->exec("SELECT * FROM written"), Rows{}); }

  std::unique_ptr<Connection> root_;
  std::unique_ptr<Connection> leader_;
  std::int64_t token_ = 0;
};

TEST_P(FenceCommit, G3_field_case_55_write_before_a_deposition_never_commits) {
  const Connection heir = queued();
  Connection writer = connect();
  write_fenced(writer, GetParam());
  const auto begin = steady_clock::now();
  EXPECT_TRUE(depose(*root_, "x"));
  EXPECT_LT(steady_clock::now() - begin, 900ms) << "the take-over waited for an open transaction";
  EXPECT_EQ(writer.sqlstate_of("COMMIT"), "PC002");
  expect_nothing_written();
}

TEST_P(FenceCommit, G3_write_before_the_end_of_the_leader_s_session_never_commits) {
  const Connection heir = queued();
  Connection writer = connect();
  write_fenced(writer, GetParam());
  EXPECT_TRUE(terminate(*root_, leader_->backend_pid(), 1s));
  EXPECT_EQ(leader_of(*root_, "x"), "b");
  EXPECT_EQ(writer.sqlstate_of("COMMIT"), "PC002");
  expect_nothing_written();
}

TEST_P(FenceCommit, G3_write_before_a_resignation_without_successor_never_commits) {
  Connection writer = connect();
  write_fenced(writer, GetParam());
  EXPECT_TRUE(resign(*leader_, "x"));
  EXPECT_EQ(writer.sqlstate_of("COMMIT"), "PC002");
  expect_nothing_written();
}

TEST_P(FenceCommit, G3_old_term_of_the_same_leader_never_commits) {
  Connection writer = connect();
  write_fenced(writer, GetParam());
  EXPECT_TRUE(resign(*leader_, "x"));
  EXPECT_TRUE(campaign(*leader_, "x").is_leader);
  EXPECT_EQ(writer.sqlstate_of("COMMIT"), "PC002");
  expect_nothing_written();
}

TEST_P(FenceCommit, G3_write_in_a_standing_term_commits_and_heartbeats_go_on) {
  Connection writer = connect();
  write_fenced(writer, GetParam());
  EXPECT_EQ(heartbeat(*leader_).size(), 1U);
  EXPECT_EQ(writer.sqlstate_of("COMMIT"), "00000");
  EXPECT_EQ(root_->value("SELECT token FROM written"), token());
}

TEST_P(FenceCommit, G3_fence_outlives_a_rolled_back_savepoint) {
  Connection writer = connect();
  writer.exec(std::string{"BEGIN ISOLATION LEVEL "} + GetParam());
  writer.exec("SAVEPOINT s");
  writer.exec("SELECT coord.fence('x', " + token() + ")");
  writer.exec("ROLLBACK TO s");
  writer.exec("INSERT INTO written VALUES (1)");
  EXPECT_TRUE(depose(*root_, "x"));
  EXPECT_EQ(writer.sqlstate_of("COMMIT"), "PC002");
  expect_nothing_written();
  EXPECT_EQ(writer.sqlstate_of("INSERT INTO written VALUES (2)"), "00000")
      << "the fence outlived its transaction";
}

INSTANTIATE_TEST_SUITE_P(Isolation, FenceCommit,
                         testing::Values("READ COMMITTED", "REPEATABLE READ", "SERIALIZABLE"),
                         [](const auto& info) {
                           std::string name = info.param;
                           std::replace(name.begin(), name.end(), ' ', '_');
                           return name;
                         });

TEST_F(FenceCommit, G3_commit_inside_a_procedure_is_checked) {
  Connection writer = connect();
  writer.send("DO $$ BEGIN PERFORM coord.fence('x', " + token() + "); INSERT INTO written VALUES (1);" +
              " PERFORM pg_sleep(60) WHERE EXISTS (SELECT FROM coord.elections WHERE token = " + token() +
              ");" + " COMMIT; END $$");
  ASSERT_TRUE(wait_until([&] { return waits_for(*root_, writer.backend_pid(), "PgSleep"); }));
  EXPECT_TRUE(depose(*root_, "x"));
  writer.cancel();
  EXPECT_THROW(writer.finish(), SqlError);
  expect_nothing_written();
  const std::string stale = "DO $$ BEGIN PERFORM coord.fence('x', " + token() + "); COMMIT; END $$";
  EXPECT_EQ(writer.sqlstate_of(stale), "PC002");
  const std::string moved =
      "DO $$ DECLARE t bigint; BEGIN SELECT token INTO t FROM coord.elections; PERFORM coord.fence('x', t);"
      " INSERT INTO written VALUES (t); COMMIT; END $$";
  EXPECT_EQ(writer.sqlstate_of(moved), "PC002") << "nobody leads";
  EXPECT_TRUE(campaign(*leader_, "x").is_leader);
  EXPECT_EQ(writer.sqlstate_of(moved), "00000");
}

TEST_F(FenceCommit, G3_every_one_of_several_fences_is_checked) {
  campaign(*leader_, "y");
  const std::string other = std::to_string(newest_token(*root_, "y"));
  Connection writer = connect();
  writer.exec("BEGIN");
  writer.exec("SELECT coord.fence('y', " + other + "), coord.fence('x', " + token() + ")");
  writer.exec("INSERT INTO written VALUES (1)");
  EXPECT_TRUE(depose(*root_, "y"));
  EXPECT_EQ(writer.sqlstate_of("COMMIT"), "PC002");
  expect_nothing_written();
}

}  // namespace
