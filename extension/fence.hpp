// Fenced transactions.
#pragma once

namespace coord {

/// Hooks the check into every commit of this process. Called once, when the library is loaded.
void watch_commits();

}  // namespace coord
