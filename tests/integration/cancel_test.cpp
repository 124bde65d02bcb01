// Statements cancelled at any moment.
#include <gtest/gtest.h>

#include <atomic>
#include <random>
#include <thread>

#include "fault_test.hpp"
#include "process.hpp"
#include "wait.hpp"

namespace {

using namespace std::chrono_literals;
using namespace pgcoord::test;
using std::chrono::steady_clock;

class Cancel : public FaultTest {
 protected:
  /// Cancels that session's statements, a random moment apart.
  static void cancel_until(Connection& root, int pid, const std::atomic<bool>& done) {
    std::mt19937 random{7};
    while (!done) {
      const auto end =
          steady_clock::now() + std::chrono::microseconds{std::uniform_int_distribution{0, 1500}(random)};
      while (steady_clock::now() < end) std::this_thread::yield();
      root.exec("SELECT pg_cancel_backend($1::int)", {std::to_string(pid)});
    }
  }

  static constexpr const char* calls[] = {"SELECT coord.join('a')",
                                          "SELECT coord.campaign('x')",
                                          "SELECT * FROM coord.heartbeat('{s}', 1, 0.5)",
                                          "SELECT coord.try_acquire('y')",
                                          "SELECT coord.resign('x')",
                                          "SELECT coord.sweep()",
                                          "SELECT coord.campaign('z', 3)",
                                          "SELECT coord.withdraw('z')",
                                          "SELECT * FROM coord.leader('x')",
                                          "SELECT * FROM coord.elections",
                                          "SELECT coord.depose('y')",
                                          "SELECT coord.fence('y', token) FROM coord.elections",
                                          "DISCARD ALL",
                                          "SELECT coord.leave()"};

  void expect_everything_works() {
    Connection session = member("last");
    for (const char* election : {"x", "y", "z"}) {
      const Leadership held = campaign(session, election);
      EXPECT_TRUE(held.is_leader) << election << " is led by " << held.leader.value_or("nobody");
      EXPECT_EQ(fence_state(session, election, held.token), "00000");
    }
    EXPECT_EQ(heartbeat(session).size(), 3U);
    EXPECT_EQ(session.value("SELECT coord.leave()"), "t");
    EXPECT_EQ(session.exec("SELECT * FROM pg_locks WHERE locktype = 'userlock'"), Rows{});
    EXPECT_EQ(session.exec("SELECT b.* FROM coord._beat b LEFT JOIN coord._member m USING (incarnation)"
                           " WHERE m.incarnation IS NULL"),
              Rows{})
        << "beats without a member";
  }
};

TEST_F(Cancel, G7_statements_cancelled_at_random_moments) {
  Connection root = connect();
  std::atomic<int> cancelled = 0;
  {
    Connection victim = connect();
    victim.exec("SET client_connection_check_interval = '10ms'; SET idle_session_timeout = '1min'");
    std::atomic<bool> done = false;
    std::thread canceller{[&, pid = victim.backend_pid()] { cancel_until(root, pid, done); }};
    for (int round = 0; round < 200; ++round)
      for (const char* call : calls) {
        const std::string state = victim.sqlstate_of(call);
        if (state == "57014") ++cancelled;
        // Calls that need what a cancelled one would have given.
        if (state != "00000" && state != "57014" && state != "PC001" && state != "PC002")
          ADD_FAILURE() << call << ": " << state;
      }
    done = true;
    canceller.join();
  }
  EXPECT_GT(cancelled, 100);
  expect_everything_works();
}

TEST_F(Cancel, G7_sessions_terminated_at_random_moments) {
  Connection root = connect();
  std::mt19937 random{11};
  for (int round = 0; round < 40; ++round) {
    Connection victim = connect();
    victim.send("SELECT coord.join('a'); SELECT coord.campaign('x'); SELECT coord.campaign('y')");
    const auto end =
        steady_clock::now() + std::chrono::microseconds{std::uniform_int_distribution{0, 15000}(random)};
    while (steady_clock::now() < end) std::this_thread::yield();
    EXPECT_TRUE(terminate(root, victim.backend_pid(), 1s));
  }
  expect_everything_works();
}

}  // namespace
