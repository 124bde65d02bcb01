// More named locks than the server has room for.
#include <gtest/gtest.h>

#include "fault_test.hpp"
#include "wait.hpp"

namespace {

using namespace std::chrono_literals;
using namespace pgcoord::test;

class LockExhaustion : public FaultTest {
 public:
  static void SetUpTestSuite() {
    start_server({"max_locks_per_transaction = 10", "max_connections = 10", "max_wal_senders = 0",
                  "max_worker_processes = 0", "autovacuum = off"});
  }

 protected:
  static constexpr int many = 10000;

  static std::string try_lock(int number) {
    return "SELECT coord.try_lock('" + std::to_string(number) + "')";
  }

  /// Until the server has no room left; how many it was.
  static int fill(Connection& session) {
    for (int i = 0; i < many; ++i) {
      const std::string state = session.sqlstate_of(try_lock(i));
      if (state == "00000") continue;
      EXPECT_EQ(state, "53200");
      return i;
    }
    ADD_FAILURE() << "there was room for all";
    return many;
  }

  static Value held_by(Connection& session) {
    return session.value(
        "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid()");
  }
};

TEST_F(LockExhaustion, G7_field_case_16_what_fails_is_not_held_and_what_is_held_stays) {
  Connection session = connect();
  const int held = fill(session);
  EXPECT_GT(held, 100);
  EXPECT_EQ(session.sqlstate_of("CALL coord.lock('one more', '1 s')"), "53200");
  EXPECT_EQ(held_by(session), std::to_string(held));
  EXPECT_EQ(session.value("SELECT coord.unlock('" + std::to_string(held) + "')"), "f");
  EXPECT_EQ(session.value("SELECT 1"), "1");
  EXPECT_EQ(session.value("SELECT coord.unlock_all()"), std::to_string(held));
  EXPECT_EQ(held_by(session), "0");
}

TEST_F(LockExhaustion, G7_field_case_16_giving_back_makes_room_again) {
  Connection session = connect();
  const int held = fill(session);
  for (int i = 0; i < held; i += 2) session.exec("SELECT coord.unlock('" + std::to_string(i) + "')");
  EXPECT_EQ(session.sqlstate_of("BEGIN"), "00000");
  EXPECT_EQ(session.sqlstate_of("CALL coord.lock('in a block')"), "00000");
  EXPECT_EQ(session.sqlstate_of("COMMIT"), "00000");
  EXPECT_EQ(session.sqlstate_of(try_lock(0)), "00000");
  Connection other = connect();
  EXPECT_EQ(other.value(try_lock(1)), "f");
}

TEST_F(LockExhaustion, G7_field_case_16_the_end_of_the_session_frees_everything) {
  Connection other = connect();
  {
    Connection session = connect();
    fill(session);
    EXPECT_TRUE(terminate(other, session.backend_pid()));
  }
  EXPECT_TRUE(wait_until([&] { return other.value(try_lock(0)) == "t"; }, 5s));
  EXPECT_GT(fill(other), 100);
}

}  // namespace
