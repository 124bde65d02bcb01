#pragma once

#include <chrono>
#include <thread>

namespace pgcoord::test {

/// Asks again every few milliseconds until the predicate holds; false if it never did within the bound.
template <typename Predicate>
bool wait_until(Predicate predicate, std::chrono::milliseconds bound = std::chrono::seconds{20}) {
  const auto end = std::chrono::steady_clock::now() + bound;
  while (!predicate()) {
    if (std::chrono::steady_clock::now() >= end) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds{3});
  }
  return true;
}

}  // namespace pgcoord::test
