// The clocks of clients do not count.
#include <csignal>
#include <ctime>

#include "tool.hpp"

namespace {

using namespace pgcoord::test;

class Clock : public ToolTest {
 protected:
  /// A tool whose machine's wall clock is off by so many seconds.
  static Tool elect_with_clock(int offset, const std::string& id) {
    return run({"elect", election(), "-d", server().conninfo(), "--id", id, "--timeout", "3s", "--", "sh",
                "-c", "echo token $PGCOORD_TOKEN at $(date +%s); exec sleep 600"},
               {{"LD_PRELOAD", "libpgcoord_wall_clock.so"}, {"WALL_CLOCK_OFFSET", std::to_string(offset)}});
  }
  /// How far ahead the clock of that tool's command is.
  static long long seconds_ahead(const Tool& tool) { return number_after(tool, " at ") - std::time(nullptr); }

  static std::string terms() {
    return connect()
        .value("SELECT count(*) FROM coord.leadership_log WHERE election = $1", {election()})
        .value_or("?");
  }
  static bool leads(const Tool& tool) { return tool->out().find("token ") != std::string::npos; }
  /// Until everybody has been heard `beats` times more.
  static void wait_for_beats(int beats) {
    Connection session = connect();
    for (int beat = 0; beat < beats; ++beat) {
      const Value now = session.value("SELECT clock_timestamp()");
      ASSERT_TRUE(wait_until(
          [&] {
            return session.value(
                       "SELECT bool_and(last_heartbeat_at > $1::timestamptz) FROM coord.peers"
                       " WHERE session_pid IS NOT NULL",
                       {*now}) == "t";
          },
          10s));
    }
  }
};

TEST_F(Clock, field_case_41_three_minutes_ahead_or_behind_change_nothing) {
  const Tool first = elect("leader", "echo token $PGCOORD_TOKEN; exec sleep 600");
  ASSERT_TRUE(says(first, "token "));
  const Tool ahead = elect_with_clock(180, "ahead");
  const Tool behind = elect_with_clock(-180, "behind");
  ASSERT_TRUE(queued("ahead"));
  ASSERT_TRUE(queued("behind"));
  wait_for_beats(4);
  EXPECT_EQ(leader(), "leader");
  EXPECT_EQ(terms(), "1");
  first->kill(SIGKILL);
  ASSERT_TRUE(wait_until([&] { return leads(ahead) || leads(behind); }, 10s));
  EXPECT_NEAR(static_cast<double>(leads(ahead) ? seconds_ahead(ahead) : seconds_ahead(behind)),
              leads(ahead) ? 180 : -180, 30);
  wait_for_beats(4);
  EXPECT_EQ(terms(), "2");
}

}  // namespace
