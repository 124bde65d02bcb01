// Field case 115: a publication of all tables takes the registry along, to a server with leaders of its own.
#include <gtest/gtest.h>

#include "fault_test.hpp"
#include "wait.hpp"

namespace {

using namespace std::chrono_literals;
using namespace pgcoord::test;

class Subscriber : public FaultTest {
 public:
  static void SetUpTestSuite() { start_server({"wal_level = logical"}); }

 protected:
  void SetUp() override {
    FaultTest::SetUp();
    there_.install();
    connect().exec(
        "CREATE TABLE orders (id int PRIMARY KEY); CREATE PUBLICATION everything FOR ALL TABLES;"
        " CREATE PUBLICATION rest FOR TABLES IN SCHEMA public");
    there_.connect().exec("CREATE TABLE orders (id int PRIMARY KEY)");
  }
  void TearDown() override {
    there_.connect().exec("DROP SUBSCRIPTION all_of_it");
    FaultTest::TearDown();
  }
  void subscribe(const std::string& publication) {
    there_.connect().exec("CREATE SUBSCRIPTION all_of_it CONNECTION $$" + server().conninfo(database()) +
                          "$$ PUBLICATION " + publication);
  }
  bool arrives(int id) {
    Connection root = there_.connect();
    return wait_until([&] {
      return root.value("SELECT count(*) FROM orders WHERE id = $1::int", {std::to_string(id)}) == "1";
    });
  }

  Server there_;
};

TEST_F(Subscriber, field_case_115_with_rows_of_the_registry_nobody_becomes_leader_or_member_by_them) {
  Connection leader = member("a");
  const std::int64_t token = campaign(leader, "x").token;
  subscribe("everything");
  Connection here = connect();
  here.exec("INSERT INTO orders VALUES (1)");
  ASSERT_TRUE(arrives(1));
  Connection root = there_.connect();
  ASSERT_TRUE(wait_until([&] { return root.value("SELECT count(*) FROM coord._member") == "1"; }));
  ASSERT_TRUE(wait_until([&] { return root.value("SELECT count(*) FROM coord._election") == "1"; }));
  EXPECT_EQ(leader_of(root, "x"), std::nullopt);
  EXPECT_EQ(root.value("SELECT leader FROM coord.elections"), std::nullopt);
  EXPECT_NE(root.value("SELECT status FROM coord.peers"), "healthy");
  EXPECT_EQ(fence_state(root, "x", token), "PC002");
  for (int beat = 0; beat < 20; ++beat)
    ASSERT_EQ(heartbeat(leader).size(), 1U);  // its own server minds nothing
}

TEST_F(Subscriber, field_case_115_without_them_leaders_there_keep_their_terms) {
  Connection leader = member("a");
  campaign(leader, "x");
  Connection their_leader = there_.connect();
  join(their_leader, "a");
  const std::int64_t token = campaign(their_leader, "x").token;
  subscribe("rest");
  for (int id = 1; id <= 20; ++id) {
    ASSERT_TRUE(resign(leader, "x") && campaign(leader, "x").is_leader);
    connect().exec("INSERT INTO orders VALUES ($1::int)", {std::to_string(id)});
  }
  ASSERT_TRUE(arrives(20));
  const auto led = heartbeat(their_leader);
  ASSERT_EQ(led.size(), 1U);
  EXPECT_EQ(led[0].token, token);
  EXPECT_EQ(fence_state(their_leader, "x", token), "00000");
  EXPECT_EQ(their_leader.value("SELECT count(*) FROM coord.leadership_log"), "1");
}

}  // namespace
