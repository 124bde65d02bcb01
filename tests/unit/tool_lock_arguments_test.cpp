// The words after `pgcoord lock` and `pgcoord locks`.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/tool_words.hpp"

namespace {

using namespace std::chrono_literals;
using namespace pgcoord::tool;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

LockPlan lock_of(const Words& words) { return std::get<LockPlan>(plan_of(words).task); }
LocksPlan locks_of(const Words& words) { return std::get<LocksPlan>(plan_of(words).task); }

TEST(ToolLockArguments, WaitsForEverByDefault) {
  const LockPlan plan = lock_of({"lock", "k", "--", "run", "-x"});
  EXPECT_EQ(plan.key, "k");
  EXPECT_FALSE(plan.wait);
  EXPECT_EQ(plan.grace, 5s);
  EXPECT_EQ(plan.overlap, 0s);
  EXPECT_EQ(plan.talk, Talk::normal);
  EXPECT_THAT(plan.command, ElementsAre("run", "-x"));
}

TEST(ToolLockArguments, TakesEveryOption) {
  const Plan plan = plan_of({"lock", "--wait", "1.5s", "-d", "host=h", "--grace", "1m", "--overlap", "2m",
                             "--connect-timeout", "3s", "-q", "k", "--", "--", "{}"});
  const auto& lock = std::get<LockPlan>(plan.task);
  EXPECT_EQ(plan.access.conninfo, "host=h");
  EXPECT_EQ(plan.access.connect_timeout, 3s);
  EXPECT_EQ(lock.wait, 1500ms);
  EXPECT_EQ(lock.grace, 1min);
  EXPECT_EQ(lock.overlap, 2min);
  EXPECT_EQ(lock.talk, Talk::quiet);
  EXPECT_THAT(lock.command, ElementsAre("--", "{}"));
}

TEST(ToolLockArguments, OneAttemptHasThreeSpellings) {
  for (const Words& option : {Words{"--wait", "0"}, Words{"--wait=0s"}, Words{"--no-wait"}, Words{"-n"}}) {
    Words words{"lock", "k"};
    words.insert(words.end(), option.begin(), option.end());
    words.insert(words.end(), {"--", "run"});
    EXPECT_EQ(lock_of(words).wait, 0s) << option.front();
  }
}

TEST(ToolLockArguments, SaysWhatIsMissingOrTooMuch) {
  EXPECT_EQ(refusal_of({"lock", "k"}), "no command: pgcoord lock [OPTIONS] KEY -- COMMAND [ARGUMENT...]");
  EXPECT_THAT(refusal_of({"lock", "--", "run"}), HasSubstr("KEY"));
  EXPECT_EQ(refusal_of({"lock", "k", "run", "hard"}),
            "\"--\" is missing before the command; did you mean: pgcoord lock [OPTIONS] KEY -- run hard");
  EXPECT_EQ(refusal_of({"lock", "k", "more", "--", "run"}), "unexpected word \"more\" before \"--\"");
  EXPECT_EQ(refusal_of({"lock", "k", "--wiat", "5s", "--", "run"}),
            "unknown option --wiat; did you mean --wait?");
  EXPECT_EQ(refusal_of({"lokc"}), "unknown command \"lokc\"; did you mean lock?");
  EXPECT_THAT(refusal_of({"locks", "k", "--", "run"}), HasSubstr("takes no command"));
}

TEST(ToolLockArguments, RefusesWhatCannotBe) {
  EXPECT_THAT(refusal_of({"lock", "k", "-n", "--wait", "5s", "--", "run"}), HasSubstr("exclude each other"));
  EXPECT_THAT(refusal_of({"lock", "k", "-q", "-v", "--", "run"}), HasSubstr("exclude each other"));
  EXPECT_THAT(refusal_of({"lock", "k", "--wait", "5", "--", "run"}), HasSubstr("--wait"));
  EXPECT_THAT(refusal_of({"lock", "k", "--wait=-1s", "--", "run"}), HasSubstr("--wait"));
  EXPECT_THAT(refusal_of({"lock", "", "--", "run"}), HasSubstr("KEY"));
  EXPECT_THAT(refusal_of({"lock", std::string(201, 'x'), "--", "run"}), HasSubstr("200 bytes"));
  EXPECT_THAT(refusal_of({"locks", "a\nb"}), HasSubstr("lock"));
  EXPECT_THAT(refusal_of({"locks", "a", ""}), HasSubstr("KEY"));
  EXPECT_THAT(refusal_of({"locks", "--output", "xml"}), HasSubstr("xml"));
}

TEST(ToolLockArguments, LocksTakesAnyNumberOfKeys) {
  EXPECT_THAT(locks_of({"locks"}).keys, IsEmpty());
  const LocksPlan plan = locks_of({"locks", "a", "b c", "--output", "json"});
  EXPECT_THAT(plan.keys, ElementsAre("a", "b c"));
  EXPECT_EQ(plan.output, Output::json);
}

TEST(ToolLockArguments, HelpSaysWhatTheCommandFinds) {
  const auto help = std::get<Answer>(parse({"lock", "--help"}));
  EXPECT_THAT(help.text, HasSubstr("Usage: pgcoord lock [OPTIONS] KEY -- COMMAND [ARGUMENT...]"));
  EXPECT_THAT(help.text, HasSubstr("PGCOORD_LOCK_ID"));
}

}  // namespace
