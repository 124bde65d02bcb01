#include <libpq-fe.h>
#include <poll.h>

#include <algorithm>
#include <cstdio>
#include <deque>
#include <exception>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "candidate.hpp"
#include "figure.hpp"
#include "support/connection.hpp"
#include "support/server.hpp"

// How often a lock changes hands among 16 sessions that all want it all the time and give it back at once,
// beside plain advisory locks.

namespace pgcoord::bench {
namespace {

constexpr int size = 16;

struct Words {
  const char* lock;
  const char* unlock;
  const char* key;
};
constexpr Words named{"CALL coord.lock($1)", "SELECT coord.unlock($1)", "bench"};
constexpr Words plain{"SELECT pg_advisory_lock($1)", "SELECT pg_advisory_unlock($1)", "4711"};

/// Sessions that one thread moves.
class Crowd {
 public:
  Crowd(const std::string& conninfo, const Words& words) : key_{words.key} {
    for (int i = 0; i < size; ++i) {
      PGconn* const connection = members_.emplace_back(conninfo).session.native();
      sockets_.push_back({PQsocket(connection), POLLIN, 0});
      for (const auto& [name, sql] : {std::pair{"lock", words.lock}, std::pair{"unlock", words.unlock}})
        check(Result{PQprepare(connection, name, sql, 1, nullptr)}.get());
    }
    run(0.2);  // loads what is to be loaded
    for (Member& member : members_) member.acquisitions = 0;
  }

  /// Acquisitions a second.
  double run(double seconds) {
    const double before = acquisitions();
    const std::int64_t begin = monotonic_now();
    const auto end = begin + static_cast<std::int64_t>(seconds * 1e9);
    for (Member& member : members_) send(member, "lock");
    while (monotonic_now() < end) move(true);
    const double found = acquisitions() - before;
    const double time = static_cast<double>(monotonic_now() - begin) / 1e9;
    while (std::any_of(members_.begin(), members_.end(), [](const Member& member) { return member.sent; }))
      move(false);
    return found / time;
  }

  /// The most that one session had, by the least.
  double spread() const {
    const auto [least, most] =
        std::minmax_element(members_.begin(), members_.end(),
                            [](const Member& a, const Member& b) { return a.acquisitions < b.acquisitions; });
    return most->acquisitions / least->acquisitions;
  }

 private:
  struct Clear {
    void operator()(PGresult* result) const { PQclear(result); }
  };
  using Result = std::unique_ptr<PGresult, Clear>;
  struct Member {
    explicit Member(const std::string& conninfo) : session{conninfo} {}
    test::Connection session;
    const char* sent = nullptr;  // what it waits for the answer of
    bool holds = false;
    double acquisitions = 0;
  };

  static void check(const PGresult* result) {
    const ExecStatusType status = PQresultStatus(result);
    if (status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK)
      throw std::runtime_error{PQresultErrorMessage(result)};
  }

  double acquisitions() const {
    double sum = 0;
    for (const Member& member : members_) sum += member.acquisitions;
    return sum;
  }

  void send(Member& member, const char* statement) {
    const char* const values[] = {key_.c_str()};
    if (PQsendQueryPrepared(member.session.native(), statement, 1, values, nullptr, nullptr, 0) == 0)
      throw std::runtime_error{PQerrorMessage(member.session.native())};
    member.sent = statement;
  }

  /// Takes the answers that are there. Who has the lock gives it back; the others ask for it `again`.
  void move(bool again) {
    if (poll(sockets_.data(), sockets_.size(), 20'000) < 1) throw std::runtime_error{"nobody gets the lock"};
    for (std::size_t i = 0; i < sockets_.size(); ++i)
      if (sockets_[i].revents != 0 && is_answered(members_[i])) next(members_[i], again);
  }

  static bool is_answered(Member& member) {
    if (member.session.busy()) return false;
    while (const Result result{PQgetResult(member.session.native())}) check(result.get());
    member.sent = nullptr;
    return true;
  }

  void next(Member& member, bool again) {
    member.holds = !member.holds;
    if (member.holds) ++member.acquisitions;
    if (member.holds) return send(member, "unlock");
    if (again) send(member, "lock");
  }

  std::string key_;
  std::deque<Member> members_;
  std::vector<pollfd> sockets_;
};

void measure(const std::string& conninfo, int pairs, double seconds) {
  Crowd ours{conninfo, named};
  Crowd theirs{conninfo, plain};
  std::vector<double> figure;
  std::vector<double> baseline;
  std::vector<double> ratios;
  for (int i = 0; i < pairs; ++i) {
    if (i % 2 == 0) figure.push_back(ours.run(seconds));
    baseline.push_back(theirs.run(seconds));
    if (i % 2 != 0) figure.push_back(ours.run(seconds));
    ratios.push_back(figure.back() / baseline.back());
  }
  print({"hand-over among 16 sessions", "/s", median(figure), median(baseline), Target::ratio_at_least, 0.9,
         median(ratios)});
  print({"most acquisitions of a session by the least", "", ours.spread(), theirs.spread(),
         Target::value_at_most, 1.2});
}

}  // namespace
}  // namespace pgcoord::bench

int main(int argc, char** argv) try {
  pgcoord::test::Server server;
  server.install();
  pgcoord::bench::measure(server.conninfo(), argc > 1 ? std::stoi(argv[1]) : 80, 0.25);
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
