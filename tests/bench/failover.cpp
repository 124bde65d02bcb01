#include <libpq-fe.h>
#include <poll.h>

#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include "contest.hpp"
#include "figure.hpp"
#include "support/server.hpp"

// How long nobody knows that he leads after a leader's client is killed, beside the same with plain advisory
// locks.

namespace pgcoord::bench {
namespace {

constexpr const char* channel = "\"__eventsource_coordination.leader\"";

void wait_for_data(test::Connection& connection) {
  pollfd waited{PQsocket(connection.native()), POLLIN, 0};
  poll(&waited, 1, -1);
}

bool named(const test::Notification& notice, const std::string& name) {
  return notice.payload.find("\"" + name + "\"") != std::string::npos;
}

/// Leads only when the registry says so, after a notification that names it.
void campaign(test::Connection& connection, const std::string& name, const Reporter& reporter) {
  connection.exec(std::string{"LISTEN "} + channel);
  connection.exec("SELECT coord.join($1)", {name});
  const bool leads = connection.value("SELECT is_leader FROM coord.campaign('bench')") == "t";
  connection.exec("SELECT election FROM coord.heartbeat()");  // as one that has waited for a while
  reporter.say(leads ? Report::Kind::leading : Report::Kind::waiting, connection.backend_pid());
  if (leads) return;
  for (;;) {
    wait_for_data(connection);
    while (const auto notice = connection.notification(std::chrono::milliseconds{0})) {
      if (!named(*notice, name)) continue;
      if (connection.exec("SELECT election FROM coord.heartbeat()").empty()) continue;
      return reporter.say(Report::Kind::leading);
    }
  }
}

[[noreturn]] void stay() {
  for (;;) pause();
}

Body elector(const std::string& conninfo) {
  return [conninfo](const std::string& name, const Reporter& reporter) {
    test::Connection connection{conninfo};
    campaign(connection, name, reporter);
    stay();
  };
}

Body locker(const std::string& conninfo) {
  return [conninfo](const std::string& name, const Reporter& reporter) {
    test::Connection connection{conninfo};
    if (name != "lock1") reporter.say(Report::Kind::waiting, connection.backend_pid());
    connection.exec("SELECT pg_advisory_lock(4711)", {}, std::chrono::hours{1});
    reporter.say(Report::Kind::leading);
    stay();
  };
}

void measure(const std::string& conninfo, int rounds) {
  Contest ours{"elector", 3, elector(conninfo)};
  Contest locks{"lock", 3, locker(conninfo)};
  std::vector<double> figure;
  std::vector<double> baseline;
  for (int i = 0; i < rounds; ++i) {
    figure.push_back(ours.round());
    baseline.push_back(locks.round());
  }
  print({"fail-over, median", "ms", median(figure), median(baseline), Target::ratio_at_most, 2});
  print({"fail-over, 90 % within", "ms", quantile(figure, 0.9), quantile(baseline, 0.9)});
  print({"fail-over, longest", "ms", quantile(figure, 1), quantile(baseline, 1), Target::value_at_most, 100});
}

}  // namespace
}  // namespace pgcoord::bench

int main(int argc, char** argv) try {
  pgcoord::test::Server server{{"max_connections = 50"}};
  server.install();
  pgcoord::bench::measure(server.conninfo(), argc > 1 ? std::stoi(argv[1]) : 200);
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
