// The last word: nothing else comes after it that could bring it along.
#include <gtest/gtest.h>

#include "support/client.hpp"

namespace {

using namespace std::chrono_literals;
using namespace pgcoord;
using pgcoord::test::Connection;
using pgcoord::test::options_for;
using pgcoord::test::shared_server;
using pgcoord::test::wait_until;

TEST(ObserveQuiet, field_case_79_what_comes_with_the_answer_to_a_renewal_is_told_at_once) {
  auto options = options_for("quiet");
  options.heartbeat_timeout = 60s;  // nothing is sent by itself for twenty seconds
  Session session(options);
  PgLeaderElector own(session, "quiet own");
  ASSERT_TRUE(own.try_acquire());
  PgLeaderElector watching(session, "quiet");
  std::atomic<bool> led{false};
  watching.observe([&](const auto& leader) { led = leader.has_value(); });
  Connection actor = shared_server().connect();
  actor.exec("SELECT coord.join('actor of quiet')");
  int late = 0;
  for (int round = 0; round < 500; ++round) {
    const bool begins = round % 2 == 0;
    actor.send(begins ? "SELECT coord.campaign('quiet')" : "SELECT coord.resign('quiet')");
    EXPECT_TRUE(own.renew());
    actor.finish();
    late += wait_until([&] { return led == begins; }, 500ms) ? 0 : 1;
  }
  EXPECT_EQ(late, 0);
}

TEST(ObserveQuiet, field_case_80_other_messages_of_the_server_are_no_event) {
  pgcoord::test::Server server;
  server.install();
  auto options = options_for("deaf to small talk", server);
  options.pump = Pump::event_loop;
  Session session(options);
  session.require_ready(10s);
  int events = 0;
  session.on_event([&](const Event&) { ++events; });
  while (session.on_ready(), events > 0) events = 0;
  Connection root = server.connect();
  for (const char* zone : {"Asia/Tokyo", "America/Lima", "Asia/Kolkata"}) {
    root.exec("ALTER SYSTEM SET timezone = '" + std::string(zone) + "'");
    root.exec("ALTER SYSTEM SET datestyle = 'SQL, DMY'");
    server.reload();  // every session tells its client of new values of such settings
    ASSERT_TRUE(wait_until([&] { return server.connect().value("SHOW timezone") == zone; }));
    session.run_for(300ms);
  }
  EXPECT_EQ(events, 0);
  EXPECT_TRUE(session.is_ready());
}

}  // namespace
