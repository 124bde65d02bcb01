// The names behind the numbers of locks, so that the view can show them and a collision is noticed.
#pragma once

#include "pg.hpp"

namespace coord {

enum class Naming { compare, record };

/// PC004 if that number is known under another key. Else, and unless it is only to be compared, sees to it
/// that it is known under this one, if that can be had without waiting: not in a read-only transaction, and
/// not while another one records it.
void keep_lock_name(int64 id, const text* key, Naming naming);

}  // namespace coord
