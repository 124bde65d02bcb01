// Too much of everything: locks, elections of one leader.
#include <gtest/gtest.h>

#include "fault_test.hpp"
#include "wait.hpp"

namespace {

using namespace std::chrono_literals;
using namespace pgcoord::test;

class Exhaustion : public FaultTest {
 public:
  static void SetUpTestSuite() {
    start_server({"max_locks_per_transaction = 10", "max_connections = 10", "max_wal_senders = 0",
                  "max_worker_processes = 0", "autovacuum = off"});
  }

 protected:
  static constexpr int many = 1500;  // more than the server has room for locks

  static void lead_many(Connection& leader) {
    for (int i = 0; i < many; ++i) campaign(leader, "x" + std::to_string(i));
  }
};

TEST_F(Exhaustion, G7_field_case_16_leader_of_more_elections_than_there_are_locks) {
  Connection heir = member("b");
  Connection root = connect();
  {
    Connection leader = member("a");
    lead_many(leader);
    EXPECT_EQ(heartbeat(leader).size(), std::size_t{many});
    campaign(heir, "x7");
    EXPECT_TRUE(terminate(root, leader.backend_pid()));
  }
  EXPECT_EQ(heir.sqlstate_of("SELECT coord.sweep()"), "00000")
      << "a peer's sweep fails for the dead one's elections";
  EXPECT_EQ(heir.sqlstate_of("SELECT coord.heartbeat()"), "00000");
  EXPECT_TRUE(wait_until([&] { return sweep(heir), leader_of(root, "x7") == "b"; }, 2s));
  EXPECT_TRUE(campaign(heir, "x1").is_leader);
  EXPECT_EQ(root.value("SELECT count(*) FROM coord.elections WHERE leader = 'a'"), "0");
}

TEST_F(Exhaustion, G7_field_case_16_silent_leader_of_more_elections_than_there_are_locks) {
  Connection heir = member("b", "60 s");
  Connection leader = member("a", "1 s");
  lead_many(leader);
  campaign(heir, "x7");
  ASSERT_TRUE(
      wait_until([&] { return heir.exec("SELECT FROM coord.peers WHERE status = 'stale'").size() == 1; }));
  EXPECT_EQ(heir.sqlstate_of("SELECT coord.sweep()"), "00000")
      << "one silent leader makes its peers' sweeps fail";
  EXPECT_EQ(heir.sqlstate_of("SELECT coord.heartbeat()"), "00000");
  EXPECT_TRUE(wait_until([&] { return sweep(heir), leader_of(heir, "x7") == "b"; }, 3s));
  EXPECT_TRUE(campaign(heir, "x1").is_leader);
  Connection again = connect();
  EXPECT_EQ(again.sqlstate_of("SELECT coord.join('a')"), "00000") << "its name cannot be had again";
}

TEST_F(Exhaustion, G7_field_case_16_leaving_with_more_elections_than_there_are_locks) {
  Connection leader = member("a");
  lead_many(leader);
  const std::string state = leader.sqlstate_of("SELECT coord.leave()");
  EXPECT_TRUE(state == "00000" || state == "53200") << state;
  EXPECT_EQ(leader.value("SELECT count(*) FROM coord.elections WHERE leader = 'a'"),
            state == "00000" ? "0" : std::to_string(many))
      << "half of it was done";
  Connection heir = member("b");
  EXPECT_TRUE(campaign(heir, "other").is_leader);
  EXPECT_TRUE(terminate(heir, leader.backend_pid()));
  EXPECT_TRUE(campaign(heir, "x1").is_leader);
}

}  // namespace
