// What pgcoord does when the server will never let it in.
#include <fstream>

#include "integration/tool.hpp"

namespace {

using namespace pgcoord::test;
using testing::HasSubstr;
using testing::MatchesRegex;

/// Far more time than a refusal may take.
const Words patient{"--connect-timeout", "100s"};

class ToolRefusal : public ToolTest {
 protected:
  static Tool elect_at(const std::string& conninfo) {
    Words words{"elect", "x", "-d", conninfo};
    words.insert(words.end(), patient.begin(), patient.end());
    words.insert(words.end(), {"--", "true"});
    return run(words);
  }
  static void expect_refused(const Tool& tool, int code, const std::string& reason) {
    EXPECT_EQ(exit_code(tool, 10s), code) << reason;
    EXPECT_THAT(tool->err(), MatchesRegex("pgcoord: [^\n]*" + reason + "[^\n]*\n"));
  }
};

TEST_F(ToolRefusal, ADatabaseThatIsNotThereEndsItAtOnce) {
  const std::string conninfo = server().conninfo("no_such_database");
  expect_refused(elect_at(conninfo), 69, "FATAL:  ?database \"no_such_database\" does not exist");
  expect_refused(run({"watch", "-d", conninfo}), 69, "\"no_such_database\" does not exist");
}

TEST_F(ToolRefusal, ARoleThatIsNotThereEndsItAtOnce) {
  const std::string conninfo = server().conninfo() + " user=no_such_role";
  expect_refused(elect_at(conninfo), 69, "role \"no_such_role\" does not exist");
  expect_refused(run({"members", "-d", conninfo}), 69, "role \"no_such_role\" does not exist");
}

TEST_F(ToolRefusal, AnImpossibleParameterIs64) {
  expect_refused(elect_at("port=abc"), 64, "invalid integer value \"abc\"");
  expect_refused(run({"drain", "x", "-d", "host=h sslmode=nonsense"}), 64, "sslmode value");
}

TEST_F(ToolRefusal, AWrongOrMissingPasswordEndsItAtOnce) {
  Server strict;
  strict.install();
  strict.connect().exec("CREATE ROLE needy LOGIN PASSWORD 'right'");
  const auto path = strict.folder() / "data" / "pg_hba.conf";
  std::string rules(std::istreambuf_iterator<char>(std::ifstream(path).rdbuf()), {});
  std::ofstream(path) << "host all needy all scram-sha-256\n" << rules;
  strict.reload();
  const std::string conninfo = strict.conninfo() + " user=needy";
  ASSERT_TRUE(wait_until([&] { return exit_code(run({"members", "-d", conninfo})) == 69; }));
  expect_refused(elect_at(conninfo + " passfile=none"), 69, "no password supplied");
  expect_refused(elect_at(conninfo + " password=wrong"), 69, "password authentication failed");
}

TEST_F(ToolRefusal, AServerThatIsStillStartingIsWaitedFor) {
  Server late;
  late.install();
  late.stop();
  const auto tool = elect_at(late.conninfo());
  EXPECT_FALSE(tool->wait(1s));
  late.start();
  EXPECT_EQ(exit_code(tool), 0) << tool->err();
}

}  // namespace
