#pragma once

#include <functional>
#include <list>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "chaos/plan.hpp"
#include "chaos/world.hpp"

namespace pgcoord::chaos {

/// Does harm as the plan of its seed says, and mends it after a while. What cannot be done, because the
/// server is full, say, is tried again for a while. At least two members are always left alone. For the
/// thread of its World.
class Nemesis {
 public:
  Nemesis(World& world, unsigned seed);

  void rage(std::chrono::milliseconds time);
  /// Mends everything.
  void rest();
  /// How often each harm was done.
  std::string account() const;
  /// Kinds of harm that were not done although there was time for each.
  std::vector<std::string> left_out() const;

 private:
  using Player = World::Player;
  struct Mending {
    std::int64_t when = 0;
    std::size_t fault = 0;
    std::string who;
    std::function<void()> act;
  };

  void next();
  /// False if it cannot be done now.
  bool strike();
  bool strike_once();
  bool strike_member();
  /// Without a standby there is none to hold up.
  bool is_possible(Harm harm) { return harm != Harm::hold_up_standby || world_.standby(); }
  void mend(bool all);
  /// Has it mended later.
  void later(std::int64_t time, const std::string& who, std::function<void()> act);
  bool is_hit(const std::string& who) const;
  /// Nobody, if too few are left.
  Player* victim();
  std::string name() const { return std::string(name_of(strike_.harm)); }

  void kill(Player& player);
  std::int64_t silence(const Player& player);
  void stop(Player& player);
  void freeze(Player& player);
  void cut(Player& player);
  void drain(Player& player);
  bool terminate(Player& player);
  void move_clocks();
  void lock_tables();
  void fill_connections();
  bool stop_backend();
  void kill_backend();
  void restart();
  bool hold_up_standby();

  World& world_;
  Plan plan_;
  Strike strike_;
  std::list<Mending> mendings_;
  std::map<std::string, int> done_;
  std::int64_t given_up_ = 0;     // when the strike is left out
  std::int64_t quiet_until_ = 0;  // nothing is done before
  std::string leader_;            // whom the strike goes for, if it goes for who leads
  int struck_ = 0;
  std::set<Harm> impossible_;
};

}  // namespace pgcoord::chaos
