// pgcoord leader, log, watch NAME; and how the tool fails.
#include <nlohmann/json.hpp>

#include <csignal>
#include <sstream>

#include "integration/tool.hpp"

namespace {

using namespace pgcoord::test;
using nlohmann::json;
using testing::HasSubstr;
using testing::MatchesRegex;

class ToolLooks : public ToolTest {
 protected:
  static std::string campaign(Connection& session) {
    return session.value("SELECT token FROM coord.campaign($1)", {election()}).value_or("");
  }
  /// Of JSON lines.
  static std::vector<std::string> causes_in(const std::string& text) {
    std::vector<std::string> causes;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) causes.push_back(json::parse(line).at("cause"));
    return causes;
  }
};

TEST_F(ToolLooks, LeaderTellsWhoAndUnderWhichToken) {
  EXPECT_EQ(exit_code(look("leader", {election()})), 1);
  Connection session = member("lead er");
  const std::string token = campaign(session);
  const std::string table = shown("leader", {election()});
  EXPECT_THAT(table, testing::StartsWith("ELECTION"));
  EXPECT_THAT(table, HasSubstr("  lead er  " + token + "  "));
  EXPECT_THAT(shown("leader", {election(), "--output", "tsv"}), HasSubstr("\tlead er\t" + token + "\t"));
  const json object = json::parse(shown("leader", {election(), "--output", "json"}));
  EXPECT_EQ(object.at("leader"), "lead er");
  EXPECT_EQ(object.at("token").get<long long>(), std::stoll(token));
  EXPECT_EQ(shown("leader", {election(), "--is", "lead er"}), "");
  const auto other = look("leader", {election(), "--is", "other"});
  EXPECT_EQ(exit_code(other), 1);
  EXPECT_EQ(other->out() + other->err(), "");
}

TEST_F(ToolLooks, LogTellsTheLastChangesInOrder) {
  Connection session = member("logged");
  campaign(session);
  session.exec("SELECT coord.resign($1)", {election()});
  campaign(session);
  const std::string line = "[^\t]+\telection of LogTellsTheLastChangesInOrder\t";
  EXPECT_THAT(
      shown("log", {election(), "--output", "tsv"}),
      MatchesRegex("at\telection\tcause\tprevious\tleader\ttoken\n" + line + "elected\t\tlogged\t[0-9]+\n" +
                   line + "resigned\tlogged\t\t[0-9]+\n" + line + "elected\t\tlogged\t[0-9]+\n"));
  const json last = json::parse(shown("log", {election(), "-n", "1", "--output", "json"}));
  ASSERT_EQ(last.size(), 1U);
  EXPECT_EQ(last[0].at("cause"), "elected");
  EXPECT_THAT(shown("log"), HasSubstr(election()));
  EXPECT_EQ(shown("log", {"nobody's election", "--output", "tsv"}),
            "at\telection\tcause\tprevious\tleader\ttoken\n");
}

TEST_F(ToolLooks, WatchTellsWhatIsAndThenEveryChange) {
  Connection first = member("w1", std::string(60, 'g'));  // a group whose channel is a hash
  const std::string token = campaign(first);
  const auto tool = look("watch", {election()});
  ASSERT_TRUE(says(tool, election() + ": w1 leads, token " + token + " (current)\n"));
  first.exec("SELECT coord.resign($1)", {election()});
  ASSERT_TRUE(says(tool, election() + ": nobody leads (resigned, before: w1)\n", 2s));
  campaign(first);
  ASSERT_TRUE(says(tool, "w1 leads", 2s));
  tool->kill(SIGTERM);
  ASSERT_TRUE(tool->wait(5s));
}

TEST_F(ToolLooks, WatchMissesNothingWhileItsConnectionIsAway) {
  Connection session = member("w2");
  const auto tool = look("watch", {election(), "--output", "json"});
  const char* const watchers =
      "SELECT pid FROM pg_stat_activity WHERE application_name = 'pgcoord' AND wait_event = 'ClientRead'";
  ASSERT_TRUE(wait_until([&] { return !connect().exec(watchers).empty(); }));
  campaign(session);
  ASSERT_TRUE(says(tool, "\"elected\""));
  session.exec(std::string("SELECT pg_terminate_backend(pid) FROM (") + watchers + ") w");
  session.exec("SELECT coord.resign($1)", {election()});
  ASSERT_TRUE(says(tool, "\"resigned\"", 10s));
  campaign(session);
  std::vector<std::string> causes;
  ASSERT_TRUE(wait_until([&] {
    causes = causes_in(tool->out());
    return causes.size() >= 3;
  }));
  EXPECT_THAT(causes, testing::ElementsAre("elected", "resigned", "elected"));
}

TEST_F(ToolLooks, SaysInOneLineThatTheServerIsDown) {
  const std::string nowhere = "host=127.0.0.1 port=1";
  for (const Words& words :
       {Words{"leader", "x", "-d", nowhere}, Words{"watch", "-d", nowhere},
        Words{"elect", "x", "-d", nowhere, "--connect-timeout", "500ms", "--", "true"}}) {
    const auto tool = run(words);
    EXPECT_EQ(exit_code(tool, 10s), 69) << words.front();
    EXPECT_THAT(tool->err(), MatchesRegex("pgcoord: [^\n]*refused[^\n]*\n"));
  }
}

TEST_F(ToolLooks, TheEnvironmentSaysWhereTheServerIs) {
  const auto tool = run({"members"}, {{"PGHOST", "127.0.0.1"},
                                      {"PGPORT", std::to_string(server().port())},
                                      {"PGUSER", "postgres"},
                                      {"PGDATABASE", "postgres"}});
  EXPECT_EQ(exit_code(tool), 0) << tool->err();
}

TEST_F(ToolLooks, MissingRightsAre77) {
  connect().exec("DROP ROLE IF EXISTS stranger");
  connect().exec("CREATE ROLE stranger LOGIN");
  const std::string conninfo = server().conninfo() + " user=stranger";
  for (const Words& words : {Words{"leader", "x"}, Words{"members"}, Words{"log"}, Words{"watch"},
                             Words{"elect", "x", "--", "true"}}) {
    Words all{words.front(), "-d", conninfo};
    all.insert(all.end(), words.begin() + 1, words.end());
    const auto tool = run(all);
    EXPECT_EQ(exit_code(tool), 77) << words.front() << tool->err();
    EXPECT_THAT(tool->err(), MatchesRegex("pgcoord: permission denied[^\n]*\n"));
  }
}

TEST_F(ToolLooks, AMissingExtensionIs69) {
  connect().exec("CREATE DATABASE bare");
  for (const Words& words : {Words{"log", "-d", server().conninfo("bare")},
                             Words{"elect", "x", "-d", server().conninfo("bare"), "--", "true"}}) {
    const auto tool = run(words);
    EXPECT_EQ(exit_code(tool, 5s), 69);
    EXPECT_THAT(tool->err(), MatchesRegex("pgcoord: [^\n]*coord[^\n]*\n"));
  }
}

TEST_F(ToolLooks, BadUsageIs64InOneLine) {
  for (const Words& words : {Words{"leader", "a\nb"}, Words{"elect", "x"}, Words{"nonsense"}}) {
    const auto tool = run(words);
    EXPECT_EQ(exit_code(tool), 64);
    EXPECT_THAT(tool->err(), MatchesRegex("pgcoord: [^\n]+\n"));
  }
}

}  // namespace
