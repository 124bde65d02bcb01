// Members, and a nemesis. PGCOORD_CHAOS_SECONDS is how long each run takes, PGCOORD_SEED repeats what is
// done; PGCOORD_HISTORY_TO keeps the history of the run, PGCOORD_HISTORY checks one that was kept.
#include <gmock/gmock.h>

#include <cstdlib>
#include <iostream>
#include <random>

#include "chaos/checker.hpp"
#include "chaos/nemesis.hpp"
#include "chaos/select.hpp"
#include "chaos/world.hpp"
#include "support/registry.hpp"

namespace pgcoord::chaos {
namespace {

using namespace std::chrono_literals;
using testing::IsEmpty;

constexpr Bounds bounds{.silence = 2s, .handover = 3s, .recovery = 8s};

long setting(const char* name, long otherwise) {
  const char* const text = std::getenv(name);
  return text && *text ? std::atol(text) : otherwise;
}

std::size_t committed(const History& history) {
  std::size_t count = 0;
  for (const auto* write : of_kind(history, "write")) count += write->outcome == "committed";
  return count;
}

class Chaos : public testing::Test {
 protected:
  void expect_order(World& world, Nemesis& nemesis) {
    nemesis.rest();
    EXPECT_TRUE(world.recovers(30s)) << "nobody writes although all is mended";
    const auto history = world.finish();
    std::cout << "seed " << seed_ << ": " << nemesis.account() << "; terms "
              << of_kind(history, "grant").size() << ", writes " << committed(history) << " of "
              << of_kind(history, "write").size() << ", locks " << of_kind(history, "lock").size() / 2
              << std::endl;
    EXPECT_THAT(nemesis.left_out(), IsEmpty());
    EXPECT_THAT(check(history, bounds), IsEmpty());
    EXPECT_THAT(world.complaints(), IsEmpty());
    auto session = world.superuser();
    EXPECT_THAT(test::faults_of_journal(session), IsEmpty());
    EXPECT_GT(committed(history), 20U) << "too little happened to mean anything";
  }

  const unsigned seed_ = static_cast<unsigned>(setting("PGCOORD_SEED", std::random_device{}() % 1'000'000));
  const std::chrono::seconds time_{setting("PGCOORD_CHAOS_SECONDS", 40)};
};

TEST_F(Chaos, one_server_that_crashes_and_restarts) {
  World world({.members = 5, .has_standby = false, .seed = seed_});
  Nemesis nemesis(world, seed_);
  nemesis.rage(time_);
  expect_order(world, nemesis);
}

TEST_F(Chaos, a_standby_that_lags_and_is_promoted) {
  World world({.members = 4, .has_standby = true, .seed = seed_});
  Nemesis nemesis(world, seed_);
  nemesis.rage(time_ / 2);
  nemesis.rest();
  world.promote();
  nemesis.rage(time_ / 2);
  expect_order(world, nemesis);
}

TEST(ChaosHistory, that_was_kept_is_in_order) {
  const char* const file = std::getenv("PGCOORD_HISTORY");
  if (!file || !*file) GTEST_SKIP() << "PGCOORD_HISTORY names none";
  EXPECT_THAT(check(read_history(file), bounds), IsEmpty());
}

}  // namespace
}  // namespace pgcoord::chaos
