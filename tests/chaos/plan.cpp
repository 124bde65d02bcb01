#include "chaos/plan.hpp"

#include <algorithm>
#include <array>

namespace pgcoord::chaos {

std::string_view name_of(Harm harm) {
  static constexpr std::array<std::string_view, kinds_of_harm> names{"kill",
                                                                     "stop",
                                                                     "freeze",
                                                                     "cut",
                                                                     "drain",
                                                                     "terminate",
                                                                     "terminate another",
                                                                     "clocks",
                                                                     "lock tables",
                                                                     "fill connections",
                                                                     "stop backend",
                                                                     "kill backend",
                                                                     "immediate restart",
                                                                     "restart",
                                                                     "hold up standby"};
  return names.at(static_cast<std::size_t>(harm));
}

Strike Plan::next() {
  if (round_.empty()) new_round();
  Strike strike;
  strike.harm = round_.back();
  round_.pop_back();
  strike.victim = static_cast<unsigned>(random_());
  strike.length = static_cast<unsigned>(random_());
  strike.at_leader = random_() % 2 == 0;
  strike.pause = std::chrono::milliseconds(50 + random_() % 850);
  return strike;
}

void Plan::new_round() {
  std::vector<Harm> more{Harm::kill,   Harm::kill,   Harm::stop,     Harm::stop,
                         Harm::freeze, Harm::freeze, Harm::terminate};
  std::shuffle(more.begin(), more.end(), random_);
  for (int kind = 0; kind < kinds_of_harm; ++kind) round_.push_back(static_cast<Harm>(kind));
  std::shuffle(round_.begin(), round_.end(), random_);
  round_.insert(round_.begin(), more.begin(), more.end());
}

}  // namespace pgcoord::chaos
