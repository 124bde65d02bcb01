// Taking leave in order, by a signal or without one.
#include "pgcoord/drain.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

#include "support/group.hpp"

namespace {

using namespace std::chrono_literals;
using namespace pgcoord;
using pgcoord::test::wait_until;

class Drain : public pgcoord::test::GroupTest {
 protected:
  static DrainOptions within(std::chrono::milliseconds timeout) {
    DrainOptions options;
    options.timeout = timeout;
    options.intent = ShutdownIntent::preemption;
    options.poll_interval = 5ms;
    return options;
  }
};

TEST_F(Drain, field_case_49_announces_resigns_drains_and_leaves_in_this_order) {
  Instance a(options("a"));
  Instance b(options("b", {"orders"}));
  ASSERT_TRUE(b.leads());
  a.elector.campaign();
  PgLeaderElector owner(b.session, "sub:orders");
  ASSERT_TRUE(owner.try_acquire());
  int steps = 0;
  const auto report = drain(b.session, b.coordinator, within(20s), [&](Duration left) {
    EXPECT_GT(left, 10s);
    EXPECT_FALSE(b.elector.is_leader());
    EXPECT_TRUE(owner.is_leader());
    return ++steps > 3 && a.coordinator.peer_status("b") == PeerStatus::draining && a.elector.is_leader();
  });
  EXPECT_TRUE(report.announced);
  EXPECT_TRUE(report.handed_over);
  EXPECT_TRUE(report.drained);
  EXPECT_TRUE(report.left);
  EXPECT_EQ(report.problems, std::vector<std::string>{});
  EXPECT_FALSE(owner.is_leader());
  EXPECT_TRUE(a.sees("b", PeerStatus::terminated));
  auto by = connect();
  EXPECT_EQ(by.value("SELECT string_agg(cause, ' ' ORDER BY event_id) FROM coord.leadership_log "
                     "WHERE previous = 'b'"),
            "resigned left");
}

TEST_F(Drain, is_over_at_the_deadline_whatever_is_left_to_do) {
  Instance b(options("b"));
  const auto report = drain(b.session, b.coordinator, within(500ms), [](Duration) { return false; });
  EXPECT_TRUE(report.announced);
  EXPECT_FALSE(report.handed_over);
  EXPECT_FALSE(report.drained);
  EXPECT_TRUE(report.left);
  EXPECT_GE(report.took, 500ms);
  EXPECT_LT(report.took, 5s);
}

TEST_F(Drain, what_fails_on_the_way_is_told_and_the_rest_is_done) {
  Instance b(options("b"));
  const auto report = drain(b.session, b.coordinator, within(10s),
                            [](Duration) -> bool { throw std::runtime_error("oops"); });
  EXPECT_FALSE(report.drained);
  EXPECT_TRUE(report.left);
  EXPECT_EQ(report.problems, std::vector<std::string>{"drain: oops"});
}

TEST_F(Drain, goes_on_without_a_server) {
  auto lost = options("b");
  lost.conninfo = "host=127.0.0.1 port=1";
  Session session(lost);
  PgCoordinator coordinator(session);
  int steps = 0;
  auto bounded = within(5s);
  bounded.answer_timeout = 200ms;
  const auto report = drain(session, coordinator, bounded, [&](Duration) { return ++steps == 2; });
  EXPECT_FALSE(report.announced);
  EXPECT_TRUE(report.drained);
  EXPECT_FALSE(report.left);
  EXPECT_EQ(report.problems.size(), 1U);
  EXPECT_LT(report.took, 4s);
}

TEST_F(Drain, keeps_the_time_of_whoever_asked_for_it) {
  Instance b(options("b"));
  auto by = connect();
  by.exec("SELECT coord.drain('b', drain_timeout => '1 s')");
  ASSERT_TRUE(b.heard.hears("drain maintenance"));
  const auto report = drain(b.session, b.coordinator, within(60s), [](Duration) { return false; });
  EXPECT_TRUE(report.announced);
  EXPECT_LT(report.took, 5s);
  EXPECT_EQ(by.value("SELECT shutdown_intent FROM coord.peers WHERE instance_id = 'b'"), "maintenance");
}

TEST_F(Drain, heartbeats_go_on_in_an_event_loop) {
  auto looped = options("loop");
  looped.pump = Pump::event_loop;
  looped.heartbeat_timeout = 1s;
  Session session(looped);
  PgCoordinator coordinator(session);
  session.require_ready(10s);
  auto by = connect();
  const auto report = drain(session, coordinator, within(2500ms), [&](Duration) {
    EXPECT_EQ(by.value("SELECT coord._heard(last_heartbeat_at, 1000000) FROM coord._beat"), "t");
    return false;
  });
  EXPECT_TRUE(report.announced);
  EXPECT_TRUE(report.left);
}

TEST(DrainGuard, a_signal_asks_once_and_the_former_handler_comes_back) {
  static volatile sig_atomic_t former = 0;
  const auto before = std::signal(SIGTERM, [](int) { former = former + 1; });
  {
    DrainGuard guard;
    EXPECT_FALSE(guard.requested());
    EXPECT_FALSE(guard.wait(1ms));
    std::raise(SIGTERM);
    std::raise(SIGTERM);
    EXPECT_TRUE(guard.wait(0ms));
    EXPECT_TRUE(guard.requested());
    EXPECT_EQ(guard.signal(), SIGTERM);
    EXPECT_EQ(former, 0);
    EXPECT_THROW(DrainGuard(), Error);
  }
  std::raise(SIGTERM);
  EXPECT_EQ(former, 1);
  DrainGuard again;
  EXPECT_FALSE(again.requested());
  again.request();
  EXPECT_TRUE(again.wait(0ms));
  EXPECT_EQ(again.signal(), 0);
  std::signal(SIGTERM, before);
}

TEST(DrainGuard, a_forked_child_dies_of_the_signal_and_the_parent_does_not_hear_it) {
  DrainGuard guard;
  const pid_t child = ::fork();
  if (child == 0) {
    std::raise(SIGTERM);
    ::_exit(0);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM);
  EXPECT_FALSE(guard.wait(1ms));
}

TEST(DrainGuard, what_cannot_be_caught_is_refused_and_nothing_stays) {
  EXPECT_THROW(DrainGuard({SIGTERM, SIGKILL}), Error);
  DrainGuard guard;
  EXPECT_FALSE(guard.requested());
}

}  // namespace
