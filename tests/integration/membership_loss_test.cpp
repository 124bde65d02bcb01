// What becomes of members, notices and assignments when rows, sessions, servers and locks go.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fault_test.hpp"
#include "peers.hpp"
#include "wait.hpp"

namespace {

using namespace std::chrono_literals;
using namespace pgcoord::test;
using std::chrono::steady_clock;

class MembershipLoss : public FaultTest {
 protected:
  void SetUp() override {
    FaultTest::SetUp();
    root_ = std::make_unique<Connection>(connect());
  }
  void TearDown() override {
    root_.reset();
    FaultTest::TearDown();
  }
  Connection& root() { return *root_; }
  void reconnect() { root_ = std::make_unique<Connection>(connect()); }

  /// Leads "x" and has handed `{s}` to `target`.
  Connection leader_with_work_for(const std::string& target) {
    Connection leader = member("leader");
    assign(leader, target, "x", campaign(leader, "x").token);
    return leader;
  }
  std::string assignments() { return root().value("SELECT count(*) FROM coord.assignments").value(); }

 private:
  std::unique_ptr<Connection> root_;
};

TEST_F(MembershipLoss, restart_under_the_same_name_has_no_notice_and_no_work_of_the_one_before) {
  Connection old = member("a");
  const Connection leader = leader_with_work_for("a");
  announce_shutdown(old);
  const std::int64_t incarnation = incarnation_of(root(), "a");
  EXPECT_EQ(assignments(), "1");
  EXPECT_TRUE(terminate(root(), old.backend_pid(), 1s));
  EXPECT_EQ(assignments(), "1") << "what the dead one was told stays to be seen";
  Connection young = member("a");
  EXPECT_GT(incarnation_of(root(), "a"), incarnation);
  EXPECT_EQ(root().exec("SELECT status, shutdown_intent, shutdown_deadline, time_remaining,"
                        " shutdown_metadata, in_flight_count FROM coord.peers WHERE instance_id = 'a'"),
            (Rows{{"healthy", std::nullopt, std::nullopt, std::nullopt, std::nullopt, "0"}}));
  EXPECT_EQ(assignments(), "0");
  EXPECT_TRUE(campaign(young, "y").is_leader);
}

struct Deletion {
  const char* name;
  const char* statement;
};

class Deleted : public MembershipLoss, public testing::WithParamInterface<Deletion> {};

TEST_P(Deleted, field_case_62_next_heartbeat_says_so_and_a_new_join_is_clean) {
  Connection lost = member("a");
  const Connection leader = leader_with_work_for("a");
  ASSERT_EQ(lost.sqlstate_of("SELECT coord.heartbeat()"), "00000");
  root().exec(GetParam().statement);
  EXPECT_NE(status_of(root(), "a"), "healthy");
  EXPECT_EQ(lost.sqlstate_of("SELECT coord.heartbeat()"), "PC001") << "success, with nothing behind it";
  EXPECT_NE(status_of(root(), "a"), "healthy");
  join(lost, "a");
  EXPECT_EQ(status_of(root(), "a"), "healthy");
  EXPECT_EQ(lost.sqlstate_of("SELECT coord.heartbeat()"), "00000");
}

INSTANTIATE_TEST_SUITE_P(
    By, Deleted,
    testing::Values(Deletion{"both_rows",
                             "DELETE FROM coord._member WHERE instance_id = 'a';"
                             " DELETE FROM coord._beat b WHERE NOT EXISTS (SELECT FROM"
                             " coord._member m WHERE m.incarnation = b.incarnation)"},
                    Deletion{"row_of_the_member", "DELETE FROM coord._member WHERE instance_id = 'a'"},
                    Deletion{"row_of_the_beat",
                             "DELETE FROM coord._beat WHERE incarnation ="
                             " (SELECT incarnation FROM coord._member WHERE instance_id = 'a')"}),
    [](const auto& info) { return info.param.name; });

TEST_F(MembershipLoss, session_killed_by_the_server_is_stale_at_once_and_told) {
  Connection peer = member("peer");
  listen_to_members(peer);
  const Connection lost = member("a");
  EXPECT_TRUE(terminate(root(), lost.backend_pid(), 1s));
  EXPECT_EQ(status_of(peer, "a"), "stale");
  EXPECT_EQ(bells_until_now(peer, "a"), (std::vector<std::string>{"joined", "gone"}));
}

TEST_F(MembershipLoss, notices_and_assignments_survive_an_immediate_stop_and_nobody_is_alive) {
  const Connection worker = member("worker");
  Connection draining = member("draining");
  const Connection leader = leader_with_work_for("worker");
  announce_shutdown(draining, "1 day");
  const std::int64_t incarnation = incarnation_of(root(), "worker");
  server().restart(Server::Mode::immediate);
  reconnect();
  EXPECT_EQ(root().exec("SELECT instance_id, status, session_pid FROM coord.peers ORDER BY 1"),
            (Rows{{"draining", "terminated", std::nullopt},
                  {"leader", "stale", std::nullopt},
                  {"worker", "stale", std::nullopt}}));
  EXPECT_EQ(assignments(), "1");
  Connection peer = member("peer");
  listen_to_members(peer);
  sweep(peer);
  EXPECT_THAT(bells_until_now(peer),
              testing::UnorderedElementsAre("draining gone", "leader gone", "worker gone"));
  const Connection again = member("worker");
  EXPECT_GT(incarnation_of(root(), "worker"), incarnation);
  EXPECT_EQ(status_of(root(), "worker"), "healthy");
  EXPECT_EQ(assignments(), "0");
}

class RegistryLocked : public MembershipLoss, public testing::WithParamInterface<const char*> {};

TEST_P(RegistryLocked, G8_death_is_seen_at_once_and_told_by_a_later_sweep) {
  Connection peer = member("peer");
  listen_to_members(peer);
  const Connection dying = member("a");
  ASSERT_EQ(bells_until_now(peer, "a"), std::vector<std::string>{"joined"});
  Connection locker = connect();
  locker.exec(std::string{"BEGIN; LOCK TABLE coord."} + GetParam());
  EXPECT_TRUE(terminate(root(), dying.backend_pid(), 1s)) << "the dying session waits";
  peer.exec("SELECT");
  EXPECT_FALSE(next_bell(peer, "a", 0ms).has_value()) << "told though it could not be looked up";
  locker.exec("ROLLBACK");
  EXPECT_EQ(status_of(root(), "a"), "stale");
  sweep(peer);
  EXPECT_EQ(bells_until_now(peer, "a"), std::vector<std::string>{"gone"});
  sweep(peer);
  EXPECT_EQ(bells_until_now(peer, "a"), std::vector<std::string>{}) << "told again";
}

INSTANTIATE_TEST_SUITE_P(Tables, RegistryLocked, testing::Values("_member", "_member, coord._beat"),
                         [](const auto& info) { return info.index == 0 ? "member" : "member_and_beat"; });

class WithoutStandby : public MembershipLoss {
 public:
  static void SetUpTestSuite() {
    start_server({"synchronous_standby_names = 'nobody'", "synchronous_commit = local"});
  }

