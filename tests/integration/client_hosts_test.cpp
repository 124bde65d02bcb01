// Which host of a list a session takes, and how long the others may cost.
#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "support/client.hpp"

namespace {

using namespace std::chrono_literals;
using namespace pgcoord;
using pgcoord::test::options_for;
using pgcoord::test::Server;
using pgcoord::test::shared_server;
using pgcoord::test::wait_until;

/// Takes connections and never answers, as a host behind a firewall that swallows everything.
class SilentHost {
 public:
  SilentHost() : descriptor_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t length = sizeof(address);
    EXPECT_EQ(::bind(descriptor_, reinterpret_cast<sockaddr*>(&address), length), 0);
    EXPECT_EQ(::listen(descriptor_, 8), 0);
    ::getsockname(descriptor_, reinterpret_cast<sockaddr*>(&address), &length);
    port_ = ntohs(address.sin_port);
  }
  ~SilentHost() { ::close(descriptor_); }
  [[nodiscard]] int port() const { return port_; }

 private:
  int descriptor_;
  int port_ = 0;
};

TEST(SessionHosts, field_case_86_takes_the_read_write_host_and_follows_a_promotion) {
  Server primary;
  primary.install();
  const auto standby = primary.add_standby();
  auto options = options_for("follower", primary);
  options.heartbeat_timeout = 2s;
  options.conninfo = "host=127.0.0.1,127.0.0.1 port=" + std::to_string(standby->port()) + "," +
                     std::to_string(primary.port()) + " dbname=postgres user=postgres";
  Session session(options);
  PgLeaderElector elector(session, "e");
  elector.campaign();
  ASSERT_TRUE(wait_until([&] { return elector.is_leader(); }));
  const auto token = elector.token();
  primary.wait_replayed(*standby);
  primary.stop(Server::Mode::immediate);
  standby->promote();
  EXPECT_TRUE(wait_until([&] { return elector.is_leader(); }));
  EXPECT_GT(elector.token(), token);
}

TEST(SessionHosts, field_case_86_a_silent_host_costs_its_timeout_and_no_more) {
  const SilentHost first;
  const SilentHost second;
  auto options = options_for("patient");
  options.connect_timeout = 1500ms;
  options.conninfo = "host=127.0.0.1,127.0.0.1,127.0.0.1 port=" + std::to_string(first.port()) + "," +
                     std::to_string(second.port()) + "," + std::to_string(shared_server().port()) +
                     " dbname=postgres user=postgres";
  auto begin = BootClock::now();
  Session session(options);
  session.require_ready(20s);
  EXPECT_GE(BootClock::now() - begin, 2 * options.connect_timeout);
  EXPECT_LT(BootClock::now() - begin, 3 * options.connect_timeout) << "some host had more than its timeout";

  // The one that was found is asked first the next time.
  const int backend = session.server()->backend_pid;
  begin = BootClock::now();
  shared_server().connect().exec("SELECT pg_terminate_backend($1::int)", {std::to_string(backend)});
  ASSERT_TRUE(wait_until([&] {
    const auto server = session.server();
    return server && server->backend_pid != backend;
  }));
  EXPECT_LT(BootClock::now() - begin, options.connect_timeout) << "a silent host was asked again";
}

TEST(SessionHosts, field_case_86_a_list_of_silent_hosts_is_given_up_after_the_sum_of_its_timeouts) {
  const SilentHost first;
  const SilentHost second;
  auto options = options_for("unlucky");
  options.connect_timeout = 1s;
  options.conninfo = "host=127.0.0.1,127.0.0.1 port=" + std::to_string(first.port()) + "," +
                     std::to_string(second.port()) + " dbname=postgres user=postgres";
  const auto begin = BootClock::now();
  Session session(options);
  const pgcoord::test::Events heard(session);
  ASSERT_TRUE(wait_until([&] { return heard.count<Disconnected>() > 0; }));
  EXPECT_GE(BootClock::now() - begin, 2 * options.connect_timeout);
  EXPECT_LT(BootClock::now() - begin, 3 * options.connect_timeout);
}

}  // namespace
