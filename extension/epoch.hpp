// The history that this database is on.
#pragma once

#include "pg.hpp"

namespace coord {

/// The epoch in force, or 0 if the database finds itself on another history than its registry says: then
/// every term in it belongs to the past.
int32 current_epoch();

/// The same, raised first where necessary, under a lock of its own; the row is written by this transaction.
int32 ensure_epoch();

}  // namespace coord