 protected:
  void expect_quick(Connection& session, const std::string& call) {
    const auto begin = steady_clock::now();
    EXPECT_EQ(session.sqlstate_of(call), "00000") << call;
    EXPECT_LT(steady_clock::now() - begin, 1s) << call;
  }
};

TEST_F(WithoutStandby, G8_members_come_drain_and_go_while_nobody_can_be_told) {
  Connection notifier = connect();
  notifier.exec("SET synchronous_commit = on");
  notifier.send("CREATE TABLE something (); NOTIFY something");
  ASSERT_TRUE(wait_until([&] { return waits_for(root(), notifier.backend_pid(), "SyncRep"); }));
  Connection first = connect();
  Connection second = connect();
  for (Connection* session : {&first, &second}) session->exec("SET synchronous_commit = on");
  expect_quick(first, "SELECT coord.join('a')");
  expect_quick(second, "SELECT coord.join('b')");
  expect_quick(first, "SELECT coord.heartbeat('{s}', 3)");
  expect_quick(first, "SELECT coord.campaign('x')");
  expect_quick(first, "SELECT coord.assign('b', '{s}', 'x', token) FROM coord.elections");
  expect_quick(first, "SELECT coord.announce_shutdown('graceful')");
  expect_quick(first, "SELECT coord.drain('b')");
  expect_quick(second, "SELECT coord.leave()");
  EXPECT_TRUE(terminate(root(), first.backend_pid(), 1s)) << "the dying session waits";
  EXPECT_EQ(root().exec("SELECT status, subscriptions, session_pid FROM coord.peers ORDER BY instance_id"),
            (Rows{{"terminated", "{s}", std::nullopt}, {"terminated", "{}", std::nullopt}}));
  Connection third = connect();
  expect_quick(third, "SELECT coord.join('c')");
  expect_quick(third, "SELECT coord.sweep()");
  expect_quick(third, "SELECT coord.remove_member('a')");
  EXPECT_TRUE(terminate(root(), notifier.backend_pid()));
  listen_to_members(third);
  expect_quick(root(), "SELECT coord.remove_member('b')");
  EXPECT_EQ(bells_until_now(third, "b"), std::vector<std::string>{"removed"}) << "told again from now on";
}

}  // namespace
