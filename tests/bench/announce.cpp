#include <libpq-fe.h>
#include <poll.h>

#include <algorithm>
#include <cstdio>
#include <deque>
#include <exception>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "candidate.hpp"
#include "contender.hpp"
#include "figure.hpp"
#include "pgcoord/pg_coordinator.hpp"
#include "support/server.hpp"
#include "support/wait.hpp"

// How long after a member has begun to announce its shutdown the last of its 50 peers is told, beside a bare
// NOTIFY until the last of 50 connections has it. Listeners are in one process, moved by one thread.

namespace pgcoord::bench {
namespace {

constexpr int peers = 50;
/// Between two rounds. Members read at most ten announcements a second, however many they are told of; each
/// round is to be one on its own.
constexpr auto rest = std::chrono::milliseconds{150};

/// Counts who has heard of a round, and reports when all have.
class Tally {
 public:
  explicit Tally(const Reporter& reporter) : reporter_{reporter}, heard_(peers, 0) {}
  void hear(int peer, int round) {
    int& last = heard_[static_cast<std::size_t>(peer)];
    if (round <= last) return;
    last = round;
    if (std::count(heard_.begin(), heard_.end(), round) == peers) reporter_.say(Report::Kind::told);
  }

 private:
  const Reporter& reporter_;
  std::vector<int> heard_;  // the newest round, by peer
};

Body listeners(const std::string& conninfo) {
  return [conninfo](const std::string&, const Reporter& reporter) {
    Tally tally{reporter};
    std::deque<test::Connection> connections;
    std::vector<pollfd> sockets;
    for (int i = 0; i < peers; ++i) {
      connections.emplace_back(conninfo).exec("LISTEN plain");
      sockets.push_back({PQsocket(connections.back().native()), POLLIN, 0});
    }
    reporter.say(Report::Kind::waiting);
    for (;;) {
      poll(sockets.data(), sockets.size(), -1);
      for (int i = 0; i < peers; ++i) {
        if (sockets[static_cast<std::size_t>(i)].revents == 0) continue;
        test::Connection& connection = connections[static_cast<std::size_t>(i)];
        while (const auto notice = connection.notification(std::chrono::milliseconds{0}))
          tally.hear(i, std::stoi(notice->payload));
        if (!connection.alive()) throw std::runtime_error{"a listener lost its connection"};
      }
    }
  };
}

/// A member as programs are, in an event loop.
struct Member {
  Member(const std::string& conninfo, const std::string& name)
      : session{options(conninfo, name)}, coordinator{session} {
    session.require_ready(std::chrono::seconds{20});
    coordinator.watch();
    if (!coordinator.wait_until_read(std::chrono::seconds{20}))
      throw std::runtime_error{name + " cannot read its group"};
  }

  static SessionOptions options(const std::string& conninfo, const std::string& name) {
    SessionOptions options = contender_options(conninfo, name, std::chrono::seconds{15});
    options.pump = Pump::event_loop;
    return options;
  }
  pollfd wanted() const {
    const int events = (session.wants_read() ? POLLIN : 0) | (session.wants_write() ? POLLOUT : 0);
    return {session.socket(), static_cast<short>(events), 0};
  }
  bool due() const {
    const auto deadline = session.next_deadline();
    return deadline && *deadline <= BootClock::now();
  }

  Session session;
  PgCoordinator coordinator;
};

int milliseconds_until_due(const std::deque<Member>& members) {
  Duration left = std::chrono::seconds{1};
  for (const Member& member : members)
    if (const auto deadline = member.session.next_deadline())
      left = std::min<Duration>(left, *deadline - BootClock::now());
  return std::max(0, static_cast<int>(std::chrono::ceil<std::chrono::milliseconds>(left).count()));
}

Body members(const std::string& conninfo) {
  return [conninfo](const std::string&, const Reporter& reporter) {
    Tally tally{reporter};
    std::deque<Member> all;
    for (int i = 0; i < peers; ++i) {
      Member& member = all.emplace_back(conninfo, "peer" + std::to_string(i));
      member.coordinator.on_peer_shutdown(
          [&tally, i](const ShutdownNotification& notice) { tally.hear(i, notice.in_flight_count); });
    }
    reporter.say(Report::Kind::waiting);
    for (;;) {
      std::vector<pollfd> sockets;
      for (const Member& member : all) sockets.push_back(member.wanted());
      poll(sockets.data(), sockets.size(), milliseconds_until_due(all));
      for (std::size_t i = 0; i < all.size(); ++i)
        if (sockets[i].revents != 0 || all[i].due()) all[i].session.on_ready();
    }
  };
}

/// Milliseconds from just before it is said until the last one was told.
template <typename Say>
double round(Candidate& audience, Say say) {
  const std::int64_t begin = monotonic_now();
  say();
  return static_cast<double>(audience.wait(Report::Kind::told).at - begin) / 1e6;
}

void measure(const test::Server& server, int rounds) {
  Candidate told{"peers", members(server.conninfo("ours"))};
  Candidate plainly_told{"listeners", listeners(server.conninfo("plain"))};
  told.wait(Report::Kind::waiting, std::chrono::seconds{60});
  plainly_told.wait(Report::Kind::waiting, std::chrono::seconds{60});
  Session session{contender_options(server.conninfo("ours"), "announcer", std::chrono::seconds{15})};
  PgCoordinator announcer{session};
  session.require_ready(std::chrono::seconds{20});
  test::Connection notifier{server.conninfo("plain")};
  std::vector<double> figure;
  std::vector<double> baseline;
  for (int i = 1; i <= rounds; ++i) {
    std::this_thread::sleep_for(rest);
    figure.push_back(round(
        told, [&] { announcer.announce_shutdown(ShutdownIntent::graceful, std::chrono::hours{1}, i); }));
    baseline.push_back(
        round(plainly_told, [&] { notifier.exec("NOTIFY plain, '" + std::to_string(i) + "'"); }));
  }
  print({"shutdown until 50 callbacks, median", "ms", median(figure), median(baseline)});
  print({"shutdown until 50 callbacks, 99 % within", "ms", quantile(figure, 0.99), quantile(baseline, 0.99),
         Target::ratio_at_most, 3});
}

}  // namespace
}  // namespace pgcoord::bench

int main(int argc, char** argv) try {
  pgcoord::test::Server server{{"max_connections = 120"}};
  server.install("ours");
  server.connect().exec("CREATE DATABASE plain");
  pgcoord::bench::measure(server, argc > 1 ? std::stoi(argv[1]) : 100);
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
