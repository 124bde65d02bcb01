// The number of a named lock. Part of the contract: other programs compute the same.
#pragma once

#include "pg.hpp"

namespace coord {

/// SHA-256 (FIPS 180-4) of the key in UTF-8: its first 8 bytes, big-endian, without the top bit.
int64 lock_key_of(const text* key);

}  // namespace coord
