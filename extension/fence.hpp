// Fenced transactions.
#pragma once

#include "pg.hpp"

namespace coord {

/// Hooks the check into every commit of this process. Called once, when the library is loaded.
void watch_commits();

/// What coord.fence() does: this transaction can commit only under that term (PC002).
void fence_transaction(const char* election, int64 token);

}  // namespace coord
