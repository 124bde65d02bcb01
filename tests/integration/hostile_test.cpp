// What a hostile or unlucky member's statements did once.
#include <gtest/gtest.h>

#include "fault_test.hpp"
#include "wait.hpp"

namespace {

using namespace std::chrono_literals;
using namespace pgcoord::test;

class Hostile : public FaultTest {
 public:
  static void SetUpTestSuite() { start_server({"wal_writer_delay = '10s'"}); }
};

TEST_F(Hostile, G2_statement_around_a_grant_cannot_take_its_durability_away) {
  allow_in_log("terminated by signal|recovery|not properly shut down|aborting|terminating|interrupted");
  std::int64_t token = 0;
  {
    Connection leader = member("a");
    token = std::stoll(*leader.value(
        "SELECT token, set_config('synchronous_commit', 'off', true) FROM coord.campaign('x')"));
    server().stop(Server::Mode::immediate);
  }
  server().start();
  Connection heir = member("b");
  EXPECT_GT(campaign(heir, "x").token, token);
}

TEST_F(Hostile, G2_wrapper_with_settings_of_its_own_cannot_either) {
  allow_in_log("terminated by signal|recovery|not properly shut down|aborting|terminating|interrupted");
  std::int64_t token = 0;
  {
    Connection leader = member("a");
    leader.exec(
        "CREATE FUNCTION wrapped() RETURNS bigint LANGUAGE sql SET synchronous_commit = 'on'"
        " AS $$SELECT token FROM coord.campaign('x')$$");
    leader.exec("SET synchronous_commit = off");
    token = std::stoll(*leader.value("SELECT wrapped()"));
    server().stop(Server::Mode::immediate);
  }
  server().start();
  Connection heir = member("b");
  EXPECT_GT(campaign(heir, "x").token, token);
}

TEST_F(Hostile, G1_epoch_of_a_rolled_back_statement_is_not_believed) {
  Connection first = member("a");
  EXPECT_EQ(first.sqlstate_of("SELECT coord.campaign('x'), coord.campaign('y'), 1 / (random() * 0)::int"),
            "22012");
  const Leadership led = campaign(first, "x");
  EXPECT_TRUE(led.is_leader);
  Connection other = member("b");
  EXPECT_EQ(leader_of(other, "x"), "a");
  EXPECT_EQ(fence_state(other, "x", led.token), "00000");
  EXPECT_FALSE(campaign(other, "x").is_leader);
}

TEST_F(Hostile, G3_fence_of_a_dropped_registry_does_not_commit_in_its_successor) {
  skip_journal();
  Connection leader = member("a");
  const std::int64_t token = campaign(leader, "x").token;
  Connection writer = connect();
  writer.exec("CREATE TABLE written (i int)");
  writer.exec("BEGIN");
  writer.exec("SELECT coord.fence('x', $1)", {std::to_string(token)});
  writer.exec("INSERT INTO written VALUES (1)");
  Connection root = connect();
  root.exec("DROP EXTENSION pg_coord CASCADE");
  root.exec("CREATE SCHEMA IF NOT EXISTS coord");
  root.exec("CREATE TABLE coord._election (election int, epoch text, term text, leader_incarnation text)");
  EXPECT_EQ(writer.sqlstate_of("COMMIT"), "PC002");
  EXPECT_EQ(root.value("SELECT count(*) FROM written"), "0");
}

TEST_F(Hostile, G8_campaign_that_changes_nothing_holds_nobody_up) {
  Connection leader = member("a");
  Connection heir = member("b");
  campaign(leader, "x");
  campaign(heir, "x");
  Connection gate = connect();
  gate.exec("SELECT pg_advisory_lock(1)");
  leader.send("SELECT coord.campaign('x'), pg_advisory_lock(1)");
  Connection root = connect();
  ASSERT_TRUE(wait_until([&] { return waits_for(root, leader.backend_pid(), "advisory"); }));
  EXPECT_TRUE(depose(root, "x"));
  EXPECT_EQ(leader_of(root, "x"), "b");
  gate.exec("SELECT pg_advisory_unlock(1)");
  leader.finish();
}

class OtherEncoding : public FaultTest {
 protected:
  Connection ascii() {
    Connection root = server().connect();
    root.exec("CREATE DATABASE ascii ENCODING 'SQL_ASCII' LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0");
    server().install("ascii");
    return server().connect("ascii");
  }
};

TEST_F(OtherEncoding, G7_names_that_not_everybody_can_read_are_refused) {
  Connection session = ascii();
  session.exec("SET client_encoding = 'SQL_ASCII'");
  EXPECT_EQ(session.sqlstate_of("SELECT coord.join('a', E'gr\\xfcppe')"), "22021");
  EXPECT_EQ(session.sqlstate_of("SELECT coord.join(E'\\xfc')"), "22021");
  EXPECT_EQ(session.sqlstate_of("SELECT coord.join('a', 'gr\xc3\xbcppe')"), "00000");
  EXPECT_EQ(session.sqlstate_of("SELECT coord.campaign(E'\\xfc')"), "22021");
  EXPECT_TRUE(campaign(session, "x").is_leader);
}

}  // namespace
