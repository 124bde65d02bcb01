// Members that die, freeze, drain or are deleted, and what their peers see of it.
#include <gtest/gtest.h>

#include <csignal>

#include "fault_test.hpp"
#include "peers.hpp"
#include "psql.hpp"
#include "wait.hpp"

namespace {

using namespace std::chrono_literals;
using namespace pgcoord::test;
using std::chrono::steady_clock;

class MembershipFault : public FaultTest {
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

  /// A member that hears of the others from now on.
  Connection watcher(const std::string& name = "watcher", const std::string& timeout = "60 s") const {
    Connection session = member(name, timeout);
    listen_to_members(session);
    return session;
  }
  std::unique_ptr<Psql> program(const std::string& name, const std::string& timeout) const {
    auto client = std::make_unique<Psql>(server().conninfo(database()));
    EXPECT_EQ(client
                  ->ask("SELECT coord.join('" + name + "', 'default', '{s," + name +
                        "}', heartbeat_timeout => '" + timeout + "')")
                  .sqlstate,
              "00000");
    return client;
  }
  static bool sweeps_until_bell(Connection& by, const std::string& name, const std::string& event,
                                steady_clock::time_point end) {
    while (steady_clock::now() < end) {
      sweep(by);
      if (const auto bell = next_bell(by, name, 20ms); bell && bell->event == event) return true;
    }
    return false;
  }
  Value deadline_of(const std::string& name) {
    return root().value("SELECT shutdown_deadline FROM coord.peers WHERE instance_id = $1", {name});
  }

