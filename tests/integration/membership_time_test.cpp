// Clocks that are wrong or jump, time zones, and everybody asleep at once: whose silence is believed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <ctime>

#include "fault_test.hpp"
#include "moved_clock.hpp"
#include "peers.hpp"
#include "psql.hpp"
#include "wait.hpp"

namespace {

using namespace std::chrono_literals;
using namespace pgcoord::test;
using std::chrono::steady_clock;

constexpr const char* ages =
    "SELECT extract(epoch FROM clock_timestamp() - last_heartbeat_at) FROM coord.peers"
    " WHERE instance_id = $1";

double number(Connection& by, const std::string& query, const std::string& parameter) {
  return std::stod(by.value(query, {parameter}).value());
}

class MembershipTime : public FaultTest {};

class ClientClock : public MembershipTime, public testing::WithParamInterface<int> {};

TEST_P(ClientClock, field_case_41_five_minutes_off_change_nothing) {
  Psql client{
      server().conninfo(database()),
      {{"LD_PRELOAD", "libpgcoord_wall_clock.so"}, {"WALL_CLOCK_OFFSET", std::to_string(GetParam())}}};
  Connection peer = member("peer", "60 s");
  listen_to_members(peer);
  client.ask("SELECT coord.join('a', heartbeat_timeout => '1 s')");
  const double ahead = std::stod(client.ask("\\! date +%s").text) - static_cast<double>(std::time(nullptr));
  ASSERT_NEAR(ahead, GetParam(), 30) << "its clock is not off";
  const auto end = steady_clock::now() + 2s;  // twice its timeout
  while (steady_clock::now() < end) {
    ASSERT_EQ(client.ask("SELECT coord.heartbeat()").sqlstate, "00000");
    ASSERT_LT(number(peer, ages, "a"), 0.5);
    ASSERT_GE(number(peer, ages, "a"), 0);
    ASSERT_EQ(status_of(peer, "a"), "healthy");
    sweep(peer);
  }
  EXPECT_EQ(bells_until_now(peer, "a"), std::vector<std::string>{"joined"});
  client.ask("SELECT coord.announce_shutdown('graceful', '30 s')");
  EXPECT_NEAR(
      number(peer, "SELECT extract(epoch FROM time_remaining) FROM coord.peers WHERE instance_id = $1", "a"),
      30, 1);
}

INSTANTIATE_TEST_SUITE_P(Seconds, ClientClock, testing::Values(300, -300),
                         [](const auto& info) { return info.param > 0 ? "ahead" : "behind"; });

constexpr const char* zones[] = {"Asia/Kolkata", "America/St_Johns", "UTC", "Pacific/Apia"};

/// Every zone's member, and what every other one sees of it.
void expect_right_ages(std::vector<Connection>& sessions) {
  for (Connection& reader : sessions)
    for (const char* zone : zones) {
      EXPECT_NEAR(number(reader, ages, zone), 0.25, 0.25) << zone;
      EXPECT_EQ(status_of(reader, zone), "draining") << zone;
      EXPECT_NEAR(
          number(reader, "SELECT extract(epoch FROM time_remaining) FROM coord.peers WHERE instance_id = $1",
                 zone),
          86400, 10)
          << zone;
    }
}

TEST_F(MembershipTime, field_case_65_sessions_in_odd_time_zones_agree) {
  Connection root = connect();
  std::vector<Connection> sessions;
  for (const char* zone : zones) {
    sessions.push_back(connect());
    sessions.back().exec(std::string{"SET timezone = '"} + zone + "'");
    join(sessions.back(), zone, "2 s");
    announce_shutdown(sessions.back(), "1 day");
  }
  for (Connection& session : sessions) heartbeat(session);
  expect_right_ages(sessions);
  root.exec("ALTER DATABASE " + database() + " SET timezone = 'Australia/Lord_Howe'");
  root = connect();
  EXPECT_EQ(root.value("SHOW timezone"), "Australia/Lord_Howe");
  for (Connection& session : sessions) heartbeat(session);
  expect_right_ages(sessions);
  for (const char* zone : zones) EXPECT_NEAR(number(root, ages, zone), 0.25, 0.25) << zone;
  EXPECT_EQ(root.value("SELECT count(*) FROM information_schema.columns WHERE table_schema = 'coord'"
                       " AND (column_name ~ '_at$|_start$|deadline$' OR column_name = 'at')"
                       " AND data_type <> 'timestamp with time zone'"),
            "0");
}

TEST_F(MembershipTime, field_case_65_told_times_are_in_utc_with_an_offset) {
  Connection session = connect();
  listen_to_all(session);
  session.exec("SET timezone = 'America/St_Johns'; SET datestyle = 'German'");
  join(session, "a");
  announce_shutdown(session);
  session.exec("SELECT coord.heartbeat('{s}')");
  int told = 0;
  while (const auto heard = session.notification(told < 3 ? 1000ms : 0ms)) {
    ++told;
    EXPECT_THAT(heard->payload, testing::ContainsRegex("\"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:.]+\\+00:00\""))
        << heard->channel;
  }
  EXPECT_EQ(told, 3);
}

TEST_F(MembershipTime, field_case_64_after_everybody_slept_nobody_is_evicted_or_told_silent) {
  Connection root = connect();
  listen_to_members(root);
  std::vector<std::unique_ptr<Psql>> clients;
  for (int i = 0; i < 5; ++i) {
    clients.push_back(std::make_unique<Psql>(server().conninfo(database())));
    const std::string n = std::to_string(i);
    // Long beside the second that calls may wait for each other when all wake.
    clients.back()->ask("SELECT coord.join('m" + n + "', heartbeat_timeout => '4 s')");
    clients.back()->ask("SELECT coord.campaign('x" + n + "'), coord.campaign('common')");
  }
  for (const auto& client : clients) client->ask("SELECT coord.heartbeat()");
  bells_until_now(root);
  const Rows before = root.exec("SELECT election, leader, token FROM coord.elections ORDER BY election");
  for (const auto& client : clients) client->process().kill(SIGSTOP);
  ASSERT_TRUE(wait_until([&] {
    return root.value(
               "SELECT bool_and(clock_timestamp() > last_heartbeat_at + 1.2 * heartbeat_timeout)"
               " FROM coord.peers") == "t";
  }));
  EXPECT_EQ(root.value("SELECT count(*) FROM coord.peers WHERE status = 'stale'"), "5");
  for (const auto& client : clients)
    client->tell("SELECT coord.sweep(), coord.try_acquire('common'), coord.campaign('x0')");
  for (const auto& client : clients) client->process().kill(SIGCONT);
  for (int beats = 0; beats < 3; ++beats)
    for (const auto& client : clients) {
      ASSERT_EQ(client->ask("SELECT coord.heartbeat()").sqlstate, "00000");
      client->ask("SELECT coord.sweep()");
    }
  EXPECT_EQ(root.exec("SELECT election, leader, token FROM coord.elections ORDER BY election"), before);
  EXPECT_EQ(root.value("SELECT count(*) FROM coord.peers WHERE status = 'healthy'"), "5");
  EXPECT_EQ(bells_until_now(root), std::vector<std::string>{});
}

/// The server's wall clock, moved by the test.
class ServerClock : public MembershipTime, public testing::WithParamInterface<int> {
 public:
  static void SetUpTestSuite() {
    clock_ = std::make_unique<MovedClock>();
    const MovedClock::Preloaded preloaded{*clock_};
    start_server({});
  }
  static void TearDownTestSuite() {
    FaultTest::TearDownTestSuite();
    clock_.reset();
  }

