// What the nemesis does to the server, its sessions and its clients' clocks.
#include <signal.h>

#include <memory>

#include "chaos/nemesis.hpp"

namespace pgcoord::chaos {

using namespace std::chrono_literals;
using test::Connection;
using test::Server;

void Nemesis::move_clocks() {
  ++done_[name()];
  world_.clock().move_to(static_cast<int>(strike_.length % 601) - 300);
}

void Nemesis::lock_tables() {
  auto session = std::make_shared<Connection>(world_.superuser());
  later(strike_.time(100, 1'200), "", [session] { session->sever(); });
  session->exec("BEGIN; SET LOCAL lock_timeout = '5s'");
  session->sqlstate_of(
      "LOCK TABLE coord._election, coord._member, coord._candidate, coord._beat, coord._change");
}

void Nemesis::fill_connections() {
  auto sessions = std::make_shared<std::vector<Connection>>();
  later(strike_.time(100, 1'500), "", [sessions] { sessions->clear(); });
  try {
    for (int i = 0; i < 100; ++i) sessions->push_back(world_.superuser());
  } catch (const std::exception&) {
    // Full.
  }
}

/// Any of the members'; what it has locked stays locked.
bool Nemesis::stop_backend() {
  const auto rows = world_.superuser().exec(
      "SELECT pid FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()"
      " AND application_name LIKE 'pgcoord%' ORDER BY application_name, backend_start, pid");
  if (rows.empty()) return false;
  const auto pid = std::stoi(rows[strike_.among(rows.size())][0].value());
  later(strike_.time(50, 800), "", [pid] { ::kill(pid, SIGCONT); });
  ::kill(pid, SIGSTOP);
  return true;
}

void Nemesis::kill_backend() {
  auto session = world_.superuser();
  const auto place = world_.fault(name());
  ++done_[name()];
  world_.server().kill_backend(session.backend_pid());
  world_.server().wait_ready();
  world_.mended(place);
}

void Nemesis::restart() {
  mend(true);  // a session that holds a table, or a stopped process, would hold up the server's end
  const auto place = world_.fault(name());
  ++done_[name()];
  world_.server().restart(strike_.harm == Harm::restart ? Server::Mode::fast : Server::Mode::immediate);
  world_.server().wait_ready();
  world_.mended(place);
}

/// The standby falls behind.
bool Nemesis::hold_up_standby() {
  if (is_hit("standby")) return false;
  const auto pid = world_.wal_sender();
  if (!pid) return false;
  later(strike_.time(100, 2'000), "standby", [pid] { ::kill(*pid, SIGCONT); });
  ::kill(*pid, SIGSTOP);
  return true;
}

}  // namespace pgcoord::chaos
