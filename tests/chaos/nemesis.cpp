#include "chaos/nemesis.hpp"

#include <signal.h>

#include <algorithm>
#include <thread>

#include "support/wait.hpp"

namespace pgcoord::chaos {

using namespace std::chrono_literals;
using test::Connection;
using test::Server;
using test::wait_until;

Nemesis::Nemesis(World& world, unsigned seed) : world_(world), random_(seed) {}

void Nemesis::rage(std::chrono::milliseconds time) {
  const auto end = now() + std::chrono::nanoseconds(time).count();
  while (now() < end) {
    strike();
    for (const auto pause = now() + some_time(50, 900); now() < pause; mend(false))
      std::this_thread::sleep_for(5ms);
  }
}

void Nemesis::rest() {
  mend(true);
  world_.clock().move_to(0);
}

std::string Nemesis::account() const {
  std::string text;
  for (const auto& [what, count] : done_)
    text += (text.empty() ? "" : ", ") + what + " " + std::to_string(count);
  return text;
}

void Nemesis::strike() {
  try {
    strike_once(pick(100));
  } catch (const test::SqlError&) {
    ++done_["missed"];  // the server is full, say
  }
}

void Nemesis::strike_once(int dice) {
  if (dice >= 92) return restart();
  if (dice >= 89) return kill_backend();
  if (dice >= 84) return lock_tables();
  if (dice >= 80) return fill_connections();
  if (dice >= 76) return stop_backend();
  if (dice >= 72) return move_clocks();
  if (dice >= 68) return hold_up_standby();
  auto* const player = victim();
  if (!player) return;
  if (dice < 18) return kill(*player);
  if (dice < 34) return stop(*player);
  if (dice < 44) return freeze(*player);
  if (dice < 50) return cut(*player);
  if (dice < 56) return drain(*player);
  terminate(*player);
}

bool Nemesis::is_hit(const std::string& who) const {
  return std::any_of(mendings_.begin(), mendings_.end(),
                     [&who](const Mending& one) { return one.who == who; });
}

World::Player* Nemesis::victim() {
  std::vector<Player*> whole;
  for (auto& player : world_.players()) {
    if (!is_hit(player.name)) whole.push_back(&player);
  }
  return whole.size() > 2 ? whole[static_cast<std::size_t>(pick(static_cast<int>(whole.size())))] : nullptr;
}

void Nemesis::later(std::int64_t time, const std::string& what, const std::string& who,
                    std::function<void()> act) {
  ++done_[what];
  mendings_.push_back({now() + time, world_.fault(what, who), who, std::move(act)});
}

void Nemesis::mend(bool all) {
  for (auto one = mendings_.begin(); one != mendings_.end();) {
    if (!all && one->when > now()) {
      ++one;
      continue;
    }
    one->act();
    world_.mended(one->fault);
    one = mendings_.erase(one);
  }
}

void Nemesis::kill(Player& player) {
  later(some_time(0, 2'000), "kill", player.name, [this, &player] { world_.start(player); });
  player.child->kill(SIGKILL);
  player.child->wait(10s);
}

void Nemesis::stop(Player& player) {
  later(some_time(100, 5'000), "stop", player.name, [&player] { player.child->kill(SIGCONT); });
  player.child->kill(SIGSTOP);
}

void Nemesis::freeze(Player& player) {
  later(some_time(100, 5'000), "freeze", player.name, [&player] {
    for (auto& relay : player.relays) relay->thaw();
  });
  for (auto& relay : player.relays) relay->freeze();
}

void Nemesis::cut(Player& player) {
  later(some_time(0, 100), "cut", player.name, [] {});
  for (auto& relay : player.relays) relay->cut();
}

/// Asks it to leave, and has it come back.
void Nemesis::drain(Player& player) {
  later(some_time(500, 2'500), "drain", player.name, [this, &player] {
    player.child->kill(SIGKILL);
    player.child->wait(10s);
    world_.start(player);
  });
  player.child->kill(SIGTERM);
}

/// The session that it is a member by, or another of its.
void Nemesis::terminate(Player& player) {
  const bool membership = pick(2) == 0;
  later(0, membership ? "terminate" : "terminate another", player.name, [] {});
  world_.superuser().exec(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = $1",
      {(membership ? "pgcoord " : "pgcoord lock ") + player.name});
}

void Nemesis::move_clocks() {
  ++done_["clocks"];
  world_.clock().move_to(pick(601) - 300);
}

void Nemesis::lock_tables() {
  auto session = std::make_shared<Connection>(world_.superuser());
  later(some_time(100, 1'200), "lock tables", "", [session] { session->sever(); });
  session->exec("BEGIN; SET LOCAL lock_timeout = '5s'");
  session->sqlstate_of(
      "LOCK TABLE coord._election, coord._member, coord._candidate, coord._beat, coord._change");
}

void Nemesis::fill_connections() {
  auto sessions = std::make_shared<std::vector<Connection>>();
  later(some_time(100, 1'500), "fill connections", "", [sessions] { sessions->clear(); });
  try {
    for (int i = 0; i < 100; ++i) sessions->push_back(world_.superuser());
  } catch (const std::exception&) {
    // Full.
  }
}

/// Any of the members'; what it has locked stays locked.
void Nemesis::stop_backend() {
  const auto rows = world_.superuser().exec(
      "SELECT pid FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()"
      " AND application_name LIKE 'pgcoord%' ORDER BY pid");
  if (rows.empty()) return;
  const auto pid = std::stoi(rows[static_cast<std::size_t>(pick(static_cast<int>(rows.size())))][0].value());
  later(some_time(50, 800), "stop backend", "", [pid] { ::kill(pid, SIGCONT); });
  ::kill(pid, SIGSTOP);
}

void Nemesis::kill_backend() {
  const auto place = world_.fault("kill backend");
  ++done_["kill backend"];
  auto session = world_.superuser();
  world_.server().kill_backend(session.backend_pid());
  world_.server().wait_ready();
  world_.mended(place);
}

void Nemesis::restart() {
  mend(true);  // a session that holds a table, or a stopped process, would hold up the server's end
  const bool crash = pick(2) == 0;
  const auto place = world_.fault(crash ? "immediate restart" : "restart");
  ++done_[crash ? "immediate restart" : "restart"];
  world_.server().restart(crash ? Server::Mode::immediate : Server::Mode::fast);
  world_.server().wait_ready();
  world_.mended(place);
}

/// The standby falls behind.
void Nemesis::hold_up_standby() {
  if (!world_.standby() || is_hit("standby")) return;
  const auto pid = world_.wal_sender();
  if (!pid) return;
  later(some_time(100, 2'000), "hold up standby", "standby", [pid] { ::kill(*pid, SIGCONT); });
  ::kill(*pid, SIGSTOP);
}

}  // namespace pgcoord::chaos
