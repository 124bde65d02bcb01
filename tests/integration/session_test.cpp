// A Session on a real server: coming, going, hostile defaults, losses.
#include "pgcoord/session.hpp"

#include <gtest/gtest.h>

#include <csignal>
#include <thread>

#include "support/client.hpp"

namespace {

using namespace std::chrono_literals;
using namespace pgcoord;
using pgcoord::test::Events;
using pgcoord::test::options_for;
using pgcoord::test::Server;
using pgcoord::test::shared_server;
using pgcoord::test::wait_until;

std::string only(const std::string& sql, const Server& server = shared_server()) {
  return server.connect().value(sql).value_or("");
}

TEST(Session, joins_and_names_its_server) {
  Session session(options_for("s1"));
  session.require_ready(10s);
  const auto server = session.server();
  ASSERT_TRUE(server);
  EXPECT_EQ(server->database, "postgres");
  EXPECT_EQ(server->leader_channel, "__eventsource_coordination.leader");
  EXPECT_EQ(server->system_identifier, only("SELECT system_identifier FROM pg_control_system()"));
  EXPECT_EQ(only("SELECT session_pid FROM coord.peers WHERE instance_id = 's1'"),
            std::to_string(server->backend_pid));
}

TEST(Session, listens_where_its_group_is_told) {
  for (const auto& group : {std::string("short"), std::string(60, 'x'), std::string("Ünïcode \"q\"")}) {
    auto options = options_for("grouped " + std::to_string(group.size()));
    options.member_group = group;
    Session session(options);
    session.require_ready(10s);
    Session second([&] {
      auto other = options;
      other.instance_id += " second";
      return other;
    }());
    second.require_ready(10s);
    PgLeaderElector a(session, "in " + group);
    PgLeaderElector b(second, "in " + group);
    a.campaign();
    ASSERT_TRUE(wait_until([&] { return a.is_leader(); }));
    b.campaign();
    ASSERT_FALSE(b.try_acquire());
    Events heard(session);
    a.observe([](const auto&) {});
    a.release();
    EXPECT_TRUE(wait_until([&] { return b.is_leader(); }, 1s)) << group;
    EXPECT_TRUE(wait_until([&] { return a.current_leader() == b.identity(); }, 1s)) << group;
  }
}

TEST(Session, W19_pins_itself_against_hostile_defaults) {
  Server server;
  server.install("hostile");
  for (const char* setting :
       {"default_transaction_read_only = on", "default_transaction_isolation = 'serializable'",
        "default_transaction_deferrable = on", "statement_timeout = '1ms'", "lock_timeout = '1ms'",
        "idle_in_transaction_session_timeout = '1ms'", "idle_session_timeout = '500ms'",
        "search_path = 'pg_temp, public'", "client_min_messages = 'debug5'", "row_security = off"}) {
    server.connect().exec(std::string("ALTER DATABASE hostile SET ") + setting);
  }
  auto options = options_for("pinned", server);
  options.conninfo = server.conninfo("hostile");
  options.heartbeat_timeout = 2s;
  Session session(options);
  Events heard(session);
  session.require_ready(10s);
  const int pid = session.server()->backend_pid;
  PgLeaderElector elector(session, "e");
  EXPECT_TRUE(elector.try_acquire());
  const auto until = BootClock::now() + 1500ms;
  while (BootClock::now() < until) ASSERT_TRUE(elector.renew());
  EXPECT_EQ(session.server()->backend_pid, pid);
  EXPECT_EQ(heard.count<Failed>(), 0);
  EXPECT_EQ(heard.count<Disconnected>(), 0);
  EXPECT_EQ(only("SELECT count(*) FROM pg_stat_activity WHERE pid = " + std::to_string(pid) +
                     " AND xact_start IS NOT NULL",
                 server),
            "0");
}

TEST(Session, field_case_26_a_gap_is_told_and_everything_is_read_again) {
  Session session(options_for("gap"));
  Events before(session);
  Session leader(options_for("gap leader"));
  PgLeaderElector watching(session, "gap");
  PgLeaderElector leading(leader, "gap");
  std::mutex mutex;
  std::vector<std::optional<std::string>> seen;
  watching.observe([&](const std::optional<std::string>& name) {
    const std::lock_guard lock(mutex);
    seen.push_back(name);
  });
  ASSERT_TRUE(wait_until([&] { return before.count<Resync>() == 1; }));
  Events heard(session);
  shared_server().connect().exec("SELECT pg_terminate_backend($1::int)",
                                 {std::to_string(session.server()->backend_pid)});
  ASSERT_TRUE(leading.try_acquire());
  ASSERT_TRUE(wait_until([&] { return heard.count<Resync>() == 1; }));
  ASSERT_EQ(heard.count<Disconnected>(), 1);
  EXPECT_EQ(heard.first<Disconnected>()->reason.sqlstate, "57P01");
  EXPECT_TRUE(wait_until([&] { return watching.current_leader() == "gap leader"; }, 2s));
  const std::lock_guard lock(mutex);
  EXPECT_EQ(seen.back(), "gap leader");
}

TEST(Session, field_case_79_no_announcement_is_swallowed_by_a_heartbeat) {
  Session session(options_for("busy"));
  Session other(options_for("busy other"));
  PgLeaderElector watching(session, "busy");
  PgLeaderElector changing(other, "busy");
  watching.observe([](const auto&) {});
  session.require_ready(10s);
  PgLeaderElector own(session, "busy own");
  ASSERT_TRUE(own.try_acquire());
  std::atomic<bool> stop{false};
  std::thread renewing([&] {
    while (!stop) own.renew();
  });
  int missed = 0;
  for (int round = 0; round < 100; ++round) {
    EXPECT_TRUE(changing.try_acquire());
    if (!wait_until([&] { return watching.current_leader() == "busy other"; }, 1s)) ++missed;
    changing.release();
    if (!wait_until([&] { return watching.current_leader() == std::nullopt; }, 1s)) ++missed;
  }
  stop = true;
  renewing.join();
  EXPECT_EQ(missed, 0);
}

TEST(Session, field_case_82_losses_while_waiting_are_told_within_a_second) {
  Server server;
  server.install();
  Session session(options_for("waiting", server));
  Events heard(session);
  ASSERT_TRUE(wait_until([&] { return heard.count<Resync>() == 1; }));
  server.stop(Server::Mode::immediate);
  EXPECT_TRUE(wait_until([&] { return heard.count<Disconnected>() > 0; }, 1s));
  server.start();
  EXPECT_TRUE(wait_until([&] { return session.is_ready(); }, 10s));
  EXPECT_TRUE(wait_until([&] { return heard.count<Resync>() == 2; }));
}

TEST(Session, field_case_82_a_frozen_server_is_given_up) {
  Server server;
  server.install();
  auto options = options_for("frozen", server);
  options.heartbeat_timeout = 1s;
  Session session(options);
  PgLeaderElector elector(session, "e");
  ASSERT_TRUE(elector.try_acquire());
  Events heard(session);
  const int backend = session.server()->backend_pid;
  server.signal(backend, SIGSTOP);
  const auto begin = BootClock::now();
  EXPECT_TRUE(wait_until([&] { return !elector.is_leader(); }, 1100ms));
  EXPECT_LE(BootClock::now() - begin, 1050ms);
  EXPECT_TRUE(wait_until([&] { return heard.count<Disconnected>() > 0; }, 2s));
  server.signal(backend, SIGCONT);
  EXPECT_TRUE(wait_until([&] { return session.is_ready(); }, 10s));
}

TEST(Session, field_case_83_comes_back_with_everything_after_many_losses) {
  Session session(options_for("killed often"));
  Session other(options_for("killed often other"));
  PgLeaderElector watching(session, "often");
  PgLeaderElector changing(other, "often");
  watching.observe([](const auto&) {});
  for (int round = 0; round < 20; ++round) {
    session.require_ready(10s);
    shared_server().connect().exec(
        "SELECT pg_terminate_backend(session_pid) FROM coord.peers WHERE instance_id = 'killed often'");
    ASSERT_TRUE(changing.try_acquire());
    EXPECT_TRUE(wait_until([&] { return watching.current_leader() == "killed often other"; }, 10s));
    changing.release();
    EXPECT_TRUE(wait_until([&] { return watching.current_leader() == std::nullopt; }, 10s));
  }
}

TEST(Session, field_case_53_of_two_with_one_name_the_second_waits) {
  Session first(options_for("twin"));
  first.require_ready(10s);
  Session second(options_for("twin"));
  Events heard(second);
  EXPECT_TRUE(wait_until([&] { return heard.count<InstanceInUse>() > 0; }));
  EXPECT_EQ(second.last_failure()->sqlstate, "PC003");
  EXPECT_THROW(second.require_ready(10ms), Error);
  first.close();
  EXPECT_TRUE(second.wait_until_ready(10s));
}

TEST(Session, reports_a_database_without_the_extension) {
  auto options = options_for("nowhere");
  options.conninfo = shared_server().conninfo("template1");
  Session session(options);
  try {
    session.require_ready(500ms);
    ADD_FAILURE() << "ready";
  } catch (const Error& error) {
    EXPECT_EQ(error.sqlstate(), "3F000");
  }
}

TEST(Session, field_case_89_short_cycles_leave_no_trace_in_the_log) {
  Server server;
  server.install();
  for (int cycle = 0; cycle < 30; ++cycle) {
    Session session(options_for("cycle", server));
    PgLeaderElector elector(session, "e");
    ASSERT_TRUE(elector.try_acquire()) << cycle;
  }
  EXPECT_TRUE(wait_until([&] {
    return only("SELECT count(*) FROM pg_stat_activity WHERE application_name LIKE 'pgcoord%'", server) ==
           "0";
  }));
  EXPECT_EQ(server.log().find("unexpected EOF"), std::string::npos);
  EXPECT_EQ(server.log().find("could not receive"), std::string::npos);
}

}  // namespace
