// Sessions of this server, and whether one still lives. All that is believed about life and death rests on
// this file.
#pragma once

#include "pg.hpp"

namespace coord {

/// A session is named by its process and that process's start: a pid alone is reused.
struct SessionName {
  int32 pid;
  TimestampTz start;
};

SessionName this_session();
bool session_alive(const SessionName& session);

/// From here on nobody takes this session for alive. At the beginning of its end: its process is seen for
/// some time after it has told the others, who must not find it in office.
void retire_session();

/// Both of the server's clocks, in microseconds; `monotonic` never jumps, and stands still in a suspended
/// machine.
struct Moment;
Moment this_moment();

}  // namespace coord
