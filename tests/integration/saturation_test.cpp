// Field case 67: the server has no connection left, and everybody keeps knocking.
#include <gmock/gmock.h>

#include <atomic>
#include <thread>

#include "support/client.hpp"
#include "support/fault_test.hpp"
#include "support/peers.hpp"

namespace {

using namespace std::chrono_literals;
using namespace pgcoord;
using namespace pgcoord::test;

class Saturation : public FaultTest {
 public:
  static void SetUpTestSuite() {
    start_server({"max_connections = 30", "max_wal_senders = 0", "autovacuum = off"});
  }

 protected:
  void SetUp() override {
    FaultTest::SetUp();
    allow_in_log("too many clients|remaining connection slots");
  }
  /// Until the server refuses the next one.
  std::vector<Connection> take_all() const {
    std::vector<Connection> taken;
    for (int i = 0; i < 100; ++i) {
      try {
        taken.push_back(connect());
      } catch (const SqlError&) {
        return taken;
      }
    }
    ADD_FAILURE() << "the server has room for all";
    return taken;
  }
};

TEST_F(Saturation, field_case_67_members_that_are_connected_lose_nothing_and_a_new_one_gets_in_later) {
  constexpr int members = 12;
  Connection root = connect();
  listen_to_members(root);
  std::vector<Connection> sessions;
  for (int i = 0; i < members; ++i) {
    const std::string name = "m" + std::to_string(i);
    sessions.push_back(member(name, "1 s"));
    EXPECT_TRUE(campaign(sessions.back(), "own of " + name).is_leader);
    campaign(sessions.back(), "common");
  }
  const Value changes = root.value("SELECT count(*) FROM coord.leadership_log");
  auto taken = take_all();
  EXPECT_GT(taken.size(), 5U);

  std::atomic<bool> done{false};
  std::atomic<int> knocks{0};
  std::vector<std::thread> knocking;
  for (int i = 0; i < 3; ++i)
    knocking.emplace_back([&] {
      while (!done) {
        EXPECT_THROW(connect(), SqlError);
        ++knocks;
      }
    });
  auto options = options_for("late", server());
  options.conninfo = server().conninfo(database());
  Session late(options);
  const auto end = std::chrono::steady_clock::now() + 5s;  // five times everybody's timeout
  while (std::chrono::steady_clock::now() < end)
    for (Connection& session : sessions) {
      ASSERT_EQ(session.sqlstate_of("SELECT coord.heartbeat()"), "00000");
      sweep(session);
    }
  EXPECT_GT(knocks, 100);
  EXPECT_EQ(root.value("SELECT count(*) FROM coord.peers WHERE status = 'healthy'"), std::to_string(members));
  EXPECT_FALSE(late.is_ready());
  EXPECT_EQ(late.last_failure()->sqlstate, "08001");
  EXPECT_THAT(late.last_failure()->message, testing::HasSubstr("too many clients"));
  done = true;
  for (std::thread& thread : knocking) thread.join();

  taken.clear();
  const auto beaten = [&] {
    for (Connection& session : sessions) heartbeat(session);
    return root.value("SELECT count(*) FROM coord.peers WHERE instance_id = 'late'") == "1";
  };
  EXPECT_TRUE(wait_until([&] { return late.is_ready() || (beaten(), false); }, 10s));
  EXPECT_EQ(root.value("SELECT count(*) FROM coord.leadership_log"), changes) << "taken over";
  for (const auto& bell : bells_until_now(root)) EXPECT_EQ(bell.find(" silent"), std::string::npos) << bell;
}

}  // namespace
