// What users and other programs write: durations, connection strings, times, names, keys.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "pgcoord/error.hpp"
#include "names.hpp"
#include "pgcoord/lock_key.hpp"
#include "pgcoord/utc_time.hpp"
#include "pq/hosts.hpp"
#include "rules/names.hpp"
#include "tool/conninfo.hpp"
#include "tool/duration.hpp"
#include "tool/text.hpp"

namespace {

void read_duration(std::string text) {
  if (!pgcoord::tool::to_milliseconds(text).empty()) return;
  const double milliseconds = std::stod(text);
  if (!(milliseconds >= 0 && milliseconds <= 168 * 3.6e6)) std::abort();
}

void read_conninfo(const std::string& text) {
  std::string why;
  if (!pgcoord::tool::as_conninfo(text, why) && why.empty()) std::abort();
  pgcoord::SessionOptions options;
  options.conninfo = text;
  try {
    if (pgcoord::detail::hosts_of(options).empty()) std::abort();
  } catch (const pgcoord::Error&) {
    // None that libpq understands.
  }
}

void read_time(const std::string& text) {
  const auto time = pgcoord::parse_iso_time(text);
  if (time && pgcoord::parse_iso_time(pgcoord::to_iso_string(*time)) != time) std::abort();
}

/// Client, tool and server agree on what a name is.
void read_name(const std::string& text) {
  bool sound = true;
  try {
    pgcoord::detail::check_name("name", text);
  } catch (const pgcoord::Error&) {
    sound = false;
  }
  if (sound != pgcoord::tool::is_name(text)) std::abort();
  if (sound != (coord::fault_of_name(text) == coord::NameFault::none)) std::abort();
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
  read_time(text);
  read_name(text);
  make_keys(text);
  return 0;
}
