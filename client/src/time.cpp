#include "pgcoord/time.hpp"

#include <ctime>

namespace pgcoord {

Instant BootClock::now() noexcept {
  timespec value{};
  clock_gettime(CLOCK_BOOTTIME, &value);
  return Instant(std::chrono::seconds(value.tv_sec) + Duration(value.tv_nsec));
}

}  // namespace pgcoord
