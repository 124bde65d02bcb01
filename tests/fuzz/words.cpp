// What users write: durations, connection strings, times, keys.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "pgcoord/error.hpp"
#include "pgcoord/lock_key.hpp"
#include "pgcoord/utc_time.hpp"
#include "tool/conninfo.hpp"
#include "tool/duration.hpp"

namespace {

void read_duration(std::string text) {
  if (!pgcoord::tool::to_milliseconds(text).empty()) return;
  const double milliseconds = std::stod(text);
  if (!(milliseconds >= 0 && milliseconds <= 168 * 3.6e6)) std::abort();
}

void read_conninfo(const std::string& text) {
  std::string why;
  if (!pgcoord::tool::as_conninfo(text, why) && why.empty()) std::abort();
}

void make_keys(const std::string& text) {
  if (pgcoord::lock_key(text) < 0) std::abort();
  try {
    const auto key = pgcoord::migration_lock_key(text, "");
    if (pgcoord::migration_lock_key(key.substr(1), "") != key) std::abort();
  } catch (const pgcoord::Error&) {
    // No UUID.
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  read_duration(text);
  read_conninfo(text);
  make_keys(text);
  return 0;
}
