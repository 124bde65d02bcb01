#include "chaos/nemesis.hpp"

#include <signal.h>

#include <algorithm>
#include <thread>

namespace pgcoord::chaos {

using namespace std::chrono_literals;

namespace {
/// Mending, and members that come back, take less; then a harm can be done, or never.
constexpr auto patience = 15s;
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
    for (const auto over = std::max(now() + pause, quiet_until_); now() < over; mend(false))
      std::this_thread::sleep_for(5ms);
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
  leader_ = strike_.at_leader ? world_.leader() : "";
  const auto led = std::find_if(whole.begin(), whole.end(), [&](auto* one) { return one->name == leader_; });
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

/// A leader's is longer than what it must be replaced within (see chaos_test.cpp), and nothing is done
/// meanwhile that would end or excuse it.
std::int64_t Nemesis::silence(const Player& player) {
  if (player.name != leader_) return strike_.time(100, 3'000);
  const auto time = strike_.time(6'500, 7'500);
  quiet_until_ = now() + time;
  return time;
}

void Nemesis::stop(Player& player) {
  later(silence(player), player.name, [&player] { player.child->kill(SIGCONT); });
  player.child->kill(SIGSTOP);
}

void Nemesis::freeze(Player& player) {
  later(silence(player), player.name, [&player] {
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

}  // namespace pgcoord::chaos
