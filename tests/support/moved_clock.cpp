#include "moved_clock.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cstdlib>
#include <stdexcept>

#include "workshop.hpp"

namespace pgcoord::test {

MovedClock::MovedClock()
    : file_{Workshop::instance().new_folder("clock") / "offset"},
      descriptor_{open(file_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600)} {
  move_to(0);
}

void MovedClock::move_to(long seconds) {
  if (pwrite(descriptor_.get(), &seconds, sizeof seconds, 0) != static_cast<ssize_t>(sizeof seconds))
    throw std::runtime_error{"cannot write " + file_.string()};
}

MovedClock::Preloaded::Preloaded(const MovedClock& clock) {
  setenv("WALL_CLOCK_FILE", clock.file_.c_str(), 1);
  setenv("LD_PRELOAD", "libpgcoord_wall_clock.so", 1);
}

MovedClock::Preloaded::~Preloaded() {
  unsetenv("LD_PRELOAD");
  unsetenv("WALL_CLOCK_FILE");
}

}  // namespace pgcoord::test
