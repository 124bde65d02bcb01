#include <chrono>
#include <cstdio>
#include <exception>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "candidate.hpp"
#include "figure.hpp"
#include "support/server.hpp"

// How long nobody knows that he leads after the leader resigned, beside a write and a NOTIFY in one
// transaction of the same session until the same other session has it.

namespace pgcoord::bench {
namespace {

constexpr const char* channel = "\"__eventsource_coordination.leader\"";

/// Milliseconds since just before the statement: until the notice was there, and until the registry said so.
struct Times {
  double told = 0;
  double knows = 0;
};

struct Party {
  Party(const std::string& conninfo, std::string its_name) : session{conninfo}, name{std::move(its_name)} {
    session.exec(std::string{"LISTEN "} + channel);
    session.exec("LISTEN plain");
    session.exec("SELECT coord.join($1)", {name});
    session.exec("SELECT coord.campaign('bench')");
    session.exec("SELECT election FROM coord.heartbeat()");
  }

  /// Drops the notices of earlier changes.
  void forget() {
    session.exec("SELECT 1");
    while (session.notification(std::chrono::milliseconds{0})) continue;
  }

  /// Waits for a notice that has this in it.
  void hear(const std::string& wanted) {
    while (const auto notice = session.notification(std::chrono::seconds{10}))
      if (notice->payload.find(wanted) != std::string::npos) return;
    throw std::runtime_error{name + " heard nothing"};
  }

  test::Connection session;
  std::string name;
};

double since(std::int64_t begin) { return static_cast<double>(monotonic_now() - begin) / 1e6; }

Times resign(Party& leader, Party& next) {
  Times times;
  next.forget();
  const std::int64_t begin = monotonic_now();
  leader.session.send("SELECT coord.resign('bench')");
  next.hear("\"leader\": \"" + next.name + "\"");
  times.told = since(begin);
  if (next.session.exec("SELECT election FROM coord.heartbeat()").empty())
    throw std::runtime_error{"the next one does not lead"};
  times.knows = since(begin);
  leader.session.finish();
  leader.session.exec("SELECT coord.campaign('bench')");
  return times;
}

double notify(Party& from, Party& to, int round) {
  const std::string word = "round " + std::to_string(round) + ";";
  const std::int64_t begin = monotonic_now();
  from.session.send("UPDATE plain SET n = n + 1; NOTIFY plain, '" + word + "'");
  to.hear(word);
  const double time = since(begin);
  from.session.finish();
  return time;
}

void measure(const std::string& conninfo, int rounds) {
  Party one{conninfo, "one"};
  Party other{conninfo, "other"};
  Party* leader = &one;
  Party* next = &other;
  std::vector<double> told;
  std::vector<double> knows;
  std::vector<double> baseline;
  for (int i = 0; i < rounds; ++i) {
    const Times times = resign(*leader, *next);
    told.push_back(times.told);
    knows.push_back(times.knows);
    baseline.push_back(notify(*leader, *next, i));
    std::swap(leader, next);
  }
  print({"resign until the next is told, median", "ms", median(told), median(baseline)});
  print({"resign until the next knows, median", "ms", median(knows), median(baseline), Target::ratio_at_most,
         2});
  print({"resign until the next knows, 90 % within", "ms", quantile(knows, 0.9), quantile(baseline, 0.9)});
}

}  // namespace
}  // namespace pgcoord::bench

int main(int argc, char** argv) try {
  pgcoord::test::Server server;
  server.install();
  server.connect().exec(
      "CREATE TABLE plain (id int PRIMARY KEY, n bigint) WITH (fillfactor = 10); INSERT INTO plain VALUES "
      "(1, 0)");
  pgcoord::bench::measure(server.conninfo(), argc > 1 ? std::stoi(argv[1]) : 300);
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
