// Fenced writers against take-overs, in random order.
#include <gtest/gtest.h>

#include <atomic>
#include <random>
#include <thread>

#include "fault_test.hpp"

namespace {

using namespace std::chrono_literals;
using namespace pgcoord::test;
using std::chrono::steady_clock;

class FenceRace : public FaultTest {
 public:
  static void SetUpTestSuite() { start_server({"track_commit_timestamp = on"}); }

 protected:
  /// A short time of random length.
  static void dawdle(std::mt19937& random, int longest = 2000) {
    const std::chrono::microseconds pause{std::uniform_int_distribution{0, longest}(random)};
    const auto end = steady_clock::now() + pause;
    while (steady_clock::now() < end) std::this_thread::yield();
  }

  /// Campaigns again and again, and writes under whatever term it holds.
  void write_for_a_while(const std::string& name, unsigned seed) {
    std::mt19937 random{seed};
    Connection session = member(name, "60 s");
    const auto end_of_test = steady_clock::now() + 30s;
    for (int round = 0; !enough() && steady_clock::now() < end_of_test; ++round) {
      const Leadership held = campaign_patiently(session);
      if (!held.is_leader) continue;
      constexpr const char* levels[] = {"READ COMMITTED", "REPEATABLE READ", "SERIALIZABLE"};
      const std::string token = std::to_string(held.token);
      session.exec(std::string{"BEGIN ISOLATION LEVEL "} + levels[round % 3]);
      const std::string state = session.sqlstate_of("SELECT coord.fence('x', " + token + ")");
      if (state == "00000") session.exec("INSERT INTO written VALUES (" + token + ")");
      dawdle(random);
      const std::string end = session.sqlstate_of("COMMIT");
      if (state == "00000") ++(end == "00000" ? committed_ : refused_);
      if (end != "00000" && end != "PC002" && end != "40001") ADD_FAILURE() << end;
      if (round % 5 == 0) resign(session, "x");
    }
  }

  static Leadership campaign_patiently(Connection& session) {
    try {
      return campaign(session, "x");
    } catch (const SqlError& error) {
      if (error.sqlstate() != "55P03") throw;
      return {};
    }
  }

  void depose_until(const std::atomic<bool>& done) {
    std::mt19937 random{99};
    Connection root = connect();
    while (!done) {
      dawdle(random, 5000);
      depose(root, "x");
    }
  }

  bool enough() const { return committed_ > 200 && refused_ > 200 && committed_ + refused_ > 1000; }

  std::atomic<int> committed_ = 0;
  std::atomic<int> refused_ = 0;
};

TEST_F(FenceRace, G3_field_case_55_no_row_of_an_old_term_commits_after_a_newer_term) {
  Connection root = connect();
  root.exec("CREATE TABLE written (token bigint)");
  std::atomic<bool> done = false;
  std::vector<std::thread> writers;
  for (unsigned i = 0; i < 3; ++i)
    writers.emplace_back([this, i] { write_for_a_while("w" + std::to_string(i), i); });
  std::thread deposer{[&] { depose_until(done); }};
  for (std::thread& writer : writers) writer.join();
  done = true;
  deposer.join();

  EXPECT_TRUE(enough()) << committed_ << " committed, " << refused_ << " refused";
  EXPECT_EQ(root.value("SELECT count(*) FROM written"), std::to_string(committed_))
      << "refused, and yet committed";
  EXPECT_EQ(
      root.exec("SELECT w.token, pg_xact_commit_timestamp(w.xmin), min(pg_xact_commit_timestamp(c.xmin))"
                " FROM written w JOIN coord._change c"
                " ON c.leader IS NOT NULL AND c.epoch::bigint << 40 | c.term > w.token"
                " GROUP BY w.ctid, w.token, w.xmin"
                " HAVING pg_xact_commit_timestamp(w.xmin) > min(pg_xact_commit_timestamp(c.xmin))"),
      Rows{});
  EXPECT_EQ(root.exec("SELECT token FROM written EXCEPT SELECT token FROM coord.leadership_log"), Rows{});
}

}  // namespace
