#pragma once

#include <chrono>
#include <cstdint>
#include <random>
#include <string_view>
#include <vector>

namespace pgcoord::chaos {

/// What a nemesis can do.
enum class Harm {
  kill,
  stop,
  freeze,
  cut,
  drain,
  terminate,
  terminate_another,
  move_clocks,
  lock_tables,
  fill_connections,
  stop_backend,
  kill_backend,
  immediate_restart,
  restart,
  hold_up_standby
};
constexpr int kinds_of_harm = 15;

/// Also what the history calls it.
std::string_view name_of(Harm harm);

/// One harm of a plan. Numbers are taken for what there is when it is done.
struct Strike {
  Harm harm{};
  unsigned victim = 0;
  unsigned length = 0;
  /// Whether it goes for who leads, if that is known: others are not missed when they are silent.
  bool at_leader = false;
  std::chrono::milliseconds pause{};

  std::size_t among(std::size_t count) const { return victim % count; }
  /// Nanoseconds.
  std::int64_t time(unsigned least_ms, unsigned most_ms) const {
    return (least_ms + length % (most_ms - least_ms)) * std::int64_t{1'000'000};
  }
};

/// What harm is done, one after the other: each seed has its own plan, whatever happens meanwhile. It goes in
/// rounds: each kind once in any order, then some more of those that hit members.
class Plan {
 public:
  explicit Plan(unsigned seed) : random_(seed) {}

  Strike next();

 private:
  void new_round();

  std::mt19937 random_;
  std::vector<Harm> round_;  // the next one last
};

}  // namespace pgcoord::chaos
