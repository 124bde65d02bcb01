// pgcoord lock when there is no lock to be had.
#include "integration/tool_lock.hpp"

namespace {

using namespace pgcoord::test;
using testing::MatchesRegex;

/// Far more time than a refusal may take.
const char* const patience = "100s";

class ToolLockRefusal : public ToolLockTest {
 protected:
  static void expect_refused(const std::string& conninfo, int code, const std::string& reason,
                             const std::string& connect_timeout = patience) {
    const auto tool =
        run({"lock", key(), "-d", conninfo, "--connect-timeout", connect_timeout, "--", "true"});
    EXPECT_EQ(exit_code(tool, 10s), code) << reason;
    EXPECT_THAT(tool->err(), MatchesRegex("pgcoord: [^\n]*" + reason + "[^\n]*\n"));
  }
};

TEST_F(ToolLockRefusal, AServerThatIsDownIsGivenUpInTime) {
  expect_refused("host=127.0.0.1 port=1", 69, "refused", "500ms");
}

TEST_F(ToolLockRefusal, WhatNoWaitingMendsEndsItAtOnce) {
  expect_refused(server().conninfo("no_such_database"), 69, "\"no_such_database\" does not exist");
  expect_refused(server().conninfo() + " user=no_such_role", 69, "\"no_such_role\" does not exist");
  expect_refused("port=abc", 64, "invalid integer value \"abc\"");
  connect().exec("CREATE DATABASE bare");
  expect_refused(server().conninfo("bare"), 69, "coord");
}

TEST_F(ToolLockRefusal, MissingRightsAre77) {
  connect().exec("CREATE ROLE stranger LOGIN");
  expect_refused(server().conninfo() + " user=stranger", 77, "permission denied");
}

TEST_F(ToolLockRefusal, TwoKeysWithOneNumberAre69) {
  auto session = connect();
  session.exec("SELECT coord.try_lock($1), coord.unlock($1)", {key()});
  session.exec("UPDATE coord._lock SET key = 'another' WHERE key = $1", {key()});
  expect_refused(server().conninfo(), 69, "have the same number");
}

TEST_F(ToolLockRefusal, AStandbyIs69) {
  const auto standby = server().add_standby();
  server().wait_replayed(*standby);
  const auto tool = run({"lock", "-n", key(), "-d", standby->conninfo(), "--", "true"});
  EXPECT_EQ(exit_code(tool, 10s), 69);
  EXPECT_THAT(tool->err(), MatchesRegex("pgcoord: [^\n]*server is a standby[^\n]*\n"));
}

TEST_F(ToolLockRefusal, AServerThatIsStillStartingIsWaitedFor) {
  Server late;
  late.install();
  late.stop();
  const auto tool = run({"lock", key(), "-d", late.conninfo(), "--connect-timeout", patience, "--", "true"});
  EXPECT_FALSE(tool->wait(1s));
  late.start();
  EXPECT_EQ(exit_code(tool), 0) << tool->err();
}

}  // namespace
