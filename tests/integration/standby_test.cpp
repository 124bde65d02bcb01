// A hot standby, and what becomes of terms when it is promoted.
#include <gtest/gtest.h>

#include "fault_test.hpp"
#include "wait.hpp"

namespace {

using namespace std::chrono_literals;
using namespace pgcoord::test;

class Standby : public FaultTest {
 protected:
  void SetUp() override {
    FaultTest::SetUp();
    leader_ = std::make_unique<Connection>(member("a"));
    token_ = campaign(*leader_, "x").token;
    standby_ = server().add_standby({"log_line_prefix = '%m [%p] %e '"});
    server().wait_replayed(*standby_);
  }
  void TearDown() override {
    leader_.reset();
    standby_.reset();
    FaultTest::TearDown();
  }
  Connection on_standby() const { return standby_->connect(database()); }

  /// From here on the standby gets nothing more.
  void disconnect() {
    Connection there = on_standby();
    there.exec("ALTER SYSTEM SET primary_conninfo = ''");
    standby_->reload();
    ASSERT_TRUE(wait_until([&] { return there.exec("SELECT FROM pg_stat_wal_receiver").empty(); }));
  }

  void expect_promotion_raises_tokens(std::int64_t highest) {
    standby_->promote();
    Connection root = on_standby();
    EXPECT_EQ(leader_of(root, "x"), std::nullopt);
    EXPECT_EQ(fence_state(root, "x", highest), "PC002");
    EXPECT_EQ(fence_state(root, "x", token_), "PC002");
    Connection next = on_standby();
    join(next, "c");
    const Leadership now = campaign(next, "x");
    EXPECT_TRUE(now.is_leader);
    EXPECT_GT(now.token, highest);
    EXPECT_EQ(fence_state(root, "x", highest), "PC002");
    EXPECT_EQ(fence_state(root, "x", now.token), "00000");
  }

  std::unique_ptr<Connection> leader_;
  std::unique_ptr<Server> standby_;
  std::int64_t token_ = 0;
};

TEST_F(Standby, field_case_118_calls_are_refused_and_leave_nothing) {
  Connection session = on_standby();
  for (const char* call :
       {"SELECT coord.join('b')", "SELECT coord.heartbeat()", "SELECT coord.leave()", "SELECT coord.sweep()",
        "SELECT coord.campaign('x')", "SELECT coord.try_acquire('x')", "SELECT coord.resign('x')",
        "SELECT coord.withdraw('x')", "SELECT coord.depose('x')", "SELECT * FROM coord.leader('x')",
        "SELECT coord.fence('x', 1)", "SELECT coord.guard_table('coord._epoch', 'x')",
        "SELECT coord.announce_shutdown('graceful')", "SELECT coord.drain('a')",
        "SELECT coord.remove_member('a')", "SELECT coord.assign('a', '{s}', 'x', 1)"})
    EXPECT_EQ(session.sqlstate_of(call), "25006") << call;
  EXPECT_EQ(session.exec("SELECT * FROM pg_locks WHERE locktype IN ('userlock', 'advisory')"), Rows{});
  EXPECT_EQ(session.exec("SELECT l.relation::regclass FROM pg_locks l JOIN pg_class c ON c.oid = l.relation"
                         " WHERE c.relnamespace = 'coord'::regnamespace"),
            Rows{});
  EXPECT_EQ(session.value("SELECT 1"), "1");
}

TEST_F(Standby, field_case_122_views_answer_and_know_nobody_alive) {
  Connection session = on_standby();
  session.exec("SET default_transaction_isolation = 'repeatable read'");
  EXPECT_EQ(session.exec("SELECT leader, leader_pid, token FROM coord.elections"),
            (Rows{{std::nullopt, std::nullopt, std::to_string(token_)}}));
  EXPECT_EQ(session.exec("SELECT instance_id, status, session_pid FROM coord.peers"),
            (Rows{{"a", "unknown", std::nullopt}}));
  EXPECT_EQ(session.value("SELECT leader FROM coord.leadership_log"), "a");
  for (const char* view : {"candidates", "assignments", "orphaned_subscriptions", "locks"})
    EXPECT_EQ(session.exec("SELECT * FROM coord." + std::string(view)), Rows{}) << view;
}

TEST_F(Standby, field_case_122_views_answer_while_replay_is_paused_and_never_by_locks_of_the_standby) {
  Connection session = on_standby();
  session.exec("SELECT pg_wal_replay_pause()");
  Connection root = connect();
  resign(*leader_, "x");
  const std::int64_t newer = campaign(*leader_, "x").token;
  ASSERT_GT(newer, token_);
  EXPECT_EQ(session.value("SELECT token FROM coord.elections"), std::to_string(token_))
      << "what is known there";
  EXPECT_EQ(session.value("SELECT leader FROM coord.elections"), std::nullopt);
  EXPECT_EQ(session.value("SELECT status FROM coord.peers"), "unknown");
  session.exec("SELECT pg_advisory_lock(1)");
  EXPECT_EQ(session.exec("SELECT key, instance_id FROM coord.locks"), (Rows{{std::nullopt, std::nullopt}}));
  session.exec("SELECT pg_wal_replay_resume()");
  EXPECT_TRUE(wait_until(
      [&] { return session.value("SELECT token FROM coord.elections") == std::to_string(newer); }));
  EXPECT_EQ(session.value("SELECT leader FROM coord.elections"), std::nullopt);
}

TEST_F(Standby, G2_promoted_standby_that_has_replayed_everything) { expect_promotion_raises_tokens(token_); }

TEST_F(Standby, G2_promoted_standby_that_missed_the_last_grants) {
  disconnect();
  std::int64_t highest = 0;
  for (int round = 0; round < 20; ++round) {
    resign(*leader_, "x");
    highest = campaign(*leader_, "x").token;
  }
  expect_promotion_raises_tokens(highest);
}

TEST_F(Standby, G2_promoted_standby_whose_replay_was_paused) {
  Connection there = on_standby();
  there.exec("SELECT pg_wal_replay_pause()");
  resign(*leader_, "x");
  expect_promotion_raises_tokens(campaign(*leader_, "x").token);
}

TEST_F(Standby, G2_promoted_standby_that_missed_a_new_epoch) {
  disconnect();
  Connection root = connect();
  root.exec("UPDATE coord._epoch SET registry = 0");  // what a restore in place leaves behind
  Connection next = member("b");
  std::int64_t highest = 0;
  for (int round = 0; round < 20; ++round) {
    highest = campaign(next, "x").token;
    resign(next, "x");
  }
  ASSERT_GT(highest, token_ + 1000) << "no new epoch";
  expect_promotion_raises_tokens(highest);
}

}  // namespace
