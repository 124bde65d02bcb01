// What the tool answers to words that it does not know.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/tool_words.hpp"
#include "tool/suggest.hpp"

namespace {

using namespace pgcoord::tool;
using testing::HasSubstr;

TEST(ToolMistakes, AMisspeltOptionIsNamedWithTheOneThatWasMeant) {
  EXPECT_EQ(refusal_of({"elect", "jobs", "--timeot", "5s", "--", "run"}),
            "unknown option --timeot; did you mean --timeout?");
  EXPECT_EQ(refusal_of({"elect", "--timeot=5s", "--", "run"}),
            "unknown option --timeot; did you mean --timeout?");
  EXPECT_EQ(refusal_of({"elect", "jobs", "-timeout", "5s", "--", "run"}),
            "unknown option -timeout; did you mean --timeout?");
  EXPECT_EQ(refusal_of({"--dbnam=x", "leader", "x"}), "unknown option --dbnam; did you mean --dbname?");
  EXPECT_EQ(refusal_of({"watch", "--nopeers"}), "unknown option --nopeers; did you mean --no-peers?");
}

TEST(ToolMistakes, AnOptionLikeNoneRefersToTheHelp) {
  EXPECT_EQ(refusal_of({"log", "--frobnicate"}), "unknown option --frobnicate; see pgcoord log --help");
  EXPECT_EQ(refusal_of({"-x"}), "unknown option -x; see pgcoord --help");
}

TEST(ToolMistakes, AMissingDashDashIsSaid) {
  const std::string start =
      "\"--\" is missing before the command; did you mean: pgcoord elect NAME [OPTIONS] -- ";
  EXPECT_EQ(refusal_of({"elect", "jobs", "run", "hard"}), start + "run hard");
  EXPECT_EQ(refusal_of({"elect", "jobs", "--once", "run", "-x"}), start + "run -x");
  EXPECT_EQ(refusal_of({"elect", "jobs", "ls", "-d"}), start + "ls");
}

TEST(ToolMistakes, AWordTooManyIsNamed) {
  EXPECT_EQ(refusal_of({"elect", "jobs", "more", "--", "run"}), "unexpected word \"more\" before \"--\"");
  EXPECT_EQ(refusal_of({"leader", "jobs", "more"}), "unexpected word \"more\"");
}

TEST(ToolMistakes, AMisspeltCommandIsNamedWithTheOneThatWasMeant) {
  EXPECT_EQ(refusal_of({"membres"}), "unknown command \"membres\"; did you mean members?");
  EXPECT_EQ(refusal_of({"frobnicate"}), "unknown command \"frobnicate\"; see pgcoord --help");
}

TEST(ToolMistakes, AMisspeltValueIsNamedWithTheOneThatWasMeant) {
  EXPECT_THAT(refusal_of({"members", "--status", "healthy,stael"}),
              HasSubstr("not stael; did you mean stale?"));
  EXPECT_THAT(refusal_of({"drain", "a", "--intent", "maintenence"}), HasSubstr("did you mean maintenance?"));
}

TEST(ToolMistakes, DrainNeedsANameAndABoundedTime) {
  EXPECT_THAT(refusal_of({"drain"}), HasSubstr("INSTANCE"));
  EXPECT_THAT(refusal_of({"drain", "a", "--timeout", "25h"}), HasSubstr("24h"));
  EXPECT_THAT(refusal_of({"drain", "a\nb"}), HasSubstr("instance"));
  EXPECT_THAT(refusal_of({"drain", "a", "--", "run"}), HasSubstr("takes no command"));
}

TEST(ToolMistakes, TheReasonOfABadConnectionStringIsShown) {
  EXPECT_THAT(refusal_of({"watch", "-d", "nonsense=1"}), HasSubstr("invalid connection option \"nonsense\""));
}

TEST(ToolSuggest, FindsTheNearest) {
  const Words known{"--wait", "--overlap", "-q", "--quiet"};
  EXPECT_EQ(closest("--wiat", known), "--wait");
  EXPECT_EQ(closest("over", known), "--overlap");
  EXPECT_EQ(closest("-quite", known), "--quiet");
  EXPECT_EQ(closest("--xyz", known), std::nullopt);
  EXPECT_EQ(closest("-x", known), std::nullopt);
  EXPECT_EQ(closest("--", known), std::nullopt);
  EXPECT_EQ(closest(std::string(1'000, 'x'), known), std::nullopt);
}

}  // namespace
