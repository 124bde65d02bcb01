// Work handed out while leaders are replaced, targets die, and much is said at once.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <nlohmann/json.hpp>
#include <thread>

#include "fault_test.hpp"
#include "peers.hpp"
#include "wait.hpp"

namespace {

using namespace std::chrono_literals;
using namespace pgcoord::test;

class AssignmentFault : public FaultTest {
 protected:
  void SetUp() override {
    FaultTest::SetUp();
    root_ = std::make_unique<Connection>(connect());
    root_->exec("CREATE TABLE go ()");
  }
  void TearDown() override {
    root_.reset();
    FaultTest::TearDown();
  }
  Connection& root() { return *root_; }

  static std::string call(const std::string& target, std::int64_t token) {
    return "SELECT coord.assign('" + target + "', '{s}', 'x', " + std::to_string(token) + ")";
  }
  /// Sends a call that has done its work, and commits when let_go().
  void send_and_hold(Connection& leader, const std::string& target, std::int64_t token) {
    leader.send("DO $$ BEGIN PERFORM coord.assign('" + target + "', '{s}', 'x', " + std::to_string(token) +
                "); FOR i IN 1..3000 LOOP EXIT WHEN EXISTS (SELECT FROM go); PERFORM pg_sleep(0.01);"
                " END LOOP; END $$");
    ASSERT_TRUE(wait_until([&] { return waits_for(root(), leader.backend_pid(), "PgSleep"); }));
  }
  void let_go() { root().exec("INSERT INTO go DEFAULT VALUES"); }
  static std::string outcome(Connection& session) {
    try {
      session.finish();
      return "00000";
    } catch (const SqlError& error) {
      return error.sqlstate();
    }
  }
  std::string assignments() { return root().value("SELECT count(*) FROM coord.assignments").value(); }

