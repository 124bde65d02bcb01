#include <cstdio>
#include <exception>
#include <stdexcept>
#include <string>
#include <vector>

#include "candidate.hpp"
#include "figure.hpp"
#include "fleet.hpp"
#include "support/process.hpp"
#include "support/server.hpp"
#include "support/wait.hpp"
#include "support/workshop.hpp"

// What it costs other work that 300 members prove their life each second, beside the same work while their
// connections idle; what SELECT 1 in place of each heartbeat would cost; and what is told meanwhile, though
// nothing changes.

namespace pgcoord::bench {
namespace {

constexpr int members = 300;

/// pgbench's own transactions, by 8 clients.
class Work {
 public:
  Work(const test::Server& server, int seconds) : seconds_{std::to_string(seconds)} {
    const std::string program = test::Workshop::instance().program("pgbench");
    command_ = {program, "-h", "127.0.0.1", "-p", std::to_string(server.port()), "-U", "postgres"};
    test::run(with({"-i", "-q", "-s", "10", "postgres"}), std::chrono::minutes{2});
  }

  /// Transactions a second; `meanwhile` is given what says whether they have ended.
  double run(const std::function<void(const std::function<bool()>&)>& meanwhile) {
    test::Child child{with(
        {"-n", "-b", "simple-update", "-c", "8", "-j", "2", "-M", "prepared", "-T", seconds_, "postgres"})};
    std::int64_t looked = 0;
    meanwhile([&] {
      if (monotonic_now() < looked + std::int64_t{10'000'000}) return false;
      looked = monotonic_now();
      return !child.running();
    });
    const auto ending = child.wait(std::chrono::seconds{60});
    const std::string out = child.out();
    const std::size_t found = out.find("\ntps = ");
    if (!ending || !ending->ok() || found == std::string::npos) throw std::runtime_error{out + child.err()};
    return std::stod(out.substr(found + 7));
  }

 private:
  std::vector<std::string> with(const std::vector<std::string>& arguments) const {
    std::vector<std::string> all = command_;
    all.insert(all.end(), arguments.begin(), arguments.end());
    return all;
  }

  std::string seconds_;
  std::vector<std::string> command_;
};

/// Hears everything that is told to the group, and asks how its members are.
class Listener {
 public:
  explicit Listener(const std::string& conninfo) : connection_{conninfo} {
    for (const char* channel : {"leader", "member", "heartbeat", "shutdown", "work_assignment"})
      connection_.exec(std::string{"LISTEN \"__eventsource_coordination."} + channel + "\"");
  }
  /// What was told since the last time.
  int count() {
    int found = 0;
    connection_.exec("SELECT 1");  // brings what was sent until now
    while (connection_.notification(std::chrono::milliseconds{0})) ++found;
    return found;
  }
  int healthy() {
    return std::stoi(connection_.value("SELECT count(*) FROM coord.peers WHERE status = 'healthy'").value());
  }

 private:
  test::Connection connection_;
};

class Measurement {
 public:
  Measurement(test::Server& server, int seconds)
      : work_{server, seconds}, fleet_{server.conninfo(), members}, listener_{server.conninfo()} {
    fleet_.prepare(courses_);
    fleet_.prepare(asking_);
    fleet_.join("3 s", courses_);  // loads the library, which makes the idle ones as large
    fleet_.all("SELECT coord.leave()");
    idle();  // warms the tables
  }

  double idle() {
    return work_.run([](const auto& ended) {
      if (!test::wait_until(ended, std::chrono::minutes{10})) throw std::runtime_error{"endless work"};
    });
  }

  double asking() {
    return work_.run([this](const auto& ended) { fleet_.drive(asking_, ended); });
  }

  double alive() {
    fleet_.join("3 s", courses_);
    listener_.count();
    const std::int64_t begin = monotonic_now();
    const double tps = work_.run([this](const auto& ended) { fleet_.drive(courses_, ended); });
    seconds_ += static_cast<double>(monotonic_now() - begin) / 1e9;
    told_ += listener_.count();
    silent_ += members - listener_.healthy();
    fleet_.all("SELECT coord.leave()");
    return tps;
  }

  void print_rest() const {
    print({"notifications while nothing changes", "/s", told_ / seconds_, 0, Target::value_at_most, 0});
    print({"heartbeats meanwhile", "/s", static_cast<double>(courses_[0].times.size()) / seconds_});
    print({"one heartbeat, median", "ms", median(courses_[0].times)});
    print({"one heartbeat, 99 % within", "ms", quantile(courses_[0].times, 0.99)});
    if (silent_ > 0) note(std::to_string(silent_) + " members were found not healthy after a slice");
  }

 private:
  Work work_;
  Fleet fleet_;
  Listener listener_;
  std::vector<Course> courses_{
      {.name = "heartbeat", .sql = "SELECT election, token FROM coord.heartbeat()", .sessions = members}};
  std::vector<Course> asking_{{.name = "one", .sql = "SELECT 1", .sessions = members}};
  double seconds_ = 0;
  double told_ = 0;
  int silent_ = 0;
};

Figure beside(const std::string& name, const std::vector<double>& tps, const std::vector<double>& idle,
              Target target) {
  std::vector<double> ratios;
  for (std::size_t i = 0; i < tps.size(); ++i) ratios.push_back(tps[i] / idle[i]);
  return {.name = name,
          .unit = "tps",
          .value = median(tps),
          .baseline = median(idle),
          .target = target,
          .limit = 0.97,
          .ratio = median(ratios)};
}

void measure(test::Server& server, int pairs, int seconds) {
  Measurement measurement{server, seconds};
  std::vector<double> alive;
  std::vector<double> asking;
  std::vector<double> idle;
  for (int i = 0; i < pairs; ++i) {
    if (i % 2 == 0) alive.push_back(measurement.alive());
    if (i % 2 != 0) asking.push_back(measurement.asking());
    idle.push_back(measurement.idle());
    if (i % 2 != 0) alive.push_back(measurement.alive());
    if (i % 2 == 0) asking.push_back(measurement.asking());
  }
  print(beside("pgbench, 8 clients, beside 300 members", alive, idle, Target::ratio_at_least));
  print(beside("… beside 300 SELECT 1 a second, not judged", asking, idle, Target::none));
  measurement.print_rest();
}

}  // namespace
}  // namespace pgcoord::bench

int main(int argc, char** argv) try {
  pgcoord::test::Server server{
      {"max_connections = 330", "shared_buffers = 256MB", "max_wal_size = 8GB", "checkpoint_timeout = 1h"}};
  server.install();
  pgcoord::bench::measure(server, argc > 1 ? std::stoi(argv[1]) : 12, argc > 2 ? std::stoi(argv[2]) : 4);
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
