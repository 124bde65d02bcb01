#include "chaos/plan.hpp"

#include <gmock/gmock.h>

#include <map>
#include <set>
#include <tuple>

namespace pgcoord::chaos {
namespace {

using namespace std::chrono_literals;

std::vector<Strike> strikes(unsigned seed, int count) {
  Plan plan(seed);
  std::vector<Strike> all;
  for (int i = 0; i < count; ++i) all.push_back(plan.next());
  return all;
}

std::vector<std::tuple<Harm, unsigned, unsigned, std::int64_t>> values(const std::vector<Strike>& strikes) {
  std::vector<std::tuple<Harm, unsigned, unsigned, std::int64_t>> all;
  for (const auto& one : strikes) all.emplace_back(one.harm, one.victim, one.length, one.pause.count());
  return all;
}

TEST(ChaosPlan, is_the_same_for_the_same_seed) {
  EXPECT_EQ(values(strikes(7, 100)), values(strikes(7, 100)));
  EXPECT_NE(values(strikes(7, 100)), values(strikes(8, 100)));
}

TEST(ChaosPlan, has_each_kind_before_any_comes_again) {
  for (unsigned seed = 0; seed < 50; ++seed) {
    std::set<Harm> kinds;
    for (const auto& one : strikes(seed, kinds_of_harm)) kinds.insert(one.harm);
    EXPECT_EQ(kinds.size(), kinds_of_harm) << "seed " << seed;
  }
}

TEST(ChaosPlan, goes_on_in_rounds_in_another_order) {
  const auto all = strikes(7, 100);
  std::map<Harm, int> counts;
  for (const auto& one : all) ++counts[one.harm];
  for (const auto& [harm, count] : counts) EXPECT_GE(count, 4) << name_of(harm);
  EXPECT_GT(counts[Harm::kill], counts[Harm::restart]);
}

TEST(ChaosPlan, keeps_to_what_there_is_and_to_the_times) {
  for (const auto& one : strikes(7, 200)) {
    EXPECT_LT(one.among(3), 3U);
    EXPECT_GE(one.time(100, 200), 100'000'000);
    EXPECT_LT(one.time(100, 200), 200'000'000);
    EXPECT_GE(one.pause, 50ms);
    EXPECT_LT(one.pause, 900ms);
  }
}

}  // namespace
}  // namespace pgcoord::chaos