 private:
  std::unique_ptr<Connection> root_;
};

TEST_F(MembershipFault, G6_killed_client_is_stale_and_told_gone_within_a_second) {
  allow_in_log("connection to client lost");
  Connection peer = watcher();
  const auto client = program("a", "60 s");
  const std::int64_t incarnation = incarnation_of(root(), "a");
  EXPECT_EQ(bells_until_now(peer, "a"), std::vector<std::string>{"joined"});
  client->process().kill(SIGKILL);
  const auto bell = next_bell(peer, "a", 1s);
  ASSERT_TRUE(bell.has_value()) << "nobody told its peers";
  EXPECT_EQ(bell->event, "gone");
  EXPECT_EQ(bell->incarnation, incarnation);
  EXPECT_EQ(status_of(peer, "a"), "stale") << "told, and not true yet";
  EXPECT_EQ(peer.exec("SELECT subscription, status, available_at FROM coord.orphaned_subscriptions"
                      " ORDER BY subscription"),
            (Rows{{"a", "stale", std::nullopt}, {"s", "stale", std::nullopt}}));
  for (int times = 0; times < 3; ++times) sweep(peer);
  EXPECT_LE(bells_until_now(peer, "a").size(), 1U) << "gone is told at most once more";
}

TEST_F(MembershipFault, G6_frozen_client_is_stale_at_its_timeout_told_silent_once_and_back_by_a_heartbeat) {
  Connection peer = watcher();
  const auto client = program("a", "2 s");
  const auto before = steady_clock::now();
  ASSERT_EQ(client->ask("SELECT coord.heartbeat()").sqlstate, "00000");
  client->process().kill(SIGSTOP);
  bells_until_now(peer, "a");
  ASSERT_TRUE(sweeps_until_bell(peer, "a", "silent", steady_clock::now() + 3100ms));
  EXPECT_GE(steady_clock::now() - before, 2s) << "told before its timeout had passed";
  EXPECT_EQ(status_of(peer, "a"), "stale");
  const auto more = steady_clock::now() + 300ms;
  EXPECT_FALSE(sweeps_until_bell(peer, "a", "silent", more)) << "told again";
  client->process().kill(SIGCONT);
  listen_to_all(peer);
  ASSERT_EQ(client->ask("SELECT coord.heartbeat()").sqlstate, "00000");
  EXPECT_EQ(status_of(peer, "a"), "healthy");
  const auto back = peer.notification(1s);
  ASSERT_TRUE(back.has_value()) << "nobody is told that it is back";
  EXPECT_EQ(back->channel, "__eventsource_coordination.heartbeat");
  client->process().kill(SIGSTOP);
  EXPECT_TRUE(sweeps_until_bell(peer, "a", "silent", steady_clock::now() + 3100ms)) << "the second silence";
}

TEST_F(MembershipFault, G6_each_member_is_judged_by_its_own_timeout) {
  Connection peer = watcher();
  const auto slow = program("slow", "3 s");
  const auto fast = program("fast", "1 s");
  const auto begin = steady_clock::now();
  for (const auto& client : {slow.get(), fast.get()}) {
    ASSERT_EQ(client->ask("SELECT coord.heartbeat()").sqlstate, "00000");
    client->process().kill(SIGSTOP);
  }
  EXPECT_TRUE(sweeps_until_bell(peer, "fast", "silent", begin + 2200ms));
  EXPECT_EQ(status_of(peer, "slow"), "healthy");
  EXPECT_TRUE(sweeps_until_bell(peer, "slow", "silent", begin + 4200ms));
  EXPECT_GE(steady_clock::now() - begin, 3s);
}

TEST_F(MembershipFault, drained_member_is_draining_until_its_deadline_and_terminated_then) {
  Connection leaving = member("a");
  root().exec("SELECT coord.drain('a', drain_timeout => '1 s')");
  const Value deadline = deadline_of("a");
  EXPECT_EQ(status_of(root(), "a"), "draining");
  EXPECT_EQ(root().value("SELECT time_remaining BETWEEN interval '0' AND interval '1 s' FROM coord.peers"),
            "t");
  EXPECT_TRUE(becomes(root(), "a", "terminated", 2s));
  EXPECT_EQ(root().value("SELECT clock_timestamp() >= $1::timestamptz", {deadline.value()}), "t")
      << "ended before its deadline";
  EXPECT_EQ(root().value("SELECT time_remaining FROM coord.peers"), "00:00:00");
  EXPECT_EQ(leaving.sqlstate_of("SELECT coord.heartbeat()"), "00000") << "it is a member until it leaves";
  EXPECT_EQ(root().sqlstate_of("SELECT coord.remove_member('a')"), "PC003") << "its session is alive";
}

TEST_F(MembershipFault, drained_member_is_terminated_when_its_session_ends_or_it_leaves) {
  Connection peer = watcher();
  Connection dying = member("a");
  Connection leaving = member("b");
  for (const char* name : {"a", "b"}) root().exec("SELECT coord.drain($1)", {name});
  EXPECT_TRUE(terminate(root(), dying.backend_pid(), 1s));
  EXPECT_EQ(status_of(peer, "a"), "terminated");
  EXPECT_EQ(leaving.value("SELECT coord.leave()"), "t");
  EXPECT_EQ(root().exec("SELECT status, session_pid, shutdown_intent FROM coord.peers"
                        " WHERE instance_id IN ('a', 'b')"),
            (Rows{{"terminated", std::nullopt, "maintenance"}, {"terminated", std::nullopt, "maintenance"}}));
  EXPECT_EQ(bells_until_now(peer, "a").back(), "gone");
  EXPECT_EQ(leaving.sqlstate_of("SELECT coord.heartbeat()"), "PC001");
  EXPECT_EQ(root().sqlstate_of("SELECT coord.drain('a')"), "PC001") << "a notice for one that is gone";
  EXPECT_EQ(root().value("SELECT coord.remove_member('a') AND coord.remove_member('b')"), "t");
  EXPECT_EQ(root().exec("SELECT FROM coord.peers WHERE instance_id <> 'watcher'"), Rows{});
}

TEST_F(MembershipFault, field_case_49_heartbeats_do_not_keep_a_term_beyond_the_notice) {
  Connection leader = member("a");
  Connection heir = member("b");
  const std::int64_t token = campaign(leader, "x").token;
  campaign(heir, "x");
  listen_to_all(heir);
  announce_shutdown(leader, "1 s");
  const Value deadline = deadline_of("a");
  EXPECT_EQ(leader_of(root(), "x"), "a") << "a notice resigns nothing";
  const auto beats_on = [&] {
    heartbeat(leader);
    return leader_of(root(), "x") == "b";
  };
  ASSERT_TRUE(wait_until(beats_on, 2s));
  EXPECT_EQ(root().value("SELECT at >= $1::timestamptz FROM coord.leadership_log WHERE leader = 'b'",
                         {deadline.value()}),
            "t");
  EXPECT_EQ(heir.notification(1s)->channel, "__eventsource_coordination.shutdown");
  const auto change = next_notice(heir, "x", 1s);
  ASSERT_TRUE(change.has_value());
  EXPECT_EQ(change->cause, "drained");
  EXPECT_EQ(change->leader, "b");
  EXPECT_GT(change->token, token);
  EXPECT_EQ(fence_state(leader, "x", token), "PC002");
  const auto end = steady_clock::now() + 2s;
  while (steady_clock::now() < end) {
    ASSERT_EQ(heartbeat(leader).size(), 0U);
    ASSERT_EQ(leader.sqlstate_of("SELECT coord.campaign('x')"), "PC001");
    ASSERT_EQ(leader.sqlstate_of("SELECT coord.try_acquire('y')"), "PC001");
    ASSERT_EQ(leader_of(root(), "x"), "b");
  }
  EXPECT_EQ(root().value("SELECT count(*) FROM coord.leadership_log"), "2");
}

}  // namespace
