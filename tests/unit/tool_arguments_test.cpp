#include "tool/arguments.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tool/conninfo.hpp"
#include "unit/tool_words.hpp"

namespace {

using namespace std::chrono_literals;
using namespace pgcoord::tool;
using testing::ElementsAre;
using testing::HasSubstr;

ElectPlan elect_of(const Words& words) { return std::get<ElectPlan>(plan_of(words).task); }

TEST(ToolArguments, ElectHasDefaults) {
  const ElectPlan plan = elect_of({"elect", "jobs", "--", "run"});
  EXPECT_EQ(plan.election, "jobs");
  EXPECT_EQ(plan.group, "default");
  EXPECT_THAT(plan.id, testing::MatchesRegex(".+:[0-9]+"));
  EXPECT_EQ(plan.timeout, 15s);
  EXPECT_EQ(plan.grace, 5s);
  EXPECT_EQ(plan.overlap, 0s);
  EXPECT_FALSE(plan.wait);
  EXPECT_FALSE(plan.once);
  EXPECT_EQ(plan.talk, Talk::normal);
}

TEST(ToolArguments, ElectTakesEveryOption) {
  const Plan plan = plan_of({"elect",
                             "jobs",
                             "-d",
                             "host=h",
                             "--id",
                             "a",
                             "--group",
                             "g",
                             "--priority",
                             "-3",
                             "--timeout",
                             "1.5m",
                             "--grace",
                             "900ms",
                             "--overlap",
                             "10ms",
                             "--wait",
                             "0s",
                             "--connect-timeout",
                             "2s",
                             "--once",
                             "-v",
                             "--",
                             "run"});
  const ElectPlan& elect = std::get<ElectPlan>(plan.task);
  EXPECT_EQ(plan.access.conninfo, "host=h");
  EXPECT_EQ(plan.access.connect_timeout, 2s);
  EXPECT_EQ(elect.id, "a");
  EXPECT_EQ(elect.group, "g");
  EXPECT_EQ(elect.priority, -3);
  EXPECT_EQ(elect.timeout, 90s);
  EXPECT_EQ(elect.grace, 900ms);
  EXPECT_EQ(elect.overlap, 10ms);
  EXPECT_EQ(elect.wait, 0s);
  EXPECT_TRUE(elect.once);
  EXPECT_EQ(elect.talk, Talk::verbose);
}

TEST(ToolArguments, TheCommandIsTakenWordByWord) {
  const Words command{"watch", "[a,b]", "--", "-x", "", "--timeout", "{}", "elect"};
  Words words{"elect", "jobs", "--"};
  words.insert(words.end(), command.begin(), command.end());
  EXPECT_EQ(elect_of(words).command, command);
}

TEST(ToolArguments, AnElectionMayHaveAnOddName) {
  for (const std::string name : {"[a,b]", "a b", "{x}", "%%", "ä", "log"}) {
    EXPECT_EQ(elect_of({"elect", name, "--", "run"}).election, name);
  }
}

TEST(ToolArguments, TheConnectionMayStandBeforeTheSubcommand) {
  EXPECT_EQ(plan_of({"-d", "shop", "leader", "jobs"}).access.conninfo, "dbname='shop'");
}

TEST(ToolArguments, ReadsTheOtherSubcommands) {
  const auto leader = std::get<LeaderPlan>(plan_of({"leader", "jobs", "--is", "a", "--output", "json"}).task);
  EXPECT_EQ(leader.election, "jobs");
  EXPECT_EQ(leader.is, "a");
  EXPECT_EQ(leader.output, Output::json);
  EXPECT_EQ(std::get<MembersPlan>(plan_of({"members", "--group", "g"}).task).group, "g");
  EXPECT_FALSE(std::get<LogPlan>(plan_of({"log"}).task).election);
  const auto log = std::get<LogPlan>(plan_of({"log", "jobs", "-n", "7", "--output", "tsv"}).task);
  EXPECT_EQ(log.election, "jobs");
  EXPECT_EQ(log.count, 7);
  EXPECT_EQ(log.output, Output::tsv);
  EXPECT_FALSE(std::get<OrphansPlan>(plan_of({"orphans"}).task).group);
  const auto assigned = std::get<AssignmentsPlan>(plan_of({"assignments", "a", "--group", "g"}).task);
  EXPECT_EQ(assigned.instance, "a");
  EXPECT_EQ(assigned.group, "g");
}

TEST(ToolArguments, WatchTellsOfMembersUnlessAskedForLess) {
  EXPECT_TRUE(std::get<WatchPlan>(plan_of({"watch"}).task).peers);
  EXPECT_FALSE(std::get<WatchPlan>(plan_of({"watch", "--no-peers"}).task).peers);
  const auto one = std::get<WatchPlan>(plan_of({"watch", "jobs"}).task);
  EXPECT_EQ(one.election, "jobs");
  EXPECT_FALSE(one.peers);
}

TEST(ToolArguments, DrainHasDefaultsAndTakesEveryOption) {
  const auto plain = std::get<DrainPlan>(plan_of({"drain", "a"}).task);
  EXPECT_EQ(plain.instance, "a");
  EXPECT_EQ(plain.group, "default");
  EXPECT_EQ(plain.intent, "maintenance");
  EXPECT_EQ(plain.timeout, 30s);
  EXPECT_FALSE(plain.wait);
  const auto full = std::get<DrainPlan>(
      plan_of({"drain", "a", "--group", "g", "--intent", "preemption", "--timeout", "24h", "--wait"}).task);
  EXPECT_EQ(full.group, "g");
  EXPECT_EQ(full.intent, "preemption");
  EXPECT_EQ(full.timeout, 24h);
  EXPECT_TRUE(full.wait);
}

TEST(ToolArguments, MembersTakesStatusesWithCommas) {
  EXPECT_THAT(std::get<MembersPlan>(plan_of({"members"}).task).statuses, testing::IsEmpty());
  EXPECT_THAT(std::get<MembersPlan>(plan_of({"members", "--status", "healthy,stale"}).task).statuses,
              ElementsAre("healthy", "stale"));
}

TEST(ToolArguments, TheDefaultGraceFollowsAShortTimeout) {
  EXPECT_EQ(elect_of({"elect", "j", "--timeout", "3s", "--", "run"}).grace, 1s);
  EXPECT_EQ(elect_of({"elect", "j", "--timeout", "1s", "--", "run"}).grace, 333ms);
}

TEST(ToolArguments, RefusesAGraceThatOutlivesTheTerm) {
  EXPECT_THAT(refusal_of({"elect", "j", "--grace", "7s", "--", "run"}), HasSubstr("within 5250ms"));
  EXPECT_EQ(elect_of({"elect", "j", "--grace", "5250ms", "--", "run"}).grace, 5250ms);
  EXPECT_THAT(refusal_of({"elect", "j", "--overlap", "6s", "--", "run"}), HasSubstr("--overlap"));
}

TEST(ToolArguments, EveryGraceThatIsTakenEndsInTime) {
  for (const auto timeout : {1'000ms, 1'999ms, 2'000ms, 15'000ms, 86'400'000ms}) {
    EXPECT_LT(timeout / 3, longest_grace(timeout)) << timeout.count();
    const auto first_heartbeat = timeout / 4;
    EXPECT_LT(first_heartbeat + longest_grace(timeout) + margin_for(timeout), term_for(timeout))
        << timeout.count();
    EXPECT_LT(term_for(timeout), timeout);
  }
}

TEST(ToolArguments, RefusesNonsenseInOneLine) {
  EXPECT_THAT(refusal_of({}), HasSubstr("no command"));
  EXPECT_THAT(refusal_of({"frobnicate"}), HasSubstr("frobnicate"));
  EXPECT_THAT(refusal_of({"elect"}), HasSubstr("NAME"));
  EXPECT_THAT(refusal_of({"elect", "jobs"}), HasSubstr("-- COMMAND"));
  EXPECT_THAT(refusal_of({"elect", "jobs", "--"}), HasSubstr("-- COMMAND"));
  EXPECT_THAT(refusal_of({"elect", "jobs", "run", "--", "run"}), HasSubstr("run"));
  EXPECT_THAT(refusal_of({"elect", "jobs", "-q", "-v", "--", "run"}), HasSubstr("exclude"));
  EXPECT_THAT(refusal_of({"leader", "jobs", "--", "run"}), HasSubstr("takes no command"));
  EXPECT_THAT(refusal_of({"leader", "jobs", "--output", "yaml"}), HasSubstr("yaml"));
  EXPECT_THAT(refusal_of({"log", "-n", "0"}), HasSubstr("-n"));
  EXPECT_THAT(refusal_of({"watch", "-d", "a=b=c"}), HasSubstr("--dbname"));
}

TEST(ToolArguments, RefusesBadNames) {
  EXPECT_THAT(refusal_of({"leader", ""}), HasSubstr("NAME"));
  EXPECT_THAT(refusal_of({"leader", "a\nb"}), HasSubstr("election"));
  EXPECT_THAT(refusal_of({"leader", std::string(201, 'x')}), HasSubstr("200 bytes"));
  EXPECT_THAT(refusal_of({"elect", "j", "--id", "a\tb", "--", "run"}), HasSubstr("instance"));
  EXPECT_THAT(refusal_of({"members", "--group", "\x7f"}), HasSubstr("group"));
  EXPECT_EQ(elect_of({"elect", std::string(200, 'x'), "--", "run"}).election.size(), 200U);
}

TEST(ToolArguments, RefusesBadDurations) {
  for (const std::string text : {"5", "-1s", "x", "1d", "1e300h", "169h", "nan", "", "5 parsecs"}) {
    EXPECT_THAT(refusal_of({"elect", "j", "--wait=" + text, "--", "run"}), HasSubstr("--wait")) << text;
  }
  EXPECT_THAT(refusal_of({"elect", "j", "--timeout", "999ms", "--", "run"}), HasSubstr("--timeout"));
  EXPECT_THAT(refusal_of({"elect", "j", "--timeout", "25h", "--", "run"}), HasSubstr("--timeout"));
  EXPECT_THAT(refusal_of({"log", "--connect-timeout", "0s"}), HasSubstr("--connect-timeout"));
}

TEST(ToolArguments, HelpNamesExitCodesAndTheToken) {
  const auto help = std::get<Answer>(parse({"--help"}));
  EXPECT_EQ(help.exit_code, 0);
  for (const char* code : {"64", "69", "75", "76", "77", "125", "126", "127", "128+N"}) {
    EXPECT_THAT(help.text, HasSubstr(code));
  }
  const auto elect = std::get<Answer>(parse({"elect", "--help"}));
  EXPECT_THAT(elect.text, HasSubstr("PGCOORD_TOKEN"));
  EXPECT_THAT(elect.text, HasSubstr("coord.fence()"));
  EXPECT_THAT(std::get<Answer>(parse({"--version"})).text, testing::StartsWith("pgcoord "));
}

TEST(ToolConninfo, MakesABareNameADatabase) {
  std::string why;
  EXPECT_EQ(as_conninfo("", why), "");
  EXPECT_EQ(as_conninfo("it's", why), "dbname='it\\'s'");
  EXPECT_EQ(as_conninfo("host=a dbname=b", why), "host=a dbname=b");
  EXPECT_EQ(as_conninfo("postgresql://h:1/d", why), "postgresql://h:1/d");
  EXPECT_EQ(why, "");
}

TEST(ToolConninfo, SaysWhatIsWrong) {
  std::string why;
  EXPECT_EQ(as_conninfo("postgresql://[::1/d", why), std::nullopt);
  EXPECT_EQ(as_conninfo("nonsense=1", why), std::nullopt);
  EXPECT_THAT(why, HasSubstr("nonsense"));
}

}  // namespace
