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

TEST_F(HeartbeatChurn, heartbeats_that_change_nothing_are_hot_tell_nobody_and_touch_one_table) {
  constexpr int rounds = 30;
  Connection ear = connect();
  listen_to_all(ear);
  beat(1);
  const long long size = size_of("_beat");
  const long long updates = counted("n_tup_upd", "_beat");
  const long long hot = counted("n_tup_hot_upd", "_beat");
  const long long member_updates = counted("n_tup_upd", "_member");
  beat(rounds);
  EXPECT_EQ(counted("n_tup_upd", "_beat") - updates, rounds * members);
  EXPECT_GE(counted("n_tup_hot_upd", "_beat") - hot, rounds * members * 99 / 100);
  EXPECT_LE(size_of("_beat"), size + 8192) << "the registry grows";
  EXPECT_EQ(counted("n_tup_upd", "_member"), member_updates);
  EXPECT_FALSE(ear.notification(100ms).has_value()) << "told, though nothing had changed";
  all()[0].exec("SELECT coord.heartbeat('{s}', 1, 0.5)");
  EXPECT_TRUE(ear.notification(1s).has_value());
  all()[0].exec("SELECT coord.heartbeat('{s}', 1, 0.5)");
  EXPECT_FALSE(ear.notification(100ms).has_value()) << "the same once more is no news";
}

TEST_F(HeartbeatChurn, open_snapshot_costs_bounded_room_and_no_answers) {
  constexpr int rounds = 40;
  beat(1);
  Connection reader = connect();
  reader.exec("BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT count(*) FROM coord.peers");
  const long long size = size_of("_beat");
  const long long updates = counted("n_tup_upd", "_beat");
  const long long hot = counted("n_tup_hot_upd", "_beat");
  beat(rounds);
  const long long grown = size_of("_beat") - size;
  const long long total = counted("n_tup_upd", "_beat") - updates;
  const double ratio =
      static_cast<double>(counted("n_tup_hot_upd", "_beat") - hot) / static_cast<double>(total);
  RecordProperty("hot_ratio", std::to_string(ratio));
  RecordProperty("grown", std::to_string(grown));
  std::cout << "with an open snapshot: " << total << " heartbeats, HOT " << ratio << ", grown by " << grown
            << " bytes\n";
  EXPECT_EQ(total, rounds * members);
  EXPECT_GE(ratio, 0.9);
  EXPECT_LE(grown, total * 128 + members * 8192) << "more than kept versions and a page for each session";
  EXPECT_EQ(number("SELECT count(*) FROM coord.peers WHERE status = 'healthy'"), members);
  reader.exec("COMMIT");
  beat(2);
  const long long settled = size_of("_beat");
  beat(rounds);
  EXPECT_LE(size_of("_beat"), settled) << "it grows on after the snapshot is gone";
}

}  // namespace
