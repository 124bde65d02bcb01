// Notifications: sent at commit, never relied upon.
#pragma once

#include "pg.hpp"

namespace coord {

/// What is told where. Each group has its own of each.
enum class Channel { leader, shutdown, heartbeat, work_assignment, member };

/// Will be told to those of `group` who listen when this transaction commits. `payload` has at most 7,999
/// bytes. Not if the server's notification queue is nearly full, nor if the lock that every notifying
/// transaction holds through its commit cannot be had: a transaction that waits for a missing standby holds
/// it for ever, and leadership must go on without a bell.
void announce(Channel channel, const char* group, const char* payload);

/// Hooks the bell into every commit of this process. Called once, when the library is loaded.
void watch_commits_for_notices();

}  // namespace coord
