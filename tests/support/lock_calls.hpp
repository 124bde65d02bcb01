#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <barrier>
#include <string>
#include <thread>

#include "pgcoord/lock_manager.hpp"

namespace pgcoord::test {

/// How a call failed; fails the test if it did not.
template <typename Call>
LockError lock_error_of(Call call) {
  try {
    call();
  } catch (const LockError& error) {
    return error;
  }
  ADD_FAILURE() << "no LockError";
  return {LockFailure::not_held, "", {"", "none was thrown", "", ""}};
}

/// How often each outcome came when two threads, with one lock each, wait without end for the other's.
struct Crossed {
  std::atomic<int> told{0};
  std::atomic<int> granted{0};
};

inline void cross(LockManager& one, LockManager& two, const std::string& a, const std::string& b,
                  Crossed& seen) {
  std::barrier both(2);
  const auto run = [&](LockManager& manager, const std::string& mine, const std::string& other) {
    const auto held = manager.acquire(mine);
    both.arrive_and_wait();
    try {
      const auto second = manager.acquire(other);
      seen.granted += second.is_held() ? 1 : 0;
    } catch (const LockError& error) {
      seen.told += error.sqlstate() == "40P01" && error.failure() == LockFailure::contended ? 1 : 0;
    }
  };
  const std::jthread first([&] { run(one, a, b); });
  run(two, b, a);
}

}  // namespace pgcoord::test
