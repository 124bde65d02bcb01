// The guardian's own eye on the connection that the command's lock hangs on.
#include <gtest/gtest.h>
#include <sys/socket.h>

#include <array>

#include "support/process.hpp"
#include "support/wait.hpp"
#include "tool/command.hpp"

namespace {

using namespace std::chrono_literals;
using pgcoord::BootClock;
using pgcoord::Instant;
using pgcoord::test::Descriptor;
using pgcoord::test::wait_until;
using namespace pgcoord::tool;

class ToolLockGuardian : public testing::Test {
 protected:
  ToolLockGuardian() {
    std::array<int, 2> ends{};
    EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()), 0);
    ours_ = Descriptor(ends[0]);
    other_ = Descriptor(ends[1]);
  }
  /// Hangs up in the guardian's copy too, which it inherits here and nowhere else.
  void hang_up() const { EXPECT_EQ(shutdown(other_.get(), SHUT_RDWR), 0); }

  Command sleeper(pgcoord::Duration overlap) const {
    CommandLine line;
    line.words = {"sleep", "1000"};
    sigemptyset(&line.mask);
    line.connection = ours_.get();
    line.overlap = overlap;
    return Command(line, Instant::max());
  }
  static bool ends(Command& command, std::chrono::milliseconds bound) {
    return wait_until([&] { return command.ended().has_value(); }, bound);
  }

  Descriptor ours_;
  Descriptor other_;
};

TEST_F(ToolLockGuardian, KillsTheCommandWhenTheOtherSideHangsUp) {
  Command command = sleeper(0s);
  EXPECT_FALSE(ends(command, 100ms));
  hang_up();
  EXPECT_TRUE(ends(command, 5s));
}

TEST_F(ToolLockGuardian, LeavesItTheOverlap) {
  Command command = sleeper(1s);
  const Instant before = BootClock::now();
  hang_up();
  EXPECT_TRUE(ends(command, 10s));
  EXPECT_GE(BootClock::now() - before, 1s);
}

// What the server says unasked is for the tool.
TEST_F(ToolLockGuardian, WhatIsSentIsNoHangUp) {
  Command command = sleeper(0s);
  ASSERT_EQ(send(other_.get(), "x", 1, 0), 1);
  EXPECT_FALSE(ends(command, 200ms));
  command.kill_at(BootClock::now());
  EXPECT_TRUE(ends(command, 5s));
}

}  // namespace
