#include "tool/text.hpp"

#include <gtest/gtest.h>

#include <csignal>

#include "tool/connect.hpp"
#include "tool/exit_code.hpp"
#include "tool/log_cursor.hpp"

namespace {

using namespace pgcoord::tool;

TEST(ToolText, LinesUpATable) {
  const Grid grid{{"name", "leader"}, {{"a", "x"}, {"längst", std::nullopt}}};
  EXPECT_EQ(as_table(grid),
            "NAME    LEADER\n"
            "a       x\n"
            "längst  -\n");
}

TEST(ToolText, ATableWithoutRowsHasItsHeader) { EXPECT_EQ(as_table({{"a", "b"}, {}}), "A  B\n"); }

TEST(ToolText, SeparatesByTabsAndEscapesThem) {
  const Grid grid{{"a", "b"}, {{"x\ty", std::nullopt}, {"line\nbreak\\", "z"}}};
  EXPECT_EQ(as_tsv(grid), "a\tb\nx\\ty\t\nline\\nbreak\\\\\tz\n");
}

TEST(ToolText, MakesOneLine) {
  EXPECT_EQ(one_line("could not connect\n\tIs it running?\n"), "could not connect Is it running?");
  EXPECT_EQ(one_line("\n\n"), "");
}

TEST(ToolText, KnowsNames) {
  EXPECT_TRUE(is_name("jobs of the day"));
  EXPECT_TRUE(is_name(std::string(200, 'x')));
  EXPECT_FALSE(is_name(std::string(201, 'x')));
  EXPECT_FALSE(is_name(""));
  EXPECT_FALSE(is_name(std::string("a\0b", 3)));
}

TEST(ToolExitCode, FollowsTheSqlstate) {
  EXPECT_EQ(exit_code::of_sqlstate("42501"), 77);
  EXPECT_EQ(exit_code::of_sqlstate("22023"), 64);
  EXPECT_EQ(exit_code::of_sqlstate("08001"), 69);
  EXPECT_EQ(exit_code::of_sqlstate("25006"), 69);
  EXPECT_EQ(exit_code::of_sqlstate("PC001"), 1);
}

TEST(ToolExitCode, TellsWhatIsWorthAnotherTry) {
  using exit_code::Remedy;
  EXPECT_EQ(exit_code::remedy("42501"), Remedy::none);
  EXPECT_EQ(exit_code::remedy("22023"), Remedy::none);
  for (const char* code : {"28P01", "28000", "3D000", "3F000", "42883", "08P01"}) {
    EXPECT_EQ(exit_code::remedy(code), Remedy::retry_if_it_once_worked) << code;
  }
  for (const char* code : {"08001", "08006", "57P03", "25006", "PC003", "53300", ""}) {
    EXPECT_EQ(exit_code::remedy(code), Remedy::retry) << code;
  }
}

TEST(ToolExitCode, FollowsTheCommand) {
  EXPECT_EQ(exit_code::of_wait_status(7 << 8), 7);
  EXPECT_EQ(exit_code::of_wait_status(SIGTERM), 143);
}

TEST(ToolConnect, FindsTheCodeOfARefusal) {
  const auto refused = failure_in(
      "connection to server at \"127.0.0.1\", port 5 failed: FATAL:  28P01: password authentication failed "
      "for "
      "user \"x\"\nLOCATION:  auth_failed, auth.c:335\n");
  EXPECT_EQ(refused.sqlstate, "28P01");
  EXPECT_EQ(
      one_line(refused.message),
      "connection to server at \"127.0.0.1\", port 5 failed: FATAL:  password authentication failed for user "
      "\"x\"");
  EXPECT_EQ(failure_in("connection to server at \"h\", port 1 failed: Connection refused\n").sqlstate,
            "08001");
}

TEST(ToolLogCursor, TellsEveryEntryOnce) {
  LogCursor cursor(10);
  EXPECT_FALSE(cursor.admit("a", 10));
  EXPECT_TRUE(cursor.admit("a", 11));
  EXPECT_FALSE(cursor.admit("a", 11));
  EXPECT_TRUE(cursor.admit("a", 12));
}

TEST(ToolLogCursor, TellsWhatBecameVisibleLate) {
  LogCursor cursor(10);
  EXPECT_TRUE(cursor.admit("a", 13));
  EXPECT_LT(cursor.from(), 12);
  EXPECT_TRUE(cursor.admit("b", 12));
}

TEST(ToolLogCursor, DoesNotReadTheWholeLogAgain) {
  LogCursor cursor(10);
  EXPECT_EQ(cursor.from(), 10);
  EXPECT_TRUE(cursor.admit("a", 50'000));
  EXPECT_EQ(cursor.from(), 49'000);
  EXPECT_EQ(cursor.newest(), 50'000);
}

}  // namespace
