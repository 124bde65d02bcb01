// Copies of a database: dump and restore, and templates.
#include <gtest/gtest.h>

#include "fault_test.hpp"
#include "process.hpp"
#include "workshop.hpp"

namespace {

using namespace std::chrono_literals;
using namespace pgcoord::test;

class Dump : public FaultTest {
 protected:
  void SetUp() override {
    FaultTest::SetUp();
    skip_journal();  // it is not dumped
    leader_ = std::make_unique<Connection>(member("a"));
    for (int round = 0; round < 50; ++round) {
      token_ = campaign(*leader_, "x").token;
      if (round < 49) resign(*leader_, "x");
    }
  }
  void TearDown() override {
    leader_.reset();
    FaultTest::TearDown();
  }

  std::string dump(const std::vector<std::string>& options) const {
    const std::string file = (Workshop::instance().new_folder("dump") / "dump.sql").string();
    std::vector<std::string> argv{Workshop::instance().program("pg_dump"), "-d",
                                  server().conninfo(database()), "-f", file};
    argv.insert(argv.end(), options.begin(), options.end());
    run(argv);
    return file;
  }
  void restore(const std::string& file, const std::string& target) const {
    run({Workshop::instance().program("psql"), "-XAtq", "-v", "ON_ERROR_STOP=1", "-f", file,
         server().conninfo(target)});
  }
  std::string new_database(const std::string& options = "") const {
    const std::string name = database() + "_copy";
    server().connect().exec("CREATE DATABASE " + name + " " + options);
    return name;
  }

  void expect_fresh_terms(const std::string& target) const {
    Connection root = server().connect(target);
    EXPECT_EQ(leader_of(root, "x"), std::nullopt);
    EXPECT_EQ(root.exec("SELECT leader, candidates FROM coord.elections"), (Rows{{std::nullopt, "0"}}));
    EXPECT_EQ(fence_state(root, "x", token_), "PC002");
    Connection next = server().connect(target);
    join(next, "c");
    const Leadership now = campaign(next, "x");
    EXPECT_TRUE(now.is_leader);
    EXPECT_GT(now.token, token_);
    EXPECT_EQ(fence_state(root, "x", token_), "PC002");
    EXPECT_EQ(fence_state(root, "x", now.token), "00000");
  }
  void expect_leader_goes_on() const {
    const auto led = heartbeat(*leader_);
    ASSERT_EQ(led.size(), 1U);
    EXPECT_EQ(led[0].token, token_);
  }

  std::unique_ptr<Connection> leader_;
  std::int64_t token_ = 0;
};

TEST_F(Dump, G2_field_case_59_restored_beside_the_living_leader) {
  const std::string target = new_database();
  restore(dump({}), target);
  expect_fresh_terms(target);
  expect_leader_goes_on();
}

TEST_F(Dump, G2_field_case_59_schema_and_data_apart) {
  const std::string target = new_database();
  restore(dump({"--schema-only"}), target);
  restore(dump({"--data-only"}), target);
  expect_fresh_terms(target);
}

TEST_F(Dump, G2_restored_in_place_under_the_living_leader) {
  const std::string file = dump({});
  connect().exec("DROP EXTENSION pg_coord; DROP SCHEMA IF EXISTS coord");
  restore(file, database());
  EXPECT_NE(leader_->sqlstate_of("SELECT coord.resign('x')"), "00000");
  expect_fresh_terms(database());
  Connection root = connect();
  const Value now = leader_of(root, "x");
  EXPECT_EQ(leader_->sqlstate_of("SELECT coord.heartbeat()"), "PC001");
  EXPECT_TRUE(terminate(root, leader_->backend_pid()));
  EXPECT_EQ(leader_of(root, "x"), now) << "the old session's end touched the new registry";
}

TEST_F(Dump, G2_restored_from_a_dump_that_is_older_than_the_last_terms) {
  const std::string file = dump({});
  for (int round = 0; round < 10; ++round) {
    resign(*leader_, "x");
    token_ = campaign(*leader_, "x").token;
  }
  const std::string target = new_database();
  restore(file, target);
  expect_fresh_terms(target);
}

TEST_F(Dump, G2_database_made_from_a_template) {
  Connection root = server().connect();
  ASSERT_TRUE(terminate(root, leader_->backend_pid()));
  const std::string target = new_database("TEMPLATE " + database());
  expect_fresh_terms(target);
}

}  // namespace
