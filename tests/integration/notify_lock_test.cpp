// Somebody else's commit waits for a standby that is not there, and holds what notifying or fencing commits
// need.
#include <gtest/gtest.h>

#include "fault_test.hpp"
#include "wait.hpp"

namespace {

using namespace std::chrono_literals;
using namespace pgcoord::test;
using std::chrono::steady_clock;

class NotifyLock : public FaultTest {
 public:
  static void SetUpTestSuite() {
    start_server({"synchronous_standby_names = 'nobody'", "synchronous_commit = local"});
  }

 protected:
  /// A session whose statement has committed here and now waits for the standby.
  Connection stuck(const std::string& statement) const {
    Connection session = connect();
    session.exec("SET synchronous_commit = on");
    session.send(statement);
    Connection root = connect();
    if (!wait_until([&] { return waits_for(root, session.backend_pid(), "SyncRep"); }))
      throw std::runtime_error{"it does not wait for the standby"};
    return session;
  }

  static void expect_quick(const char* what, steady_clock::time_point begin) {
    EXPECT_LT(steady_clock::now() - begin, 1s) << what;
  }
};

TEST_F(NotifyLock, G8_calls_and_deaths_go_on_without_notices) {
  Connection leader = member("a");
  Connection heir = listener("b");
  Connection root = connect();
  for (Connection* session : {&leader, &heir}) session->exec("SET synchronous_commit = on");
  const Connection notifier = stuck("CREATE TABLE something (); NOTIFY something");

  auto begin = steady_clock::now();
  const std::int64_t token = campaign(leader, "x").token;
  expect_quick("campaign", begin);
  campaign(heir, "x");
  begin = steady_clock::now();
  EXPECT_TRUE(resign(leader, "x"));
  expect_quick("resign", begin);
  EXPECT_EQ(heartbeat(heir).size(), 1U);
  campaign(leader, "x");
  EXPECT_TRUE(resign(heir, "x"));
  campaign(heir, "x");
  begin = steady_clock::now();
  EXPECT_TRUE(terminate(root, leader.backend_pid(), 1s));
  expect_quick("the leader's death", begin);
  EXPECT_EQ(leader_of(root, "x"), "b");
  EXPECT_GT(heartbeat(heir).at(0).token, token);
  EXPECT_TRUE(terminate(root, notifier.backend_pid()));
}

TEST_F(NotifyLock, G3_take_over_waits_within_its_bound_for_a_fenced_commit_that_waits) {
  Connection leader = member("a");
  Connection heir = listener("b");
  Connection root = connect();
  root.exec("CREATE TABLE written (token bigint)");
  const std::string token = std::to_string(campaign(leader, "x").token);
  campaign(heir, "x");
  const Connection writer =
      stuck("SELECT coord.fence('x', " + token + "); INSERT INTO written VALUES (" + token + ")");
  EXPECT_EQ(heartbeat(leader).size(), 1U) << "the leader's heartbeat waits for its own fenced write";
  EXPECT_EQ(fence_state(leader, "x", std::stoll(token)), "00000");
  const auto begin = steady_clock::now();
  EXPECT_EQ(root.sqlstate_of("SELECT coord.depose('x')"), "55P03");
  EXPECT_LT(steady_clock::now() - begin, 1500ms);

  // The leader dies: its successor is named, and campaigns when the commit is through.
  EXPECT_TRUE(terminate(root, leader.backend_pid(), 1s));
  EXPECT_EQ(heir.sqlstate_of("SELECT coord.campaign('x')"), "55P03");
  EXPECT_TRUE(terminate(root, writer.backend_pid()));
  EXPECT_TRUE(campaign(heir, "x").is_leader);
  EXPECT_EQ(root.value("SELECT count(*) FROM written"), "1") << "it had committed before the new term";
}

}  // namespace