 protected:
  static MovedClock& clock() { return *clock_; }
  void TearDown() override {
    clock().move_to(0);
    FaultTest::TearDown();
  }

 private:
  static std::unique_ptr<MovedClock> clock_;
};

std::unique_ptr<MovedClock> ServerClock::clock_;

TEST_P(ServerClock, field_case_67_jump_evicts_nobody_until_a_full_timeout_was_watched) {
  Connection leader = member("a", "2 s");
  Connection judge = listener("b", "2 s");
  listen_to_members(judge);
  const std::int64_t token = campaign(leader, "x").token;
  campaign(judge, "x");
  const auto settled = steady_clock::now() + 2200ms;  // the judge has watched for the leader's timeout
  while (steady_clock::now() < settled) sweep(judge), heartbeat(judge), heartbeat(leader);
  bells_until_now(judge);
  clock().move_to(GetParam());
  const auto jump = steady_clock::now();
  EXPECT_NEAR(number(judge, "SELECT extract(epoch FROM clock_timestamp()) - $1::bigint",
                     std::to_string(std::time(nullptr))),
              GetParam(), 2);
  sweep(judge);
  EXPECT_FALSE(campaign(judge, "x").is_leader);
  EXPECT_EQ(bells_until_now(judge), std::vector<std::string>{}) << "told by somebody who saw the jump";
  ASSERT_EQ(heartbeat(leader).size(), 1U) << "evicted by somebody who saw the jump";
  EXPECT_EQ(leader_of(judge, "x"), "a");
  EXPECT_EQ(newest_token(judge, "x"), token);
  EXPECT_EQ(status_of(judge, "a"), "healthy");
  // From here on the leader really is silent.
  const auto leads = [&] { return sweep(judge), !heartbeat(judge).empty(); };
  EXPECT_TRUE(wait_until(leads, 4s));
  EXPECT_GE(steady_clock::now() - jump, 2s);
  EXPECT_EQ(bells_until_now(judge, "a"), std::vector<std::string>{"silent"});
}

INSTANTIATE_TEST_SUITE_P(Seconds, ServerClock, testing::Values(3600, -3600, 5, -5), [](const auto& info) {
  return (info.param > 0 ? "ahead_" : "back_") + std::to_string(std::abs(info.param));
});

TEST_F(ServerClock, field_case_65_ages_are_right_across_a_daylight_saving_change) {
  const std::time_t change = 1741503600;  // 2025-03-09 02:00 in New York, when it becomes 03:00
  clock().move_to(change - std::time(nullptr) - 2);
  Connection session = connect();
  session.exec("SET timezone = 'America/New_York'");
  EXPECT_EQ(session.value("SELECT extract(timezone_hour FROM clock_timestamp())"), "-5");
  join(session, "a", "1 s");
  announce_shutdown(session, "1 day");
  const Value deadline = session.value("SELECT extract(epoch FROM shutdown_deadline) FROM coord.peers");
  EXPECT_NEAR(std::stod(*deadline), static_cast<double>(change) + 86400, 3);
  const auto changed = [&] {
    heartbeat(session);
    EXPECT_NEAR(number(session, ages, "a"), 0.25, 0.26);
    EXPECT_EQ(status_of(session, "a"), "draining");
    return session.value("SELECT extract(timezone_hour FROM clock_timestamp())") == "-4";
  };
  EXPECT_TRUE(wait_until(changed, 5s));
  EXPECT_NEAR(
      number(session, "SELECT extract(epoch FROM time_remaining) FROM coord.peers WHERE instance_id = $1",
             "a"),
      86398, 3);
}

}  // namespace
