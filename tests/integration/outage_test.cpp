// Field case 121: the server goes down under several nodes that own many things, and comes back.
#include <gtest/gtest.h>

#include "support/client.hpp"
#include "support/fault_test.hpp"

namespace {

using namespace std::chrono_literals;
using namespace pgcoord;
using namespace pgcoord::test;
using std::chrono::steady_clock;

class Outage : public FaultTest, public testing::WithParamInterface<Server::Mode> {
 protected:
  static constexpr int nodes = 5;
  static constexpr int items = 20;

  struct Node {
    Node(SessionOptions options, int items) : session(std::move(options)) {
      for (int i = 0; i < items; ++i)
        electors.push_back(std::make_unique<PgLeaderElector>(session, "item " + std::to_string(i)));
      for (const auto& elector : electors) elector->campaign();
    }
    Session session;
    std::vector<std::unique_ptr<PgLeaderElector>> electors;
  };

  void start() {
    for (int i = 0; i < nodes; ++i) {
      auto options = options_for("node " + std::to_string(i), server());
      options.conninfo = server().conninfo(database());
      options.heartbeat_timeout = 2s;
      options.reconnect_max = 500ms;
      nodes_.push_back(std::make_unique<Node>(options, items));
    }
  }
  /// How many lead that item, by their own word.
  int leaders(std::size_t item) const {
    int count = 0;
    for (const auto& node : nodes_) count += node->electors[item]->is_leader() ? 1 : 0;
    return count;
  }
  bool all_items_have(int wanted) const {
    for (std::size_t item = 0; item < items; ++item)
      if (leaders(item) != wanted) return false;
    return true;
  }
  std::int64_t token_of(std::size_t item) const {
    for (const auto& node : nodes_)
      if (const auto token = node->electors[item]->token()) return token->value;
    return 0;
  }

  std::vector<std::unique_ptr<Node>> nodes_;
};

TEST_P(Outage, field_case_121_each_item_has_one_new_owner_soon_after_and_no_client_is_restarted) {
  start();
  ASSERT_TRUE(wait_until([&] { return all_items_have(1); }));
  std::vector<std::int64_t> before;
  for (std::size_t item = 0; item < items; ++item) before.push_back(token_of(item));
  server().stop(GetParam());
  EXPECT_TRUE(wait_until([&] { return all_items_have(0); }, 2200ms)) << "somebody still believes";
  const auto down = steady_clock::now();
  ASSERT_TRUE(wait_until([&] { return steady_clock::now() > down + 3s; }));  // longer than the timeout
  EXPECT_TRUE(all_items_have(0)) << "confirmed from memory";
  server().start();
  server().wait_ready();
  const auto never_two = [&] {
    for (std::size_t item = 0; item < items; ++item) EXPECT_LE(leaders(item), 1) << item;
    return all_items_have(1);
  };
  EXPECT_TRUE(wait_until(never_two, 4s)) << "timeout, two heartbeats and a reconnection have passed";
  Connection root = connect();
  for (std::size_t item = 0; item < items; ++item) {
    EXPECT_GT(token_of(item), before[item]);
    EXPECT_EQ(fence_state(root, "item " + std::to_string(item), before[item]), "PC002");
  }
  for (const auto& node : nodes_) EXPECT_TRUE(wait_until([&] { return node->session.is_ready(); }));
  EXPECT_EQ(root.value("SELECT count(*) FROM coord.peers WHERE status = 'healthy'"), std::to_string(nodes));
  nodes_.clear();
}

INSTANTIATE_TEST_SUITE_P(After, Outage, testing::Values(Server::Mode::fast, Server::Mode::immediate),
                         [](const auto& info) {
                           return info.param == Server::Mode::fast ? "a_fast_stop" : "a_crash";
                         });

}  // namespace
