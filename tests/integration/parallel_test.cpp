// Parallel plans: state belongs to one process.
#include <gtest/gtest.h>

#include "fault_test.hpp"

namespace {

using namespace pgcoord::test;

class Parallel : public FaultTest {
 public:
  static void SetUpTestSuite() {
    start_server({"parallel_setup_cost = 0", "parallel_tuple_cost = 0", "min_parallel_table_scan_size = 0",
                  "max_parallel_workers_per_gather = 2"});
    Connection root = server().connect();
    const auto force = root.value(  // called so until PostgreSQL 15, and since 16
        "SELECT name FROM pg_settings WHERE name IN ('force_parallel_mode', 'debug_parallel_query')");
    root.exec("ALTER ROLE postgres SET " + force.value() + " = on");
  }
};

TEST_F(Parallel, field_case_97_calls_run_in_the_session_s_own_process) {
  Connection session = member("a");
  const Leadership held = campaign(session, "x");
  EXPECT_TRUE(held.is_leader);
  session.exec("CREATE TABLE big AS SELECT i FROM generate_series(1, 10000) AS i");
  session.exec("ANALYZE big");
  EXPECT_EQ(heartbeat(session).size(), 1U);
  EXPECT_EQ(session.value("SELECT count(*) FROM big, coord.leader('x') AS l WHERE l.is_leader"), "10000");
  EXPECT_EQ(session.value("SELECT count(*) FROM big, coord.elections WHERE leader = 'a'"), "10000");
  EXPECT_EQ(session.value("SELECT count(*) FROM big, coord.peers WHERE status = 'healthy'"), "10000");
  session.exec("SELECT count(coord.fence('x', " + std::to_string(held.token) + ")) FROM big WHERE i < 10");
  EXPECT_TRUE(resign(session, "x"));
}

TEST_F(Parallel, field_case_97_a_wrapper_labelled_safe_raises_in_a_worker) {
  Connection session = member("a");
  const std::string token = std::to_string(campaign(session, "x").token);
  session.exec("CREATE TABLE big AS SELECT i FROM generate_series(1, 10000) AS i");
  session.exec("ANALYZE big");
  for (const std::string& call : {"coord.fence('x', " + token + ")", std::string{"coord.campaign('x')"},
                                  std::string{"coord.resign('x')"}, std::string{"coord.sweep()"}}) {
    session.exec(
        "CREATE OR REPLACE FUNCTION liar() RETURNS text LANGUAGE plpgsql PARALLEL SAFE AS"
        " $$BEGIN PERFORM " +
        call + "; RETURN 'done'; END$$");
    EXPECT_EQ(session.sqlstate_of("SELECT count(*) FROM big WHERE liar() = 'done' AND i > 0"), "25000")
        << call;
  }
  EXPECT_EQ(heartbeat(session).size(), 1U);
}

}  // namespace
