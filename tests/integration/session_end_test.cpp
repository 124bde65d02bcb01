// However a leader's session ends, the next in the queue leads at once, and is told.
#include <gtest/gtest.h>

#include <csignal>

#include "fault_test.hpp"
#include "psql.hpp"
#include "wait.hpp"

namespace {

using namespace std::chrono_literals;
using namespace pgcoord::test;

class SessionEnd : public FaultTest {
 protected:
  /// That `heir` is told within a second that it leads after `old_token`, by one notice, and that it is true.
  static void expect_succession(Connection& heir, const std::string& name, std::int64_t old_token) {
    const auto notice = next_notice(heir, "x", 1s);
    ASSERT_TRUE(notice.has_value()) << "nobody told " << name;
    EXPECT_EQ(notice->leader, name);
    EXPECT_EQ(notice->previous, "a");
    EXPECT_EQ(notice->cause, "session_end");
    EXPECT_GT(notice->token, old_token);
    const auto led = heartbeat(heir);
    ASSERT_EQ(led.size(), 1U);
    EXPECT_EQ(led[0].token, notice->token);
    EXPECT_EQ(leader_of(heir, "x"), name);
    EXPECT_FALSE(next_notice(heir, "x", 50ms).has_value()) << "told twice";
  }

  void expect_succession_after_kill(const std::string& conninfo) {
    Psql client{conninfo};
    ASSERT_EQ(client.ask("SELECT coord.join('a')").sqlstate, "00000");
    const std::int64_t token = std::stoll(client.ask("SELECT token FROM coord.campaign('x')").text);
    Connection heir = listener("b");
    EXPECT_FALSE(campaign(heir, "x").is_leader);
    client.process().kill(SIGKILL);
    expect_succession(heir, "b", token);
  }
};

TEST_F(SessionEnd, G6_field_case_47_client_killed_over_tcp) {
  allow_in_log("connection to client lost");
  expect_succession_after_kill(server().conninfo(database()));
}

TEST_F(SessionEnd, G6_field_case_47_client_killed_over_socket) {
  expect_succession_after_kill(server().socket_conninfo(database()));
}

TEST_F(SessionEnd, G6_field_case_50_client_goes_without_a_word) {
  auto leader = std::make_unique<Connection>(member("a"));
  const std::int64_t token = campaign(*leader, "x").token;
  Connection heir = listener("b");
  campaign(heir, "x");
  leader->sever();
  expect_succession(heir, "b", token);
}

/// What the leader does before, or while, it is terminated.
struct LastWords {
  const char* name;
  const char* settled;  // statements that end
  const char* endless;  // one that does not, or null
  friend std::ostream& operator<<(std::ostream& out, const LastWords& words) { return out << words.settled; }
};

class Terminated : public SessionEnd, public testing::WithParamInterface<LastWords> {};

TEST_P(Terminated, G6_next_candidate_leads) {
  Connection leader = member("a");
  const std::int64_t token = campaign(leader, "x").token;
  Connection heir = listener("b");
  campaign(heir, "x");
  Connection root = connect();
  leader.sqlstate_of(GetParam().settled);
  if (GetParam().endless) leader.send(GetParam().endless);
  EXPECT_TRUE(terminate(root, leader.backend_pid(), 1s));
  expect_succession(heir, "b", token);
}

INSTANTIATE_TEST_SUITE_P(
    Doing, Terminated,
    testing::Values(
        LastWords{"nothing", "SELECT 1", nullptr},
        LastWords{"a_statement", "SELECT 1", "SELECT pg_sleep(60)"},
        LastWords{"an_open_transaction", "BEGIN; CREATE TABLE t (x int)", nullptr},
        LastWords{"a_fenced_transaction",
                  "CREATE TABLE t (x int); BEGIN;"
                  " SELECT coord.fence(election, token) FROM coord.elections; INSERT INTO t VALUES (1)",
                  nullptr},
        LastWords{"a_failed_transaction", "BEGIN; SAVEPOINT s; SELECT 1 / 0", nullptr},
        LastWords{"a_copy", "CREATE TABLE t (x int)", "COPY t FROM STDIN"},
        LastWords{
            "read_only_serializable_deferrable",
            "SET SESSION CHARACTERISTICS AS TRANSACTION READ ONLY, ISOLATION LEVEL SERIALIZABLE, DEFERRABLE",
            nullptr},
        LastWords{"a_read_only_transaction", "BEGIN ISOLATION LEVEL SERIALIZABLE, READ ONLY; SELECT 1",
                  nullptr},
        LastWords{"odd_settings",
                  "SELECT set_config(name, 'on', false) FROM pg_settings"
                  " WHERE name IN ('force_parallel_mode', 'debug_parallel_query');"
                  " SET search_path = ''; SET lock_timeout = 1; SET statement_timeout = 1;"
                  " SET work_mem = '64kB'; SET plan_cache_mode = force_custom_plan",
                  nullptr},
        LastWords{"jit_for_everything",
                  "SET jit = on; SET jit_above_cost = 0; SET jit_inline_above_cost = 0;"
                  " SET jit_optimize_above_cost = 0",
                  nullptr},
        LastWords{"a_lost_role", "CREATE ROLE gone; SET ROLE gone", nullptr},
        LastWords{"a_serializable_transaction",
                  "BEGIN ISOLATION LEVEL SERIALIZABLE; SELECT count(*) FROM coord._election", nullptr}),
    [](const auto& info) { return info.param.name; });

TEST_F(SessionEnd, G6_a_client_that_reads_nothing_holds_nobody_up) {
  Connection leader = member("a");
  const std::int64_t token = campaign(leader, "x").token;
  Connection heir = listener("b");
  campaign(heir, "x");
  Connection root = connect();
  leader.send("SELECT repeat('x', 1000000) FROM generate_series(1, 1000)");
  ASSERT_TRUE(wait_until([&] { return waits_for(root, leader.backend_pid(), "ClientWrite"); }));
  root.exec("SELECT pg_terminate_backend($1::int)", {std::to_string(leader.backend_pid())});
  expect_succession(heir, "b", token);
}

TEST_F(SessionEnd, G6_field_case_20_leader_dies_of_an_idle_transaction) {
  allow_in_log("idle-in-transaction timeout");
  Connection leader = member("a");
  const std::int64_t token = campaign(leader, "x").token;
  Connection heir = listener("b");
  campaign(heir, "x");
  leader.exec("SET idle_in_transaction_session_timeout = '50ms'");
  leader.exec("BEGIN");
  expect_succession(heir, "b", token);
}

TEST_F(SessionEnd, G6_defaults_of_the_role_do_not_matter) {
  Connection root = connect();
  root.exec("CREATE ROLE strict LOGIN SUPERUSER");
  const std::string conninfo = server().conninfo(database()) + " user=strict";
  root.exec("ALTER ROLE strict SET default_transaction_isolation = 'serializable'");
  root.exec("ALTER ROLE strict SET default_transaction_deferrable = on");
  root.exec("ALTER ROLE strict SET synchronous_commit = off");
  Connection leader{conninfo};
  join(leader, "a");
  const std::int64_t token = campaign(leader, "x").token;
  Connection heir{conninfo};
  join(heir, "b");
  listen(heir);
  campaign(heir, "x");
  root.exec("ALTER DATABASE " + database() + " SET default_transaction_read_only = on");
  leader.exec("SET default_transaction_read_only = on");
  EXPECT_TRUE(terminate(root, leader.backend_pid(), 1s));
  expect_succession(heir, "b", token);
}

TEST_F(SessionEnd, G9_objects_of_the_session_s_search_path_are_not_run) {
  Connection root = connect();
  root.exec("CREATE ROLE sly LOGIN");
  root.exec("CREATE SCHEMA sly AUTHORIZATION sly");
  root.exec("SELECT coord.grant_access('sly', 'member')");
  root.exec("CREATE TABLE sly.seen (who text); GRANT ALL ON sly.seen TO PUBLIC");
  Connection leader{server().conninfo(database()) + " user=sly"};
  join(leader, "a");
  leader.exec(
      "CREATE FUNCTION sly.seen() RETURNS void LANGUAGE sql AS $$INSERT INTO sly.seen VALUES "
      "(current_user)$$;"
      "CREATE FUNCTION sly.clock_timestamp() RETURNS timestamptz LANGUAGE plpgsql AS"
      " $$BEGIN PERFORM sly.seen(); RETURN pg_catalog.clock_timestamp(); END$$;"
      "CREATE FUNCTION sly.equal(text, text) RETURNS boolean LANGUAGE plpgsql AS"
      " $$BEGIN PERFORM sly.seen(); RETURN pg_catalog.texteq($1, $2); END$$;"
      "CREATE FUNCTION sly.equal(bigint, bigint) RETURNS boolean LANGUAGE plpgsql AS"
      " $$BEGIN PERFORM sly.seen(); RETURN pg_catalog.int8eq($1, $2); END$$;"
      "CREATE OPERATOR sly.= (LEFTARG = text, RIGHTARG = text, FUNCTION = sly.equal);"
      "CREATE OPERATOR sly.= (LEFTARG = bigint, RIGHTARG = bigint, FUNCTION = sly.equal)");
  const std::int64_t token = campaign(leader, "x").token;
  Connection heir = listener("b");
  campaign(heir, "x");
  leader.exec("SET search_path = sly, pg_catalog");
  EXPECT_TRUE(terminate(root, leader.backend_pid(), 1s));
  expect_succession(heir, "b", token);
  EXPECT_EQ(root.exec("SELECT who FROM sly.seen"), Rows{})
      << "a member's function ran with the owner's rights";
}

TEST_F(SessionEnd, G7_session_that_holds_an_election_s_turn_is_terminated) {
  Connection holder = member("a");
  Connection waiting = member("b");
  Connection root = connect();
  holder.send("SELECT coord.campaign('x'), pg_sleep(60)");
  ASSERT_TRUE(wait_until([&] { return waits_for(root, holder.backend_pid(), "PgSleep"); }));
  EXPECT_EQ(leader_of(root, "x"), std::nullopt) << "believed before it was committed";
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_EQ(waiting.sqlstate_of("SELECT coord.campaign('x')"), "55P03");
  EXPECT_LT(std::chrono::steady_clock::now() - begin, 1500ms);
  EXPECT_TRUE(terminate(root, holder.backend_pid(), 1s));
  EXPECT_TRUE(campaign(waiting, "x").is_leader);
}

TEST_F(SessionEnd, G6_leader_and_first_candidate_die_together) {
  Connection root = connect();
  Connection third = listener("c");
  for (int round = 0; round < 15; ++round) {
    Connection leader = member("a");
    Connection second = member("b");
    ASSERT_TRUE(campaign(leader, "x").is_leader);
    campaign(second, "x", 1);
    const std::int64_t token = newest_token(root, "x");
    campaign(third, "x");
    root.exec(
        "SELECT pg_terminate_backend(pid) FROM unnest($1::int[]) AS pid",
        {"{" + std::to_string(leader.backend_pid()) + "," + std::to_string(second.backend_pid()) + "}"});
    // Told of its own term, or of another change and then it looks; a candidate sweeps every second anyway.
    const auto notice = next_notice(third, "x", 1s);
    if (!notice || notice->leader != "c") sweep(third);
    ASSERT_TRUE(wait_until([&] { return sweep(third), leader_of(root, "x") == "c"; }, 1s))
        << "round " << round;
    ASSERT_GT(newest_token(root, "x"), token);
    ASSERT_TRUE(resign(third, "x"));
    while (third.notification(0ms)) continue;
  }
}

}  // namespace
