// cutover CONNINFO TENANT [PAUSE_MS [DIE_AT]]: moves a tenant from one store to another; exit code 0 if it
// did. cutover CONNINFO: a story. A tenant's events flow; one cutover is killed between pause and switch,
// then two start at once. Exit code 0 only if one of them switched and no event is missing. Makes tables
// "routing" and "event", and drops them.
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <csignal>
#include <cstdlib>
#include <iostream>
#include <string_view>
#include <thread>

#include "cutover/cutover.hpp"
#include "cutover/pg_routing.hpp"
#include "cutover/pg_term.hpp"
#include "pgcoord/pgcoord.hpp"

namespace {

using namespace std::chrono_literals;
using cutover::Outcome;
using cutover::PgRouting;
using cutover::Step;

constexpr std::array<std::string_view, 5> steps{"term", "pause", "check", "route", "resume"};
constexpr std::array<std::string_view, 4> outcomes{"refused", "switched", "rolled back", "unknown"};

/// Moves the tenant. `die_at`: the step before which this process is killed, for those who want to see what
/// is left then; or nothing.
int move(const std::string& conninfo, const std::string& tenant, const char* pause, std::string_view die_at) {
  pgcoord::LockOptions lock_options;
  lock_options.conninfo = conninfo;
  lock_options.holder_id = "cutover " + std::to_string(::getpid());
  pgcoord::PgLockManager locks(lock_options);
  pgcoord::SessionOptions session_options;
  session_options.conninfo = conninfo;
  session_options.instance_id = *lock_options.holder_id;
  pgcoord::Session session(session_options);
  PgRouting routing(conninfo);
  cutover::CutoverOptions options;
  if (pause) options.pause_budget = std::chrono::milliseconds(std::atoi(pause));
  options.on_step = [die_at](Step step) {
    if (steps.at(static_cast<std::size_t>(step)) == die_at) ::raise(SIGKILL);
  };
  cutover::Cutover cutover(locks, cutover::PgTerm::begin(session, 5s), routing, options);
  const auto ready = cutover.readiness(tenant);
  if (!ready.ready) std::cout << "not ready: " << ready.reason << '\n';
  const auto result = cutover.execute(tenant);
  std::cout << outcomes.at(static_cast<std::size_t>(result.outcome)) << ": " << result.message << std::endl;
  return result.outcome == Outcome::switched ? 0 : 1;
}

/// A program that accepts events for the tenant, and the replicator behind it.
class Traffic {
 public:
  Traffic(const std::string& conninfo, const std::string& tenant)
      : writer_([this, conninfo, tenant](const std::stop_token& stop) {
          PgRouting routing(conninfo);
          for (std::int64_t number = 1; !stop.stop_requested();) {
            routing.accept(tenant, number) ? ++number : ++turned_away_;
            accepted_ = number - 1;
          }
        }),
        replicator_([conninfo, tenant](const std::stop_token& stop) {
          for (PgRouting routing(conninfo); !stop.stop_requested();) routing.copy(tenant);
        }) {}

  void await(std::int64_t more) const {
    for (const auto goal = accepted_ + more; accepted_ < goal;) std::this_thread::sleep_for(1ms);
  }
  [[nodiscard]] std::int64_t turned_away() const { return turned_away_; }

 private:
  std::atomic<std::int64_t> accepted_{0};
  std::atomic<std::int64_t> turned_away_{0};
  std::jthread writer_;
  std::jthread replicator_;
};

pid_t spawn(const std::string& conninfo, const std::string& tenant, const char* die_at) {
  const char* words[] = {"cutover", conninfo.c_str(), tenant.c_str(), "1000", die_at, nullptr};
  pid_t pid = -1;
  ::posix_spawn(&pid, "/proc/self/exe", nullptr, nullptr, const_cast<char* const*>(words), environ);
  return pid;
}

int end_of(pid_t pid) {
  int status = 0;
  ::waitpid(pid, &status, 0);
  return status;
}

bool play(const std::string& conninfo, const std::string& tenant) {
  PgRouting routing(conninfo);
  Traffic traffic(conninfo, tenant);
  traffic.await(100);
  const bool killed = WIFSIGNALED(end_of(spawn(conninfo, tenant, "route")));
  traffic.await(1);
  std::cout << "-- one was killed between pause and switch; writes went on by themselves, after "
            << traffic.turned_away() << " that were turned away" << std::endl;
  const auto first = spawn(conninfo, tenant, nullptr);
  const auto second = spawn(conninfo, tenant, nullptr);
  const int refused = (end_of(first) != 0) + (end_of(second) != 0);
  traffic.await(100);
  const auto missing = routing.missing(tenant);
  std::cout << "-- of two at once " << refused << " was refused; events missing: " << missing << std::endl;
  return killed && refused == 1 && missing == 0 && routing.state(tenant) == cutover::RoutingState::migrated;
}

int story(const std::string& conninfo) {
  const std::string tenant = "550e8400-e29b-41d4-a716-446655440000";
  PgRouting(conninfo).set_up(tenant);
  const bool well = play(conninfo, tenant);
  PgRouting(conninfo).drop();
  std::cout << (well ? "-- as it should be" : "!! it went wrong") << '\n';
  return well ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    if (argc == 2) return story(argv[1]);
    if (argc >= 3 && argc <= 5)
      return move(argv[1], argv[2], argc > 3 ? argv[3] : nullptr, argc > 4 ? argv[4] : "");
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
  std::cerr << "usage: cutover CONNINFO [TENANT [PAUSE_MS [DIE_AT]]]\n";
  return 64;
}
