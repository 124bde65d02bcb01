// What happens when a session ends.
#pragma once

namespace coord {

/// Registers the exit hook of this process, once, and prepares what it will run. Called at every join.
void prepare_session_end();

}  // namespace coord
