// Field case 43: a leader's whole process is stopped, replaced, and wakes up. What it believes and may do
// then.
#include <gtest/gtest.h>

#include <csignal>
#include <cstdlib>
#include <iostream>

#include "support/client.hpp"
#include "support/fault_test.hpp"
#include "support/process.hpp"

namespace {

using namespace std::chrono_literals;
using namespace pgcoord;
using namespace pgcoord::test;
using std::chrono::steady_clock;

/// Until this process was stopped for two seconds and goes on; what is_leader() says then, before anything
/// is sent or received.
bool leads_when_woken(const PgLeaderElector& elector) {
  const auto end = BootClock::now() + 60s;
  for (auto last = BootClock::now(); last < end;) {
    const auto now = BootClock::now();
    const bool leads = elector.is_leader();
    if (now - last > 2s) return leads;
    last = now;
    std::this_thread::sleep_for(1ms);
  }
  return true;
}

/// The body of a process that the test below starts, stops and resumes.
TEST(WokenProcess, DISABLED_says_what_it_can_still_do) {
  const std::string conninfo = std::getenv("WOKEN_CONNINFO");
  SessionOptions options;
  options.conninfo = conninfo;
  options.instance_id = "sleeper";
  options.heartbeat_timeout = 2s;
  Session session(options);
  PgLeaderElector elector(session, "x");
  ASSERT_TRUE(elector.try_acquire());
  const auto token = elector.token()->value;
  std::cout << "token " << token << std::endl;
  std::cout << (leads_when_woken(elector) ? "leads" : "does not lead") << std::endl;
  Connection writer{conninfo};
  std::cout << "fence " << fence_state(writer, "x", token) << std::endl;
  std::cout << (elector.renew() ? "renewed" : "not renewed") << std::endl;
  elector.release();
  std::cout << "released" << std::endl;
}

class Woken : public FaultTest {
 protected:
  static bool says(const Child& child, const std::string& text) {
    const bool said = wait_until([&] { return child.out().find(text) != std::string::npos; });
    EXPECT_TRUE(said) << text << "\nout: " << child.out() << "\nerr: " << child.err();
    return said;
  }
};

TEST_F(Woken, field_case_43_knows_before_it_asks_and_changes_nothing) {
  Connection heir = member("heir", "60 s");
  Child sleeper({"/proc/self/exe", "--gtest_also_run_disabled_tests", "--gtest_filter=WokenProcess.*"},
                {{"WOKEN_CONNINFO", server().conninfo(database())}});
  ASSERT_TRUE(says(sleeper, "token "));
  ASSERT_FALSE(campaign(heir, "x").is_leader);
  const auto stopped = steady_clock::now();
  sleeper.kill(SIGSTOP);
  ASSERT_TRUE(wait_until([&] { return sweep(heir), !heartbeat(heir).empty(); }, 3s))
      << "timeout + 1 s has passed";
  const auto mine = heartbeat(heir).at(0);
  ASSERT_TRUE(wait_until([&] { return steady_clock::now() > stopped + 4s; }));  // twice its timeout
  sleeper.kill(SIGCONT);
  ASSERT_TRUE(says(sleeper, "released"));
  const auto out = sleeper.out();
  EXPECT_NE(out.find("\ndoes not lead\nfence PC002\nnot renewed\nreleased\n"), std::string::npos) << out;
  EXPECT_EQ(heartbeat(heir).at(0).token, mine.token);
  EXPECT_EQ(leader_of(heir, "x"), "heir");
  EXPECT_EQ(heir.value("SELECT count(*) FROM coord.leadership_log"), "2");
}

}  // namespace
