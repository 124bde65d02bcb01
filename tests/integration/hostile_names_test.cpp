// Names that are SQL, shell or format strings elsewhere: through the client, the tool and every view they
// come back unchanged.
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "integration/tool.hpp"
#include "support/client.hpp"

namespace {

using namespace std::chrono_literals;
using namespace pgcoord;
using pgcoord::test::Connection;
using pgcoord::test::Rows;
using pgcoord::test::wait_until;
using pgcoord::test::Words;

const std::vector<std::string> hostile_names{
    "x'; DROP TABLE coord._member; --",
    "\"; DROP TABLE coord._member; --",
    "it's \"quoted\"",
    R"(back\slash \' \" \n \x41 E'\101')",
    "%s %n %d %1$s %%",
    "$1 $$ ${HOME} `id` $(id) | & ; > <",
    R"({a,"b",NULL})",
    "NULL",
    "e\xcc\x81 \xf0\x9f\x98\x80 \xe2\x80\xae",
    " blanks ",
    "..",
    "\\",
    "'",
};
/// No name of an instance, but a key, a value or somebody's work all the same.
const std::string broken_lines = "line\nbreak\ttab \r\n';\n--";

class HostileNames : public pgcoord::test::ToolTest {
 protected:
  void SetUp() override {
    // Whatever is hit by a name that is run.
    tables_ = tables();
    ASSERT_NE(tables_, "0");
  }
  void TearDown() override { EXPECT_EQ(tables(), tables_); }

  static std::string tables() {
    return connect()
        .value("SELECT count(*) FROM pg_class WHERE relnamespace = 'coord'::regnamespace")
        .value();
  }
  static SessionOptions options(const std::string& name) {
    SessionOptions made;
    made.conninfo = server().conninfo();
    made.instance_id = made.member_group = name;
    made.subscriptions = {name, "orders"};
    made.metadata = nlohmann::json{{name, broken_lines}}.dump();
    return made;
  }

 private:
  std::string tables_;
};

TEST_F(HostileNames, G7_members_elections_and_work_of_the_client) {
  Connection root = connect();
  for (const auto& name : hostile_names) {
    SCOPED_TRACE(name);
    Session session(options(name));
    PgLeaderElector elector(session, name);
    PgCoordinator coordinator(session, &elector);
    coordinator.watch();
    session.require_ready(10s);
    ASSERT_TRUE(elector.try_acquire());
    EXPECT_EQ(elector.current_leader(), name);
    ASSERT_TRUE(coordinator.wait_until_read(10s));
    EXPECT_EQ(coordinator.assign(name, {name, broken_lines}).subscriptions.back(), broken_lines);
    coordinator.set_subscriptions({name});
    EXPECT_TRUE(wait_until([&] {
      return root.value("SELECT subscriptions = ARRAY[$1] FROM coord.peers WHERE instance_id = $1", {name}) ==
             "t";
    }));
    coordinator.announce_shutdown(ShutdownIntent::graceful, 30s, 0, {{"why", name}});
    EXPECT_EQ(
        root.exec("SELECT instance_id, member_group, metadata ->> $1, shutdown_metadata ->> 'why', leads"
                  " FROM coord.peers WHERE instance_id = $1",
                  {name}),
        (Rows{{name, name, broken_lines, name, "t"}}));
    EXPECT_EQ(root.exec("SELECT election, leader FROM coord.elections WHERE election = $1", {name}),
              (Rows{{name, name}}));
  }
}

TEST_F(HostileNames, G7_announcements_of_such_groups_and_elections_are_heard) {
  for (const auto& name : hostile_names) {
    SCOPED_TRACE(name);
    Session session(options(name));
    PgLeaderElector elector(session, name);
    elector.observe([](const auto&) {});
    session.require_ready(10s);
    Connection other = connect();
    other.exec("SELECT coord.join('other', $1)", {name});
    other.exec("SELECT coord.campaign($1)", {name});
    EXPECT_TRUE(wait_until([&] { return elector.current_leader() == "other"; }, 3s));
  }
}

TEST_F(HostileNames, G7_locks_of_the_client) {
  Connection root = connect();
  auto keys = hostile_names;
  keys.push_back(broken_lines);
  keys.push_back(std::string(5000, '\''));
  keys.emplace_back();
  LockOptions made;
  made.conninfo = server().conninfo();
  made.holder_id = hostile_names.front();
  PgLockManager manager(made);
  for (const auto& key : keys) {
    SCOPED_TRACE(key);
    const auto guard = manager.acquire(key, 5s);
    EXPECT_EQ(root.exec("SELECT key FROM coord.locks WHERE lock_id = coord.lock_key($1)", {key}),
              (Rows{{key}}));
    EXPECT_EQ(root.value("SELECT coord.try_lock($1)", {key}), "f");
  }
  EXPECT_EQ(root.value("SELECT count(*) FROM coord.locks"), "0");
}

TEST_F(HostileNames, G7_the_tool) {
  for (std::size_t i = 0; i < hostile_names.size(); i += 2) {  // each time five programs
    const auto& name = hostile_names[i];
    SCOPED_TRACE(name);
    const auto led = run({"elect", name, "--id", name, "--group", name, "-d", server().conninfo(), "--", "sh",
                          "-c", "printf %s \"$PGCOORD_ELECTION\""});
    EXPECT_EQ(exit_code(led), 0) << led->err();
    EXPECT_EQ(led->out(), name);
    const auto locked = run({"lock", name, "-d", server().conninfo(), "--", "printf", "%s", name});
    EXPECT_EQ(exit_code(locked), 0) << locked->err();
    EXPECT_EQ(locked->out(), name);
    Connection session = member(name, name);
    session.exec("SELECT coord.campaign($1)", {name});
    const auto rows = nlohmann::json::parse(shown("members", {"--output", "json"}));
    EXPECT_TRUE(std::any_of(rows.begin(), rows.end(), [&](const auto& row) {
      return row.at("instance_id") == name;
    })) << rows.dump();
    EXPECT_EQ(exit_code(look("leader", {name})), 0);
    EXPECT_EQ(exit_code(look("drain", {name, "--group", name})), 0);
    session.exec("SELECT coord.leave()");
    session.exec("SELECT coord.remove_member($1, $1)", {name});
  }
}

}  // namespace
