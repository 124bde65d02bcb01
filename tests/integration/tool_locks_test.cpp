// pgcoord locks.
#include <nlohmann/json.hpp>

#include "integration/tool_lock.hpp"

namespace {

using namespace pgcoord::test;
using nlohmann::json;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::MatchesRegex;
using testing::Not;

class ToolLocks : public ToolLockTest {
 protected:
  static std::string id() { return std::to_string(pgcoord::lock_key(key())); }
};

TEST_F(ToolLocks, ShowsWhoHoldsAndHowManyWait) {
  const auto first = holder();
  const auto second = lock("true");
  ASSERT_TRUE(queued());
  const std::string line = key() + "\t" + id() + "\t\t" + std::to_string(backend()) +
                           "\tpgcoord lock [^\t]+:[0-9]+\t127.0.0.1\t1\t[0-9.]+s\n";
  EXPECT_THAT(
      shown("locks", {key(), "--output", "tsv"}),
      MatchesRegex("key\tlock_id\tinstance\tpid\tapplication\taddress\twaiters\tlongest_wait\n" + line));
  EXPECT_THAT(shown("locks"), ContainsRegex(key() + " +" + id() + " +- +[0-9]+ +pgcoord lock "));
  const json rows = json::parse(shown("locks", {key(), "--output", "json"}));
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows[0].at("key"), key());
  EXPECT_EQ(std::to_string(rows[0].at("lock_id").get<long long>()), id());
  EXPECT_EQ(rows[0].at("session_pid"), backend());
  EXPECT_EQ(rows[0].at("waiters"), 1);
  EXPECT_GE(rows[0].at("longest_wait_seconds"), 0);
}

TEST_F(ToolLocks, ShowsTheMemberThatHoldsIt) {
  Connection session = member("m1");
  session.exec("SELECT coord.try_lock($1)", {key()});
  EXPECT_THAT(shown("locks", {key(), "--output", "tsv"}), HasSubstr(key() + "\t" + id() + "\tm1\t"));
}

TEST_F(ToolLocks, SaysByItsStatusWhetherTheKeysAreHeld) {
  Connection session = connect();
  session.exec("SELECT coord.try_lock($1), coord.try_lock('other')", {key()});
  EXPECT_THAT(shown("locks", {key()}), Not(HasSubstr("other")));
  EXPECT_THAT(shown("locks", {key(), "other"}), HasSubstr("other"));
  EXPECT_EQ(exit_code(look("locks", {key(), "nobody's"})), 1);
  for (const std::string output : {"table", "tsv", "json"}) {
    const auto tool = look("locks", {"nobody's", "--output", output});
    EXPECT_EQ(exit_code(tool), 1) << output;
    EXPECT_EQ(tool->err(), "");
    EXPECT_EQ(exit_code(look("locks", {key(), "--output", output})), 0) << output;
  }
}

TEST_F(ToolLocks, FindsAHolderThatTookTheNumberAlone) {
  Connection session = connect();
  session.exec("SELECT pg_advisory_lock($1)", {id()});
  EXPECT_THAT(shown("locks", {key(), "--output", "tsv"}), HasSubstr("\n\t" + id() + "\t"));
  EXPECT_THAT(shown("locks"), HasSubstr("\n-"));
}

TEST_F(ToolLocks, AnObserverMayLook) {
  connect().exec("CREATE ROLE looker LOGIN");
  connect().exec("SELECT coord.grant_access('looker', 'observer')");
  connect().exec("CREATE ROLE nobody LOGIN");
  EXPECT_EQ(exit_code(run({"locks", "-d", server().conninfo() + " user=looker"})), 0);
  EXPECT_EQ(exit_code(run({"locks", key(), "-d", server().conninfo() + " user=looker"})), 1);
  EXPECT_EQ(exit_code(run({"locks", "-d", server().conninfo() + " user=nobody"})), 77);
}

}  // namespace
