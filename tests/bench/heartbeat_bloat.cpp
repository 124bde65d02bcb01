#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include "figure.hpp"
#include "fleet.hpp"
#include "support/server.hpp"

// What heartbeats leave behind, and what they cost, while an open transaction keeps every row version.

namespace pgcoord::bench {
namespace {

constexpr int members = 200;

/// Half of the members have something new to say four times a second, on top of their heartbeats.
std::vector<Course> courses() {
  return {{.name = "heartbeat", .sql = "SELECT election, token FROM coord.heartbeat()", .sessions = members},
          {.name = "one", .sql = "SELECT 1", .sessions = members},
          {.name = "news",
           .sql = "SELECT election, token FROM coord.heartbeat(in_flight_count => $1)",
           .sessions = members / 2,
           .period = std::chrono::milliseconds{250},
           .numbered = true}};
}

/// Of all tables of the registry, with their indexes, in megabytes.
double size_of_registry(test::Connection& connection) {
  return std::stod(connection
                       .value("SELECT sum(pg_total_relation_size(oid)) FROM pg_class"
                              " WHERE relnamespace = 'coord'::regnamespace AND relkind = 'r'")
                       .value()) /
         1e6;
}

void measure(const std::string& conninfo, int seconds) {
  Fleet fleet{conninfo, members};
  test::Connection administrator{conninfo};
  test::Connection reader{conninfo};
  std::vector<Course> sent = courses();
  fleet.prepare(sent);
  fleet.join("15 s", sent);
  const double before = size_of_registry(administrator);

  reader.exec("BEGIN ISOLATION LEVEL REPEATABLE READ");
  reader.exec("SELECT count(*) FROM coord.peers");  // takes the snapshot
  sent[2].number = 1'000'000;                       // nothing that was told before
  fleet.drive(sent, seconds);
  const double held = size_of_registry(administrator);
  reader.exec("COMMIT");
  administrator.exec("VACUUM");
  const double after = size_of_registry(administrator);

  const std::string span = std::to_string(seconds) + " s";
  print({"registry after " + span + " of an open snapshot", "MB", held, before, Target::value_at_most, 50});
  print({"… and after its end and a VACUUM", "MB", after, before, Target::ratio_at_most, 2});
  print({"heartbeat meanwhile, median, beside SELECT 1", "ms", median(sent[0].times), median(sent[1].times)});
  print({"heartbeat meanwhile, 99 % within", "ms", quantile(sent[0].times, 0.99),
         quantile(sent[1].times, 0.99), Target::value_at_most, 20});
  print({"heartbeat with news, 99 % within", "ms", quantile(sent[2].times, 0.99),
         quantile(sent[1].times, 0.99)});
  print({"row versions written meanwhile", "/s",
         static_cast<double>(sent[0].times.size() + sent[2].times.size()) / seconds});
}

}  // namespace
}  // namespace pgcoord::bench

int main(int argc, char** argv) try {
  pgcoord::test::Server server{{"max_connections = 220", "shared_buffers = 128MB"}};
  server.install();
  pgcoord::bench::measure(server.conninfo(), argc > 1 ? std::stoi(argv[1]) : 20);
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
