// This session's membership.
#pragma once

#include "pg.hpp"
#include "rules/watch.hpp"

namespace coord {

/// What this backend remembers of its join. A hint: the registry says whether it still holds.
struct Membership {
  int64 incarnation = 0;  // 0: never joined
  int32 pid = 0;          // of the process that joined
  Oid registry = 0;       // that it joined: another one may have been installed since
  int64 timeout = 0;      // microseconds
  Watch watch;
  int64 next_sweep = 0;  // on the monotonic clock, microseconds
};
Membership& membership();

/// Puts another one in force: for this transaction at once, for good when it commits.
void remember_membership(const Membership& joined);

/// Called once, when the library is loaded.
void watch_memberships();

/// This session's incarnation in the registry that is installed now, or 0.
int64 my_incarnation();

/// This session's row. Texts live until close_spi().
struct Member {
  int64 incarnation;
  const char* group;
  const char* instance;
};

bool find_member(Member* member);
/// The same; PC001 if this session is no member, or not any more.
Member require_member();
[[noreturn]] void fail_not_a_member();

}  // namespace coord
