// What many heartbeats do to the registry, also while somebody's old snapshot holds back vacuum.
#include <gtest/gtest.h>

#include "fault_test.hpp"
#include "peers.hpp"
#include "wait.hpp"

namespace {

using namespace std::chrono_literals;
using namespace pgcoord::test;

class HeartbeatChurn : public FaultTest {
 public:
  static void SetUpTestSuite() { start_server({"autovacuum = off"}); }

 protected:
  static constexpr int members = 50;

  void SetUp() override {
    FaultTest::SetUp();
    root_ = std::make_unique<Connection>(connect());
    for (int i = 0; i < members; ++i) members_.push_back(member("m" + std::to_string(i), "60 s"));
  }
  void TearDown() override {
    members_.clear();
    root_.reset();
    FaultTest::TearDown();
  }
  Connection& root() { return *root_; }
  std::vector<Connection>& all() { return members_; }
  long long number(const std::string& query) { return std::stoll(root().value(query).value()); }

  /// Every member is heard, and recorded, once in a round; one after the other, since the server extends a
  /// table by many pages at once when many wait for one.
  void beat(int rounds) {
    const auto all_are_due = [&] {
      return root().value(
                 "SELECT bool_and(clock_timestamp() > last_heartbeat_at + interval '101 ms')"
                 " FROM coord._beat") == "t";
    };
    for (int round = 0; round < rounds; ++round) {
      ASSERT_TRUE(wait_until(all_are_due, 5s));
      for (Connection& session : members_) session.exec("SELECT coord.heartbeat()");
    }
  }
  /// Sessions tell their counts to the statistics at once only when they are asked to.
  long long counted(const std::string& column, const std::string& table) {
    for (Connection& session : members_) session.exec("SELECT pg_stat_force_next_flush()");
    return number("SELECT " + column +
                  " FROM pg_stat_user_tables WHERE schemaname = 'coord' AND relname = '" + table + "'");
  }
  long long size_of(const std::string& table) {
    return number("SELECT pg_total_relation_size('coord." + table + "')");
  }

 private:
  std::unique_ptr<Connection> root_;
  std::vector<Connection> members_;
};

TEST_F(HeartbeatChurn, heartbeats_that_change_nothing_make_no_row_and_tell_nobody) {
  constexpr int rounds = 30;
  Connection ear = connect();
  listen_to_all(ear);
  beat(1);
  const long long size = size_of("_beat");
  const long long updates = counted("n_tup_upd", "_beat");
  const long long member_updates = counted("n_tup_upd", "_member");
  beat(rounds);
  EXPECT_EQ(counted("n_tup_upd", "_beat"), updates) << "a heartbeat overwrites its row";
  EXPECT_EQ(size_of("_beat"), size) << "the registry grows";
  EXPECT_EQ(counted("n_tup_upd", "_member"), member_updates);
  EXPECT_FALSE(ear.notification(100ms).has_value()) << "told, though nothing had changed";
  all()[0].exec("SELECT coord.heartbeat('{s}', 1, 0.5)");
  EXPECT_TRUE(ear.notification(1s).has_value());
  all()[0].exec("SELECT coord.heartbeat('{s}', 1, 0.5)");
  EXPECT_FALSE(ear.notification(100ms).has_value()) << "the same once more is no news";
}

TEST_F(HeartbeatChurn, FieldCase61_an_open_snapshot_costs_no_room) {
  constexpr int rounds = 40;
  beat(1);
  Connection reader = connect();
  reader.exec("BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT count(*) FROM coord.peers");
  const long long size = size_of("_beat");
  beat(rounds);
  EXPECT_EQ(size_of("_beat"), size);
  EXPECT_EQ(number("SELECT count(*) FROM coord.peers WHERE status = 'healthy'"), members);
  reader.exec("COMMIT");
}

TEST_F(HeartbeatChurn, a_heartbeat_waits_for_a_change_of_its_row_and_is_not_lost_with_it) {
  Connection& beating = all()[0];
  Connection other = connect();
  for (const std::string end : {"COMMIT", "ROLLBACK"}) {
    other.exec("BEGIN");
    other.exec(
        "UPDATE coord._beat b SET heartbeat_timeout = heartbeat_timeout + 1 FROM coord._member m"
        " WHERE m.incarnation = b.incarnation AND m.instance_id = 'm0'");
    beating.send("SELECT coord.heartbeat(NULL, " + std::to_string(end == "COMMIT" ? 41 : 42) + ")");
    ASSERT_TRUE(wait_until(
        [&] { return number("SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'") == 1; },
        900ms));
    other.exec(end);
    beating.finish();
    EXPECT_EQ(number("SELECT in_flight_count FROM coord.peers WHERE instance_id = 'm0'"),
              end == "COMMIT" ? 41 : 42);
  }
}

}  // namespace
