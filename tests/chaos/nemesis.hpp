#pragma once

#include <functional>
#include <list>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "chaos/world.hpp"

namespace pgcoord::chaos {

/// Does harm, at random but as its seed says, and mends it after a while. At least two members are always
/// left alone. For the thread of its World.
class Nemesis {
 public:
  Nemesis(World& world, unsigned seed);

  void rage(std::chrono::milliseconds time);
  /// Mends everything.
  void rest();
  /// How often each harm was done.
  std::string account() const;

 private:
  using Player = World::Player;
  struct Mending {
    std::int64_t when = 0;
    std::size_t fault = 0;
    std::string who;
    std::function<void()> act;
  };

  int pick(int below) { return std::uniform_int_distribution<int>{0, below - 1}(random_); }
  std::int64_t some_time(int least_ms, int most_ms) {
    return (least_ms + pick(most_ms - least_ms)) * std::int64_t{1'000'000};
  }
  void strike();
  void strike_once(int dice);
  void mend(bool all);
  void later(std::int64_t time, const std::string& what, const std::string& who, std::function<void()> act);
  bool is_hit(const std::string& who) const;
  /// Nobody, if too few are left.
  Player* victim();

  void kill(Player& player);
  void stop(Player& player);
  void freeze(Player& player);
  void cut(Player& player);
  void drain(Player& player);
  void terminate(Player& player);
  void move_clocks();
  void lock_tables();
  void fill_connections();
  void stop_backend();
  void kill_backend();
  void restart();
  void hold_up_standby();

  World& world_;
  std::mt19937 random_;
  std::list<Mending> mendings_;
  std::map<std::string, int> done_;
};

}  // namespace pgcoord::chaos
