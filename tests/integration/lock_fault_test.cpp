// The registry is locked by maintenance, or by hand, while a leader dies.
#include <gtest/gtest.h>

#include "fault_test.hpp"
#include "wait.hpp"

namespace {

using namespace std::chrono_literals;
using namespace pgcoord::test;
using std::chrono::steady_clock;

/// What somebody holds in an open transaction.
struct Obstacle {
  const char* name;
  const char* statement;
  friend std::ostream& operator<<(std::ostream& out, const Obstacle& obstacle) {
    return out << obstacle.statement;
  }
};

class LockFault : public FaultTest, public testing::WithParamInterface<Obstacle> {};

TEST_P(LockFault, G8_leader_s_backend_ends_at_once_and_leadership_moves_after_the_lock_goes) {
  Connection leader = member("a");
  Connection heir = listener("b");
  const std::int64_t token = campaign(leader, "x").token;
  campaign(heir, "x");
  Connection root = connect();
  Connection locker = connect();
  locker.exec(std::string{"BEGIN; "} + GetParam().statement);
  EXPECT_TRUE(terminate(root, leader.backend_pid(), 1s)) << "the dying session waits";

  // Whatever the lock lets through: it answers in time, or says in time that it cannot.
  heir.exec("SET lock_timeout = '200ms'");
  for (const char* call :
       {"SELECT coord.campaign('x')", "SELECT coord.heartbeat()", "SELECT coord.sweep()"}) {
    const auto begin = steady_clock::now();
    const std::string state = heir.sqlstate_of(call);
    EXPECT_TRUE(state == "00000" || state == "55P03") << call << ": " << state;
    EXPECT_LT(steady_clock::now() - begin, 1s) << call;
  }
  locker.exec("ROLLBACK");
  const auto leads = [&] { return campaign(heir, "x").is_leader; };
  EXPECT_TRUE(wait_until(leads, 1s));
  EXPECT_GT(newest_token(root, "x"), token);
}

INSTANTIATE_TEST_SUITE_P(
    Locked, LockFault,
    testing::Values(
        Obstacle{"table_epoch", "LOCK TABLE coord._epoch"},
        Obstacle{"table_member", "LOCK TABLE coord._member"},
        Obstacle{"table_beat", "LOCK TABLE coord._beat"},
        Obstacle{"table_election", "LOCK TABLE coord._election"},
        Obstacle{"table_candidate", "LOCK TABLE coord._candidate"},
        Obstacle{"table_change", "LOCK TABLE coord._change"},
        Obstacle{"table_assignment", "LOCK TABLE coord._assignment"},
        Obstacle{"table_lock", "LOCK TABLE coord._lock"},
        Obstacle{"every_table",
                 "LOCK TABLE coord._epoch, coord._member, coord._beat, coord._election, coord._candidate,"
                 " coord._change"},
        Obstacle{"tables_against_writers", "LOCK TABLE coord._election, coord._candidate IN SHARE MODE"},
        Obstacle{"row_of_the_election", "SELECT FROM coord._election FOR UPDATE"},
        Obstacle{"rows_of_candidates", "SELECT FROM coord._candidate FOR UPDATE"},
        Obstacle{"rows_of_members", "SELECT FROM coord._member FOR UPDATE"},
        Obstacle{"rows_of_beats", "SELECT FROM coord._beat FOR UPDATE"},
        Obstacle{"row_of_the_epoch", "SELECT FROM coord._epoch FOR UPDATE"},
        Obstacle{"changed_election", "UPDATE coord._election SET term = term"},
        Obstacle{"changed_candidates", "UPDATE coord._candidate SET priority = priority"},
        Obstacle{"index_of_elections", "ALTER INDEX coord._election_pkey SET TABLESPACE pg_default"},
        Obstacle{"index_of_leaders", "ALTER INDEX coord._election_leader SET TABLESPACE pg_default"},
        Obstacle{"index_of_candidates", "ALTER INDEX coord._candidate_incarnation SET TABLESPACE pg_default"},
        Obstacle{"index_of_members", "ALTER INDEX coord._member_incarnation_key SET TABLESPACE pg_default"},
        Obstacle{"index_of_beats", "ALTER INDEX coord._beat_pkey SET TABLESPACE pg_default"},
        Obstacle{"index_of_changes", "ALTER INDEX coord._change_pkey SET TABLESPACE pg_default"},
        Obstacle{"sequence_of_changes", "ALTER SEQUENCE coord._change_event_id_seq CACHE 1"}),
    [](const auto& info) { return info.param.name; });

using Maintenance = FaultTest;

TEST_F(Maintenance, field_case_70_nobody_is_evicted_when_a_long_lock_goes) {
  Connection leader = member("a", "1 s");
  Connection other = member("b", "1 s");
  const std::int64_t token = campaign(leader, "x").token;
  campaign(other, "x");
  Connection locker = connect();
  locker.exec("BEGIN; LOCK TABLE coord._beat");
  for (int tries = 0; tries < 2; ++tries) {
    EXPECT_EQ(leader.sqlstate_of("SELECT coord.heartbeat()"), "55P03");
    EXPECT_EQ(other.sqlstate_of("SELECT coord.heartbeat()"), "55P03");
  }
  locker.exec("ROLLBACK");
  sweep(other);
  const auto led = heartbeat(leader);
  ASSERT_EQ(led.size(), 1U) << "evicted by somebody who could not look either";
  EXPECT_EQ(led[0].token, token);
}

TEST_F(Maintenance, field_case_70_a_rewrite_that_waits_for_a_reader_holds_calls_up_within_their_bound) {
  Connection leader = member("a");
  Connection other = member("b");
  const std::int64_t token = campaign(leader, "x").token;
  campaign(other, "x");
  Connection root = connect();
  for (const std::string table : {"_beat", "_member", "_election"}) {
    Connection reader = connect();
    reader.exec("BEGIN; SELECT count(*) FROM coord." + table);
    Connection rewriter = connect();
    rewriter.send("VACUUM FULL coord." + table);
    ASSERT_TRUE(wait_until([&] { return waits_for(root, rewriter.backend_pid(), "relation"); }));
    for (const char* call : {"SELECT coord.heartbeat()", "SELECT coord.campaign('x')"}) {
      const auto begin = steady_clock::now();
      const std::string state = leader.sqlstate_of(call);
      EXPECT_TRUE(state == "00000" || state == "55P03") << table << ": " << state;
      EXPECT_LT(steady_clock::now() - begin, 3s) << call << " behind " << table;
    }
    reader.exec("COMMIT");
    rewriter.finish();
  }
  const auto led = heartbeat(leader);
  ASSERT_EQ(led.size(), 1U);
  EXPECT_EQ(led[0].token, token);
}

TEST_F(Maintenance, G8_timeouts_of_the_session_count_where_they_are_shorter) {
  Connection holder = member("a");
  Connection waiting = member("b");
  Connection root = connect();
  holder.send("SELECT coord.campaign('x'), pg_sleep(60)");
  ASSERT_TRUE(wait_until([&] { return waits_for(root, holder.backend_pid(), "PgSleep"); }));
  const auto expect_end = [&](const char* setting, const char* state, std::chrono::milliseconds bound) {
    waiting.exec(setting);
    const auto begin = steady_clock::now();
    EXPECT_EQ(waiting.sqlstate_of("SELECT coord.campaign('x')"), state) << setting;
    EXPECT_LT(steady_clock::now() - begin, bound) << setting;
    EXPECT_GE(steady_clock::now() - begin, bound - 400ms) << setting;
    waiting.exec("RESET ALL");
  };
  expect_end("SET lock_timeout = '200ms'", "55P03", 600ms);
  expect_end("SET statement_timeout = '200ms'", "57014", 600ms);
  expect_end("SET lock_timeout = '10s'", "55P03", 1400ms);
  EXPECT_EQ(waiting.value("SHOW lock_timeout"), "0");
  EXPECT_TRUE(terminate(root, holder.backend_pid(), 1s));
  EXPECT_TRUE(campaign(waiting, "x").is_leader);
}

TEST_F(Maintenance, field_case_115_members_beat_under_a_publication_for_all_tables) {
  connect().exec("CREATE PUBLICATION everything FOR ALL TABLES");
  Connection leader = member("a");
  Connection heir = listener("b");
  campaign(leader, "x");
  campaign(heir, "x");
  leader.exec("SELECT coord.heartbeat('{s}', 3, 0.5)");
  EXPECT_EQ(heartbeat(leader).size(), 1U);
  EXPECT_TRUE(resign(leader, "x"));
  EXPECT_EQ(leader.value("SELECT coord.leave()"), "t");
  Connection root = connect();
  EXPECT_TRUE(terminate(root, heir.backend_pid()));
  EXPECT_EQ(root.value("SELECT count(*) FROM coord.leadership_log"), "3");
}

}  // namespace
