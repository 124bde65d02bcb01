// DISCARD ALL ends a membership: whoever gets the session next is somebody else.
#pragma once

namespace coord {

/// Called once, when the library is loaded.
void watch_discard();

}  // namespace coord
