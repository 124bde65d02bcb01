// Field case 73: items that are owned by whoever leads their election, while owners come, go, die and are
// slow to stop.
#include <gtest/gtest.h>

#include <atomic>
#include <map>
#include <random>
#include <thread>

#include "fault_test.hpp"
#include "wait.hpp"

namespace {

using namespace std::chrono_literals;
using namespace pgcoord::test;
using std::chrono::steady_clock;

class Ownership : public FaultTest {
 public:
  static void SetUpTestSuite() { start_server({"track_commit_timestamp = on"}); }

 protected:
  static constexpr int items = 20;

  /// One node: joins, wants everything, works on what it owns, and on what it owned before; then goes
  /// somehow.
  class Node {
   public:
    Node(Ownership& test, int number) : test_(test), name_("n" + std::to_string(number)), random_(number) {}

    void live(steady_clock::time_point end) {
      for (int life = 0; steady_clock::now() < end; ++life) {
        Connection session = test_.connect();
        if (!wait_until([&] {
              return session.sqlstate_of("SELECT coord.join('" + name_ + "', heartbeat_timeout => '60 s')") ==
                     "00000";
            }))
          return void(ADD_FAILURE() << name_ << " cannot join again");
        for (int rounds = 3 + pick(6); rounds > 0; --rounds) work(session);
        leave(session, life);
      }
    }

   private:
    int pick(int below) { return std::uniform_int_distribution(0, below - 1)(random_); }

    void work(Connection& session) {
      for (int item = 0; item < items; ++item)  // a change under way is in the way for a second at most
        session.sqlstate_of("SELECT coord.campaign('item " + std::to_string(item) + "')");
      for (const auto& owned : heartbeat(session)) {
        write(session, owned.election, owned.token, true);
        before_.emplace_back(owned.election, owned.token);
      }
      for (int slow = 0; slow < 3 && !before_.empty(); ++slow) {
        const auto& [item, token] = before_[static_cast<std::size_t>(pick(static_cast<int>(before_.size())))];
        write(session, item, token, false);
      }
    }
    void write(Connection& session, const std::string& item, std::int64_t token, bool owned) {
      session.exec("BEGIN");
      const std::string fenced =
          session.sqlstate_of("SELECT coord.fence('" + item + "', " + std::to_string(token) + ")");
      if (fenced == "00000")
        session.exec("INSERT INTO effect VALUES ($1, $2::bigint, $3)", {item, std::to_string(token), name_});
      const std::string end = session.sqlstate_of("COMMIT");
      if (fenced == "00000" && end == "00000") return void(++test_.written_);
      ++test_.refused_;
      for (const auto& state : {fenced, end})
        if (state != "00000" && state != "PC002" && state != "55P03")
          ADD_FAILURE() << state << (owned ? " of an owner" : "");
    }
    void leave(Connection& session, int life) {
      switch ((life + pick(3)) % 3) {
        case 0:
          session.exec("SELECT coord.leave()");
          break;
        case 1:
          session.sever();
          break;
        default:
          session.exec("DISCARD ALL");
      }
    }

    Ownership& test_;
    const std::string name_;
    std::mt19937 random_;
    std::vector<std::pair<std::string, std::int64_t>> before_;
  };

  std::atomic<int> written_ = 0;
  std::atomic<int> refused_ = 0;
};

TEST_F(Ownership, field_case_73_of_twenty_items_and_five_nodes_no_effect_overlaps) {
  allow_in_log("connection to client lost");
  Connection root = connect();
  root.exec("CREATE TABLE effect (item text, token bigint, node text)");
  const auto end = steady_clock::now() + 8s;
  std::vector<std::thread> nodes;
  for (int i = 0; i < 5; ++i) nodes.emplace_back([this, i, end] { Node(*this, i).live(end); });
  for (std::thread& node : nodes) node.join();

  EXPECT_GT(written_, 200);
  EXPECT_GT(refused_, 50);
  EXPECT_EQ(root.value("SELECT count(*) FROM effect"), std::to_string(written_))
      << "refused, and yet committed";
  EXPECT_GT(std::stoi(*root.value("SELECT count(DISTINCT (item, node)) FROM effect")), items)
      << "nothing has moved";
  EXPECT_EQ(root.exec("SELECT e.item, e.token, n.token FROM effect e JOIN effect n ON n.item = e.item AND "
                      "n.token > e.token"
                      " AND pg_xact_commit_timestamp(n.xmin) < pg_xact_commit_timestamp(e.xmin) LIMIT 5"),
            Rows{})
      << "an effect of a former owner after one of a later";
  EXPECT_EQ(root.exec("SELECT item, token FROM effect GROUP BY item, token HAVING count(DISTINCT node) > 1"),
            Rows{})
      << "two owners under one token";
  EXPECT_EQ(root.exec("SELECT e.item, e.token FROM effect e JOIN coord._change c ON c.election = e.item"
                      " AND c.leader IS NOT NULL AND c.epoch::bigint << 40 | c.term > e.token"
                      " AND pg_xact_commit_timestamp(c.xmin) < pg_xact_commit_timestamp(e.xmin) LIMIT 5"),
            Rows{})
      << "an effect after the next term had begun";
}

}  // namespace
