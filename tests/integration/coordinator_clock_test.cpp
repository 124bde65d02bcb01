// The wall clocks of coordinators do not count.
#include <csignal>
#include <cstdlib>
#include <ctime>
#include <iostream>

#include "support/group.hpp"
#include "support/process.hpp"

namespace {

using namespace std::chrono_literals;
using namespace pgcoord;
using pgcoord::test::Child;
using pgcoord::test::wait_until;

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

/// The body of a process that the test below starts: says how it sees its peers.
TEST(CoordinatorProcess, DISABLED_says_what_it_sees) {
  SessionOptions options;
  options.conninfo = variable("PEER_CONNINFO");
  options.instance_id = variable("PEER_NAME");
  options.heartbeat_timeout = 4s;
  Session session(options);
  PgCoordinator coordinator(session);
  coordinator.on_peer_timeout([](const auto& id) { std::cout << "timeout " << id << std::endl; });
  coordinator.watch();
  std::cout << "its clock: " << std::time(nullptr) << std::endl;
  std::map<std::string, PeerStatus> told;
  wait_until(
      [&] {
        for (const auto& [id, peer] : coordinator.known_peers()) {
          const auto status = peer.status(BootClock::now());
          const auto before = told.find(id);
          if (before != told.end() && before->second == status) continue;
          told[id] = status;
          std::cout << id << " is " << to_string(status) << std::endl;
        }
        return false;
      },
      60s);
  FAIL() << "was to be killed";
}

class CoordinatorClock : public pgcoord::test::GroupTest {
 protected:
  std::unique_ptr<Child> start(const std::string& name, int offset) const {
    return std::make_unique<Child>(
        std::vector<std::string>{"/proc/self/exe", "--gtest_also_run_disabled_tests",
                                 "--gtest_filter=CoordinatorProcess.*"},
        pgcoord::test::Environment{{"LD_PRELOAD", "libpgcoord_wall_clock.so"},
                                   {"WALL_CLOCK_OFFSET", std::to_string(offset)},
                                   {"PEER_CONNINFO", server().conninfo(database())},
                                   {"PEER_NAME", name}});
  }
  /// How far ahead that process' clock is.
  static double seconds_ahead(const Child& child) {
    const std::string label = "its clock: ";
    const auto out = child.out();
    const auto place = out.find(label);
    return place == std::string::npos
               ? 0
               : std::atof(out.c_str() + place + label.size()) - static_cast<double>(std::time(nullptr));
  }
  static bool says(const Child& child, const std::string& text, std::chrono::milliseconds bound = 20s) {
    const bool said = wait_until([&] { return child.out().find(text) != std::string::npos; }, bound);
    EXPECT_TRUE(said) << text << "\nout: " << child.out() << "\nerr: " << child.err();
    return said;
  }
};

TEST_F(CoordinatorClock, W23_five_minutes_ahead_or_behind_change_nothing) {
  const auto ahead = start("ahead", 300);
  const auto behind = start("behind", -300);
  Instance right(options("right"));
  ASSERT_TRUE(says(*ahead, "behind is healthy"));
  ASSERT_TRUE(says(*behind, "ahead is healthy"));
  ASSERT_TRUE(right.sees("ahead", PeerStatus::healthy));
  EXPECT_NEAR(seconds_ahead(*ahead), 300, 60);
  EXPECT_NEAR(seconds_ahead(*behind), -300, 60);
  auto by = connect();
  const auto start = by.value("SELECT clock_timestamp()").value();
  ASSERT_TRUE(wait_until([&] {  // longer than the timeout
    return by.value("SELECT clock_timestamp() > $1::timestamptz + interval '5 s'", {start}) == "t";
  }));
  for (const auto* child : {ahead.get(), behind.get()}) {
    EXPECT_EQ(child->out().find("stale"), std::string::npos) << child->out();
    EXPECT_EQ(child->out().find("timeout"), std::string::npos) << child->out();
  }
  ahead->kill(SIGSTOP);  // silent, with its session alive
  EXPECT_TRUE(says(*behind, "timeout ahead", 12s));
  EXPECT_TRUE(right.heard.hears("timeout ahead", 12s));
  ahead->kill(SIGCONT);
  EXPECT_TRUE(right.sees("ahead", PeerStatus::healthy, 6s));
}

}  // namespace
