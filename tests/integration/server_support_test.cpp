// The ground that the other integration tests stand on.
#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>

#include "support/process.hpp"
#include "support/server.hpp"
#include "support/wait.hpp"

namespace {

using namespace std::chrono_literals;
using pgcoord::test::Child;
using pgcoord::test::Connection;
using pgcoord::test::process_alive;
using pgcoord::test::Rows;
using pgcoord::test::Server;
using pgcoord::test::SqlError;
using pgcoord::test::wait_until;

TEST(ServerSupport, AnswersByTcpAndBySocket) {
  Server server{{"work_mem = '5MB'"}};
  EXPECT_EQ(server.connect().value("SHOW work_mem"), "5MB");
  EXPECT_EQ(Connection{server.socket_conninfo()}.value("SHOW fsync"), "on");
  EXPECT_NE(server.port(), 5432);
}

TEST(ServerSupport, InstallsTheStagedExtension) {
  Server server;
  server.install("app");
  EXPECT_TRUE(server.connect("app").value("SELECT coord.lock_key('x')").has_value());
}

TEST(ServerSupport, ComesBackByItselfAfterABackendIsKilled) {
  Server server;
  Connection victim = server.connect();
  Connection witness = server.connect();
  server.kill_backend(victim.backend_pid());
  EXPECT_TRUE(wait_until([&] { return !witness.alive(); }));
  EXPECT_EQ(victim.sqlstate_of("SELECT 1"), "08006");
  server.wait_ready();
  EXPECT_EQ(server.connect().value("SELECT 2"), "2");
}

TEST(ServerSupport, KeepsDataAndPortOverAnImmediateRestart) {
  Server server;
  const int port = server.port();
  server.connect().exec("CREATE TABLE kept AS SELECT 7 AS x");
  server.stop(Server::Mode::immediate);
  EXPECT_FALSE(server.running());
  EXPECT_THROW(server.connect(), SqlError);
  server.start();
  EXPECT_EQ(server.port(), port);
  EXPECT_EQ(server.connect().value("SELECT x FROM kept"), "7");
}

TEST(ServerSupport, StandbyFollowsAndIsPromoted) {
  Server primary;
  const auto standby = primary.add_standby();
  primary.connect().exec("CREATE TABLE copied AS SELECT 1 AS x");
  primary.wait_replayed(*standby);
  EXPECT_EQ(standby->connect().value("SELECT count(*) FROM copied"), "1");
  EXPECT_EQ(standby->connect().sqlstate_of("DELETE FROM copied"), "25006");
  standby->promote();
  EXPECT_EQ(standby->connect().sqlstate_of("DELETE FROM copied"), "00000");
  EXPECT_EQ(primary.connect().value("SELECT count(*) FROM copied"), "1");
}

TEST(ServerSupport, StopsAndLeavesNothing) {
  std::filesystem::path folder;
  pid_t pid = 0;
  {
    Server server;
    folder = server.folder();
    pid = server.pid();
    EXPECT_TRUE(process_alive(pid));
  }
  EXPECT_FALSE(std::filesystem::exists(folder));
  EXPECT_TRUE(wait_until([&] { return !process_alive(pid); }));
}

TEST(ConnectionSupport, TellsNullsErrorsAndNotifications) {
  Server server;
  Connection one = server.connect();
  Connection two = server.connect();
  EXPECT_EQ(one.exec("SELECT NULL, $1::int + 1", {"41"}), (Rows{{std::nullopt, "42"}}));
  EXPECT_EQ(one.sqlstate_of("SELECT 1/0"), "22012");
  EXPECT_EQ(one.notification(0ms), std::nullopt);
  one.exec("LISTEN bell");
  two.exec("NOTIFY bell, 'hello'");
  const auto heard = one.notification(10s);
  ASSERT_TRUE(heard.has_value());
  EXPECT_EQ(heard->payload, "hello");
  EXPECT_EQ(heard->pid, two.backend_pid());
}

TEST(ConnectionSupport, BoundsAStatementThatBlocks) {
  Server server;
  Connection holder = server.connect();
  Connection waiter = server.connect();
  holder.exec("SELECT pg_advisory_lock(1)");
  waiter.send("SELECT pg_advisory_lock(1)");
  EXPECT_TRUE(waiter.busy());
  holder.exec("SELECT pg_advisory_unlock(1)");
  EXPECT_EQ(waiter.finish().size(), 1U);
  EXPECT_THROW(waiter.exec("SELECT pg_sleep(60)", {}, 50ms), std::runtime_error);
}

TEST(ChildSupport, CapturesOutputAndEnding) {
  Child child{{"sh", "-c", "echo out $WORD; echo err >&2; exit 3"}, {{"WORD", "word"}}};
  const auto ending = child.wait(10s);
  ASSERT_TRUE(ending.has_value());
  EXPECT_EQ(ending->code, 3);
  EXPECT_EQ(child.out(), "out word\n");
  EXPECT_EQ(child.err(), "err\n");
}

TEST(ChildSupport, KeepsWhatTwoWriteAtOnce) {
  const std::string write = "i=0; while [ $i -lt 20000 ]; do echo line; i=$((i+1)); done";
  Child child{{"sh", "-c", write + " & " + write + "; wait"}};
  ASSERT_TRUE(child.wait(30s).has_value());
  EXPECT_EQ(child.out().size(), 2U * 20000 * 5);
}

TEST(ChildSupport, IsKilledWithItsGroup) {
  Child child{{"sh", "-c", "sleep 1000 & echo $!; wait"}};
  ASSERT_TRUE(wait_until([&] { return child.out().ends_with('\n'); }));
  const pid_t grandchild = std::stoi(child.out());
  EXPECT_FALSE(child.wait(0ms).has_value());
  child.kill_group(SIGKILL);
  EXPECT_EQ(child.wait(10s)->signal, SIGKILL);
  EXPECT_TRUE(wait_until([&] { return !process_alive(grandchild); }));
}

}  // namespace