 private:
  std::unique_ptr<Connection> root_;
};

TEST_F(AssignmentFault, G3_stale_leader_is_refused_at_the_call) {
  Connection old = member("a");
  Connection young = member("b");
  const Connection target = member("t");
  const std::int64_t token = campaign(old, "x").token;
  campaign(young, "x");
  ASSERT_GT(assign(old, "t", "x", token), 0);
  EXPECT_TRUE(depose(root(), "x"));
  const std::int64_t newer = newest_token(root(), "x");
  EXPECT_EQ(old.sqlstate_of(call("t", token)), "PC002");
  EXPECT_EQ(old.sqlstate_of(call("t", newer)), "PC005") << "another one's token";
  EXPECT_EQ(young.sqlstate_of(call("t", newer)), "00000");
  EXPECT_TRUE(resign(young, "x"));
  EXPECT_EQ(young.sqlstate_of(call("t", newer)), "PC002");
  EXPECT_EQ(assignments(), "2");
}

TEST_F(AssignmentFault, G3_leader_replaced_before_its_commit_has_assigned_nothing_and_told_nobody) {
  Connection old = member("a");
  Connection young = member("b");
  Connection target = member("t");
  const std::int64_t token = campaign(old, "x").token;
  campaign(young, "x");
  target.exec("LISTEN \"__eventsource_coordination.work_assignment\"");
  send_and_hold(old, "t", token);
  EXPECT_TRUE(depose(root(), "x")) << "the take-over waited for the call";
  EXPECT_EQ(leader_of(root(), "x"), "b");
  let_go();
  EXPECT_EQ(outcome(old), "PC002");
  EXPECT_EQ(assignments(), "0");
  target.exec("SELECT");
  EXPECT_FALSE(target.notification(0ms).has_value());
}

TEST_F(AssignmentFault, G3_drained_leader_assigns_nothing_after_its_deadline) {
  Connection leader = member("a");
  const Connection target = member("t");
  const std::int64_t token = campaign(leader, "x").token;
  announce_shutdown(leader, "0 s");
  heartbeat(leader);
  EXPECT_EQ(leader.sqlstate_of(call("t", token)), "PC002");
  EXPECT_EQ(assignments(), "0");
}

TEST_F(AssignmentFault, field_case_74_target_that_died_after_the_decision_is_refused) {
  Connection leader = member("leader");
  const std::int64_t token = campaign(leader, "x").token;
  Connection doomed = member("doomed");
  const Connection heir = member("heir");
  doomed.exec("SELECT coord.heartbeat('{1,2,3,4,5,6,7,8,9,10}')");
  for (int item = 0; item < 50; ++item) {
    const Value chosen = leader.value(
        "SELECT instance_id FROM coord.peers WHERE status = 'healthy' AND instance_id <> 'leader'"
        " ORDER BY instance_id LIMIT 1");
    if (item == 20) {
      ASSERT_EQ(chosen, "doomed");
      ASSERT_TRUE(terminate(root(), doomed.backend_pid(), 1s));
      ASSERT_EQ(leader.sqlstate_of(call(*chosen, token)), "PC001") << "work for the dead";
      continue;
    }
    ASSERT_EQ(chosen, item < 20 ? "doomed" : "heir");
    assign(leader, *chosen, "x", token, "{" + std::to_string(100 + item) + "}");
  }
  EXPECT_EQ(root().value("SELECT count(*) FROM coord.orphaned_subscriptions WHERE instance_id = 'doomed'"),
            "10");
  EXPECT_EQ(root().value("SELECT count(*) FROM coord.assignments WHERE target_instance_id = 'heir'"), "29");
}

TEST_F(AssignmentFault, field_case_74_target_that_dies_before_the_commit_is_seen_to_be_dead) {
  Connection leader = member("leader");
  const std::int64_t token = campaign(leader, "x").token;
  const Connection doomed = member("doomed");
  const std::string incarnation = std::to_string(incarnation_of(root(), "doomed"));
  send_and_hold(leader, "doomed", token);
  EXPECT_TRUE(terminate(root(), doomed.backend_pid(), 1s)) << "its end waits for the assignment";
  Connection again = connect();
  EXPECT_EQ(again.sqlstate_of("SELECT coord.join('doomed')"), "55P03") << "joined between call and commit";
  let_go();
  EXPECT_EQ(outcome(leader), "00000");
  EXPECT_EQ(root().exec("SELECT a.target_incarnation, p.status FROM coord.assignments a JOIN coord.peers p"
                        " ON p.incarnation = a.target_incarnation"),
            (Rows{{incarnation, "stale"}}))
      << "the next pass cannot find it";
  EXPECT_EQ(leader.sqlstate_of(call("doomed", token)), "PC001");
  join(again, "doomed");
  EXPECT_EQ(assignments(), "0") << "work of the one before";
}

/// A long text that no compression shortens to nothing.
constexpr const char* long_list =
    "(SELECT array_agg('stream-' || i || '-' || md5(i::text)) FROM generate_series(1, 5000) i)";
constexpr const char* long_metadata =
    "(SELECT jsonb_build_object('notes', string_agg(md5(i::text), '')) FROM generate_series(1, 3200) i)";

TEST_F(AssignmentFault, field_case_22_five_thousand_subscriptions_and_100_kB_of_metadata) {
  std::string name;  // 200 bytes in characters of four
  for (int i = 0; i < 50; ++i) name += "\xF0\x9D\x84\x9E";
  Connection ear = connect();
  listen_to_all(ear);
  Connection big = connect();
  big.exec("SELECT coord.join('" + name + "', 'default', " + long_list + ", " + long_metadata + ")");
  big.exec("SELECT coord.heartbeat(publish => true)");
  const std::string token = std::to_string(campaign(big, "x").token);
  const Value id = big.value("SELECT coord.assign('" + name + "', " + long_list + ", 'x', " + token + ")");
  big.exec(std::string{"SELECT coord.announce_shutdown('graceful', '30 s', 7, "} + long_metadata + ")");
  std::map<std::string, nlohmann::json> told;
  while (const auto heard = ear.notification(told.size() < 5 ? 1s : 0s)) {
    EXPECT_LT(heard->payload.size(), 8000U) << heard->channel;
    told[heard->channel.substr(heard->channel.rfind('.') + 1)] = nlohmann::json::parse(heard->payload);
  }
  ASSERT_EQ(told.size(), 5U);
  for (const char* channel : {"heartbeat", "shutdown", "work_assignment"}) {
    EXPECT_EQ(told[channel].at("truncated"), true) << channel;
    EXPECT_FALSE(told[channel].contains("subscriptions")) << channel;
  }
  EXPECT_EQ(told["shutdown"].at("instance_id"), name);
  EXPECT_EQ(told["shutdown"].at("in_flight_count"), 7);
  EXPECT_EQ(told["work_assignment"].at("target_instance_id"), name);
  EXPECT_EQ(std::to_string(told["work_assignment"].at("assignment_id").get<std::int64_t>()), *id);
  EXPECT_EQ(std::to_string(told["work_assignment"].at("token").get<std::int64_t>()), token);
  EXPECT_EQ(root().exec(std::string{"SELECT subscriptions = "} + long_list + ", metadata = " + long_metadata +
                        ", shutdown_metadata = " + long_metadata + " FROM coord.peers"),
            (Rows{{"t", "t", "t"}}));
  EXPECT_EQ(root().value(std::string{"SELECT subscriptions = "} + long_list + " FROM coord.assignments"),
            "t");
  EXPECT_EQ(root().value("SELECT count(*) FROM coord.orphaned_subscriptions"), "5000");
}

TEST_F(AssignmentFault, cursor_of_a_target_misses_nothing_of_two_leaders) {
  constexpr int each = 150;
  const Connection target = member("t");
  std::atomic<int> busy{2};
  const auto hand_out = [&](const std::string& election) {
    Connection leader = member("leader of " + election);
    const std::string token = std::to_string(campaign(leader, election).token);
    for (int i = 0; i < each; ++i)  // a commit that is late by some random milliseconds
      leader.exec("SELECT coord.assign('t', '{s}', '" + election + "', " + token +
                  "), pg_sleep(random() * 0.004)");
    --busy;
  };
  std::thread first{hand_out, "x"};
  std::thread second{hand_out, "y"};
  std::string last = "0";
  int seen = 0;
  bool more = true;
  while (more) {
    more = busy > 0;
    for (const auto& row : root().exec("SELECT assignment_id FROM coord.assignments"
                                       " WHERE target_instance_id = 't' AND assignment_id > $1::bigint"
                                       " ORDER BY assignment_id",
                                       {last})) {
      ++seen;
      last = row[0].value();
    }
  }
  first.join();
  second.join();
  EXPECT_EQ(seen, 2 * each) << "the cursor passed an assignment that was committed later";
  EXPECT_EQ(assignments(), std::to_string(2 * each));
}

}  // namespace
