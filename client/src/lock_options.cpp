#include "pgcoord/lock_options.hpp"

#include "pgcoord/error.hpp"

namespace pgcoord {

namespace {

using std::chrono::milliseconds;

void require(bool sound, const char* option, const char* rule) {
  if (sound) return;
  throw Error(sqlstate::bad_argument, std::string("invalid option \"") + option + "\"", rule);
}

}  // namespace

void check(const LockOptions& options) {
  const milliseconds zero{0};
  require(options.connect_timeout > zero, "connect_timeout", "It must be positive.");
  require(options.answer_timeout > zero, "answer_timeout", "It must be positive.");
  require(options.check_interval >= zero, "check_interval", "It must not be negative.");
  require(options.close_timeout >= zero, "close_timeout", "It must not be negative.");
  require(options.spare_lifetime >= zero, "spare_lifetime", "It must not be negative.");
  require(
      options.silence_timeout >= std::chrono::seconds(1) && options.silence_timeout <= std::chrono::hours(24),
      "silence_timeout", "It must be between 1 s and 1 day.");
}

}  // namespace pgcoord
