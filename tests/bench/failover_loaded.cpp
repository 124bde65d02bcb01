#include <chrono>
#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include "contender.hpp"
#include "contest.hpp"
#include "figure.hpp"
#include "load.hpp"
#include "support/server.hpp"

// How long nobody knows that he leads after a leader's client is killed, while others commit fenced writes on
// that election all the time, beside the same in quiet.

namespace pgcoord::bench {
namespace {

constexpr int clients = 8;
constexpr int blocks = 10;

/// Notices of an election whose lock the ending session could not get.
class Unsettled {
 public:
  explicit Unsettled(const std::string& conninfo) : connection_{conninfo} {
    connection_.exec("LISTEN \"__eventsource_coordination.leader\"");
  }
  int count() {
    int found = 0;
    connection_.exec("SELECT 1");  // brings what was sent until now
    while (const auto notice = connection_.notification(std::chrono::milliseconds{0}))
      if (notice->payload.find("\"successor\"") != std::string::npos) ++found;
    return found;
  }

 private:
  test::Connection connection_;
};

void prepare(test::Server& server) {
  server.install();
  server.connect().exec(
      "CREATE TABLE load (id int PRIMARY KEY, n bigint NOT NULL) WITH (fillfactor = 10);"
      "INSERT INTO load SELECT id, 0 FROM generate_series(1, " +
      std::to_string(clients) + ") id");
}

void measure(const std::string& conninfo, int rounds) {
  Load load{conninfo, contested, clients};
  Contest contest{"elector", 3, contender(conninfo)};
  Unsettled unsettled{conninfo};
  std::vector<double> quiet;
  std::vector<double> loaded;
  double seconds = 0;
  for (int block = 0; block < blocks; ++block) {
    for (int i = 0; i < rounds / blocks; ++i) quiet.push_back(contest.round());
    const std::int64_t begin = monotonic_now();
    load.on();
    for (int i = 0; i < rounds / blocks; ++i) {
      load.flow();
      loaded.push_back(contest.round());
    }
    load.off();
    seconds += static_cast<double>(monotonic_now() - begin) / 1e9;
  }
  print({"fail-over under load, median", "ms", median(loaded), median(quiet), Target::ratio_at_most, 4});
  print({"fail-over under load, 90 % within", "ms", quantile(loaded, 0.9), quantile(quiet, 0.9)});
  print({"fail-over under load, longest", "ms", quantile(loaded, 1), quantile(quiet, 1)});
  print({"fenced commits meanwhile", "/s", static_cast<double>(load.commits()) / seconds});
  note(std::to_string(load.fenced_off()) + " writes were fenced off in " + std::to_string(loaded.size()) +
       " fail-overs; " + std::to_string(unsettled.count()) + " terms were left to the successor");
}

}  // namespace
}  // namespace pgcoord::bench

int main(int argc, char** argv) try {
  pgcoord::test::Server server{{"max_connections = 50"}};
  pgcoord::bench::prepare(server);
  pgcoord::bench::measure(server.conninfo(), argc > 1 ? std::stoi(argv[1]) : 200);
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
