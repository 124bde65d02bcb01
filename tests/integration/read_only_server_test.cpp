// Field case 32: a client whose only server is a standby, for a while.
#include <gmock/gmock.h>

#include "support/client.hpp"

namespace {

using namespace std::chrono_literals;
using namespace pgcoord;
using pgcoord::test::Events;
using pgcoord::test::options_for;
using pgcoord::test::Server;
using pgcoord::test::wait_until;

int attempts(const Server& server) {
  const std::string log = server.log();
  const std::string mark = "application_name=pgcoord patient";
  int count = 0;
  for (auto at = log.find(mark); at != std::string::npos; at = log.find(mark, at + 1)) ++count;
  return count;
}

TEST(ReadOnlyServer, field_case_32_is_asked_less_and_less_often_and_used_when_it_is_promoted) {
  Server primary;
  primary.install();
  const auto standby = primary.add_standby({"log_connections = on"});
  Session session(options_for("patient", *standby));
  Events heard(session);
  PgLeaderElector elector(session, "e");
  elector.campaign();
  elector.observe([](const auto&) {});
  const auto begin = BootClock::now();
  ASSERT_TRUE(wait_until([&] { return attempts(*standby) >= 7; }, 20s));
  // 0.1 s, 0.2 s, … 3.2 s, each shortened by half at most.
  EXPECT_GE(BootClock::now() - begin, 3100ms) << "a storm";
  EXPECT_FALSE(session.is_ready());
  EXPECT_EQ(session.last_failure()->sqlstate, "08001");
  EXPECT_THAT(session.last_failure()->message, testing::HasSubstr("read-only"));
  EXPECT_EQ(heard.count<Connected>(), 0);
  EXPECT_LE(heard.count<Disconnected>(), attempts(*standby)) << "told more often than it was tried";

  standby->promote();
  EXPECT_TRUE(wait_until([&] { return elector.is_leader(); }, 10s));
  EXPECT_TRUE(wait_until([&] { return heard.count<Resync>() == 1; }));
  EXPECT_EQ(elector.current_leader(), "patient");
}

}  // namespace
