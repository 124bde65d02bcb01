// The command and its guardian: real processes, no server.
#include "tool/command.hpp"

#include <gtest/gtest.h>
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <string>

#include "support/process.hpp"
#include "support/wait.hpp"

namespace {

using namespace std::chrono_literals;
using pgcoord::BootClock;
using pgcoord::test::Descriptor;
using pgcoord::test::process_alive;
using pgcoord::test::wait_until;
using namespace pgcoord::tool;

class ToolCommand : public testing::Test {
 protected:
  ToolCommand() {
    std::array<int, 2> ends{};
    EXPECT_EQ(pipe2(ends.data(), O_CLOEXEC | O_NONBLOCK), 0);
    reader_ = Descriptor(ends[0]);
    writer_ = Descriptor(ends[1]);
  }

  /// `say` in the script writes to what said() reads.
  Command shell(const std::string& script, pgcoord::Duration life = 60s) const {
    CommandLine line;
    line.words = {"sh", "-c",
                  "say() { echo \"$@\" >/proc/" + std::to_string(getpid()) + "/fd/" +
                      std::to_string(writer_.get()) + "; };" + script};
    line.variables = {{"PGCOORD_TOKEN", "5"}, {"HOME", "/nowhere"}};
    line.grace = 200ms;
    sigemptyset(&line.mask);
    return Command(line, BootClock::now() + life);
  }
  bool said(const std::string& text) {
    return wait_until([&] {
      std::array<char, 256> block;
      const ssize_t size = read(reader_.get(), block.data(), block.size());
      if (size > 0) heard_.append(block.data(), static_cast<std::size_t>(size));
      return heard_.find(text) != std::string::npos;
    });
  }
  pid_t pid_after(const std::string& label) const {
    return std::stoi(heard_.substr(heard_.find(label) + label.size()));
  }
  static int code_of(Command& command) {
    std::optional<int> code;
    EXPECT_TRUE(wait_until([&] { return (code = command.ended()).has_value(); }));
    return code.value_or(-1);
  }

 private:
  Descriptor reader_;
  Descriptor writer_;
  std::string heard_;
};

TEST_F(ToolCommand, EndsWithTheCodeOfTheCommand) {
  Command command = shell("test \"$PGCOORD_TOKEN$HOME\" = 5/nowhere && exit 6");
  EXPECT_EQ(code_of(command), 6);
}

TEST_F(ToolCommand, RunsInAGroupOfItsOwn) {
  Command command = shell("say pgrp=$(ps -o pgid= -p $$) end; exec sleep 1000");
  ASSERT_TRUE(said("end"));
  EXPECT_NE(pid_after("pgrp="), getpgrp());
  command.forward(SIGTERM);
  EXPECT_EQ(code_of(command), 143);
}

TEST_F(ToolCommand, IsKilledAtItsDeadlineWithAllItsDescendants) {
  Command command = shell("trap '' TERM; (setsid sh -c 'sleep 1000' & say child=$!); say up; sleep 1000");
  ASSERT_TRUE(said("up"));
  command.kill_at(BootClock::now() + 100ms);
  EXPECT_EQ(code_of(command), 137);
  EXPECT_FALSE(process_alive(pid_after("child=")));
}

TEST_F(ToolCommand, LivesOnWhileTheDeadlineIsMoved) {
  Command command = shell("say up; sleep 1000", 1s);
  command.kill_at(BootClock::now() + 60s);
  ASSERT_TRUE(said("up"));
  EXPECT_FALSE(wait_until([&] { return command.ended().has_value(); }, 1200ms));
  command.kill_at(BootClock::now());
  EXPECT_EQ(code_of(command), 137);
}

TEST_F(ToolCommand, DiesAtTheDeadlineItWasStartedWith) {
  Command command = shell("sleep 1000", 100ms);
  EXPECT_EQ(code_of(command), 137);
}

TEST_F(ToolCommand, DiesWithItsOwner) {
  {
    const Command command = shell("sleep 1000 & say child=$!; say up; wait");
    ASSERT_TRUE(said("up"));
  }
  EXPECT_TRUE(wait_until([&] { return !process_alive(pid_after("child=")); }));
  EXPECT_GT(waitpid(-1, nullptr, 0), 0);
}

// An order that crosses the end would else raise SIGPIPE.
TEST_F(ToolCommand, TakesOrdersWhenItHasJustEnded) {
  Command command = shell("exit 0");
  siginfo_t info{};
  ASSERT_EQ(waitid(P_ALL, 0, &info, WEXITED | WNOWAIT), 0);
  command.forward(SIGTERM);
  command.kill_at(BootClock::now());
  EXPECT_EQ(code_of(command), 0);
}

TEST_F(ToolCommand, GivesWhatIsLeftBehindAGraceAndThenKillsIt) {
  Command command = shell(
      "trap 'say left=$! end; exit 8' USR1;"
      "(trap '' TERM USR1; kill -USR1 $$; while :; do sleep 0.01; done) &"
      "while :; do sleep 0.01; done");
  ASSERT_TRUE(said("end"));
  EXPECT_EQ(code_of(command), 8);
  EXPECT_FALSE(process_alive(pid_after("left=")));
}

TEST_F(ToolCommand, TellsMissingFromNotExecutable) {
  CommandLine line;
  line.words = {"no-such-program-anywhere"};
  Command missing(line, BootClock::now() + 60s);
  EXPECT_EQ(code_of(missing), 127);
  line.words = {"/no/such/program"};
  Command absent(line, BootClock::now() + 60s);
  EXPECT_EQ(code_of(absent), 127);
  line.words = {"/dev/null"};
  Command refused(line, BootClock::now() + 60s);
  EXPECT_EQ(code_of(refused), 126);
}

}  // namespace
