// A network that swallows everything and keeps every connection open, and what comes through when it is back.
#include <gtest/gtest.h>

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include "support/client.hpp"
#include "support/fault_test.hpp"
#include "support/relay.hpp"

namespace {

using namespace std::chrono_literals;
using namespace pgcoord;
using namespace pgcoord::test;
using std::chrono::steady_clock;

class Unreachable : public FaultTest {
 protected:
  std::string through(const Relay& relay) const {
    return "host=127.0.0.1 port=" + std::to_string(relay.port()) + " dbname=" + database() + " user=postgres";
  }
  SessionOptions options(const std::string& name, const std::string& conninfo) const {
    auto made = options_for(name, server());
    made.conninfo = conninfo;
    made.heartbeat_timeout = 2s;
    return made;
  }
  /// Asks every half a second; whether it came to lead by then.
  static bool asks_until_leading(Connection& heir, steady_clock::time_point end) {
    while (steady_clock::now() < end) {
      if (campaign(heir, "x").is_leader) return true;
      (void)heir.notification(500ms);
    }
    return false;
  }
};

TEST_F(Unreachable,
       field_cases_4_and_56_a_leader_is_replaced_in_time_and_its_late_renewal_takes_nothing_back) {
  Relay relay(server().port());
  Connection heir = member("b", "60 s");
  Connection leader{through(relay)};
  join(leader, "a", "2 s");
  const std::int64_t token = campaign(leader, "x").token;
  campaign(heir, "x");
  const auto before = steady_clock::now();
  ASSERT_EQ(heartbeat(leader).size(), 1U);
  const auto after = steady_clock::now();
  relay.freeze();
  leader.send("SELECT election FROM coord.heartbeat()");  // held up on its way
  ASSERT_TRUE(asks_until_leading(heir, after + 3s)) << "timeout + 1 s has passed";
  EXPECT_GE(steady_clock::now() - before, 2s) << "taken before it was silent for its timeout";
  const auto mine = heartbeat(heir).at(0);
  EXPECT_GT(mine.token, token);

  relay.thaw();
  EXPECT_EQ(leader.finish(), Rows{}) << "a leadership that it has lost";
  EXPECT_EQ(fence_state(leader, "x", token), "PC002");
  EXPECT_FALSE(resign(leader, "x"));
  EXPECT_EQ(try_acquire(leader, "x").leader, "b");
  EXPECT_EQ(heartbeat(heir).at(0).token, mine.token);
  EXPECT_EQ(heir.value("SELECT count(*) FROM coord.leadership_log"), "2");
}

TEST_F(Unreachable, field_case_4_a_client_knows_its_loss_before_anybody_else_leads) {
  Relay relay(server().port());
  Session session(options("a", through(relay)));
  PgLeaderElector elector(session, "x");
  ASSERT_TRUE(elector.try_acquire());
  const std::int64_t token = elector.token()->value;
  Connection heir = member("b", "60 s");
  campaign(heir, "x");
  relay.freeze();
  const auto begin = steady_clock::now();
  bool believed = true;
  const auto replaced = [&] {
    believed = elector.is_leader();  // asked first: what it says was true before the look at the server
    const bool led = campaign(heir, "x").is_leader;
    EXPECT_FALSE(led && elector.is_leader()) << "two leaders";
    return led;
  };
  EXPECT_TRUE(wait_until(replaced, 3200ms));
  EXPECT_FALSE(believed);
  EXPECT_LT(steady_clock::now() - begin, 3200ms);
  EXPECT_EQ(fence_state(heir, "x", token), "PC002");

  relay.thaw();
  EXPECT_TRUE(wait_until([&] { return session.is_ready(); }));
  EXPECT_FALSE(elector.try_acquire());
  EXPECT_EQ(elector.current_leader(), "b");
  EXPECT_TRUE(wait_until([&] {
    return heir.value("SELECT count(*) FROM pg_stat_activity WHERE application_name = 'pgcoord a'") == "1";
  })) << "its former session is still there";
}

TEST_F(Unreachable, field_case_68_five_clients_come_back_elsewhere_as_the_same_five_members) {
  auto relay = std::make_unique<Relay>(server().port());
  std::vector<std::unique_ptr<Session>> sessions;
  const std::string hosts = "host=127.0.0.1,127.0.0.1 port=" + std::to_string(relay->port()) + "," +
                            std::to_string(server().port()) + " dbname=" + database() + " user=postgres";
  for (int i = 0; i < 5; ++i) {
    auto made = options("m" + std::to_string(i), hosts);
    made.connect_timeout = 3s;  // for the dead one; long enough for a busy machine, too
    made.reconnect_max = 500ms;
    sessions.push_back(std::make_unique<Session>(made));
    sessions.back()->require_ready(10s);
  }
  Connection root = connect();
  const std::string first = root.value("SELECT max(incarnation) FROM coord.peers").value();
  relay->freeze();
  const auto all_new = [&] {
    EXPECT_EQ(root.value("SELECT count(*) FROM coord.peers"), "5");
    return root.value(
               "SELECT count(*) FROM coord.peers WHERE status = 'healthy' AND incarnation > $1::bigint",
               {first}) == "5";
  };
  EXPECT_TRUE(wait_until(all_new)) << testing::PrintToString(
      root.exec("SELECT instance_id, incarnation, status FROM coord.peers"));
  for (const auto& session : sessions) EXPECT_TRUE(wait_until([&] { return session->is_ready(); }));

  relay.reset();  // the dead connections end, as the server's keepalives would end them
  EXPECT_TRUE(wait_until([&] {
    return root.value("SELECT count(*) FROM pg_stat_activity WHERE application_name LIKE 'pgcoord m%'") ==
           "5";
  }));
  EXPECT_EQ(root.value("SELECT count(*) FROM coord.peers WHERE status = 'healthy'"), "5")
      << "an old session took a new one along";
}

TEST_F(Unreachable, field_case_68_both_ends_of_a_connection_look_for_the_other) {
  Session session(options("probed", server().conninfo(database())));
  session.require_ready(10s);
  const auto option = [&](int level, int name) {
    int value = 0;
    socklen_t size = sizeof(value);
    EXPECT_EQ(::getsockopt(session.socket(), level, name, &value, &size), 0);
    return value;
  };
  EXPECT_EQ(option(SOL_SOCKET, SO_KEEPALIVE), 1);
  EXPECT_EQ(option(IPPROTO_TCP, TCP_KEEPIDLE), 1);  // a third of the timeout, whole seconds
  EXPECT_EQ(option(IPPROTO_TCP, TCP_KEEPINTVL), 1);
  EXPECT_EQ(option(IPPROTO_TCP, TCP_KEEPCNT), 3);
  EXPECT_EQ(option(IPPROTO_TCP, TCP_USER_TIMEOUT), 2000);
}

}  // namespace
