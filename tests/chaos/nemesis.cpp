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

namespace {
/// Mending, and members that come back, take less; then a harm can be done, or never.
constexpr auto patience = 15s;
/// Milliseconds. A silent leader must be replaced within 5 s (see chaos_test.cpp), and many are silent for
/// longer.
constexpr unsigned longest_silence = 9'000;
}  // namespace

Nemesis::Nemesis(World& world, unsigned seed) : world_(world), plan_(seed), strike_(plan_.next()) {}

void Nemesis::rage(std::chrono::milliseconds time) {
  const auto end = now() + std::chrono::nanoseconds(time).count();
  given_up_ = now() + std::chrono::nanoseconds(patience).count();
  while (now() < end) {
    auto pause = std::chrono::nanoseconds(20ms).count();
    if (strike()) {
      pause = std::chrono::nanoseconds(strike_.pause).count();
      next();
    } else if (now() > given_up_) {
      next();
    }
    for (const auto over = now() + pause; now() < over; mend(false)) std::this_thread::sleep_for(5ms);
  }
}

void Nemesis::next() {
  ++struck_;
  given_up_ = now() + std::chrono::nanoseconds(patience).count();
  strike_ = plan_.next();
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

std::vector<std::string> Nemesis::left_out() const {
  std::vector<std::string> kinds;
  for (int kind = 0; struck_ >= kinds_of_harm && kind < kinds_of_harm; ++kind) {
    const auto harm = static_cast<Harm>(kind);
    const std::string name(name_of(harm));
    if (done_.count(name) == 0 && impossible_.count(harm) == 0) kinds.push_back(name);
  }
  return kinds;
}

bool Nemesis::strike() {
  for (; !is_possible(strike_.harm); next()) impossible_.insert(strike_.harm);
  try {
    return strike_once();
  } catch (const test::SqlError&) {
    ++done_["missed"];  // the server is full, say
    return false;
  }
}

bool Nemesis::strike_once() {
  static const std::map<Harm, void (Nemesis::*)()> certain{
      {Harm::move_clocks, &Nemesis::move_clocks},           {Harm::lock_tables, &Nemesis::lock_tables},
      {Harm::fill_connections, &Nemesis::fill_connections}, {Harm::kill_backend, &Nemesis::kill_backend},
      {Harm::immediate_restart, &Nemesis::restart},         {Harm::restart, &Nemesis::restart}};
  if (strike_.harm == Harm::stop_backend) return stop_backend();
  if (strike_.harm == Harm::hold_up_standby) return hold_up_standby();
  const auto act = certain.find(strike_.harm);
  if (act == certain.end()) return strike_member();
  (this->*act->second)();
  return true;
}

bool Nemesis::strike_member() {
  static const std::map<Harm, void (Nemesis::*)(Player&)> certain{{Harm::kill, &Nemesis::kill},
                                                                  {Harm::stop, &Nemesis::stop},
                                                                  {Harm::freeze, &Nemesis::freeze},
                                                                  {Harm::cut, &Nemesis::cut},
                                                                  {Harm::drain, &Nemesis::drain}};
  auto* const player = victim();
  if (!player) return false;
  const auto act = certain.find(strike_.harm);
  if (act == certain.end()) return terminate(*player);
  (this->*act->second)(*player);
  return true;
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
  if (whole.size() <= 2) return nullptr;
  const auto leader = strike_.at_leader ? world_.leader() : "";
  const auto led = std::find_if(whole.begin(), whole.end(), [&](auto* one) { return one->name == leader; });
  return led != whole.end() ? *led : whole[strike_.among(whole.size())];
}

void Nemesis::later(std::int64_t time, const std::string& who, std::function<void()> act) {
  ++done_[name()];
  mendings_.push_back({now() + time, world_.fault(name(), who), who, std::move(act)});
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
  later(strike_.time(0, 2'000), player.name, [this, &player] { world_.start(player); });
  player.child->kill(SIGKILL);
  player.child->wait(10s);
}

void Nemesis::stop(Player& player) {
  later(strike_.time(100, longest_silence), player.name, [&player] { player.child->kill(SIGCONT); });
  player.child->kill(SIGSTOP);
}

void Nemesis::freeze(Player& player) {
  later(strike_.time(100, longest_silence), player.name, [&player] {
    for (auto& relay : player.relays) relay->thaw();
  });
  for (auto& relay : player.relays) relay->freeze();
}

void Nemesis::cut(Player& player) {
  later(strike_.time(0, 100), player.name, [] {});
  for (auto& relay : player.relays) relay->cut();
}

/// Asks it to leave, and has it come back.
void Nemesis::drain(Player& player) {
  later(strike_.time(500, 2'500), player.name, [this, &player] {
    player.child->kill(SIGKILL);
    player.child->wait(10s);
    world_.start(player);
  });
  player.child->kill(SIGTERM);
}

/// The session that it is a member by, or another of its.
bool Nemesis::terminate(Player& player) {
  const std::string program = strike_.harm == Harm::terminate ? "pgcoord " : "pgcoord lock ";
  auto session = world_.superuser();
  const auto rows = session.exec("SELECT pid FROM pg_stat_activity WHERE application_name = $1 ORDER BY pid",
                                 {program + player.name});
  if (rows.empty()) return false;
  later(0, player.name, [] {});
  session.exec("SELECT pg_terminate_backend($1)", {rows[0][0].value()});
  return true;
}

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
