#pragma once

#include <filesystem>

#include "process.hpp"

namespace pgcoord::test {

/// The wall clock of programs that were started while a Preloaded was alive, and of all their children: right
/// at first, then off by as much as the test says, from one moment to the next. Their other clocks are right.
/// The preloaded library is found by its name in LD_LIBRARY_PATH.
class MovedClock {
 public:
  MovedClock();
  MovedClock(const MovedClock&) = delete;
  MovedClock& operator=(const MovedClock&) = delete;

  /// Seconds ahead of the true time; negative is behind.
  void move_to(long seconds);

  /// Puts the library into this process's environment, and takes it out again.
  class Preloaded {
   public:
    explicit Preloaded(const MovedClock& clock);
    Preloaded(const Preloaded&) = delete;
    Preloaded& operator=(const Preloaded&) = delete;
    ~Preloaded();
  };

 private:
  std::filesystem::path file_;
  Descriptor descriptor_;
};

}  // namespace pgcoord::test
