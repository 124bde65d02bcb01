#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "pgcoord/export.hpp"

namespace pgcoord {

/// The number that a key is locked by: SHA-256 of its UTF-8 bytes, the first 8 of them big-endian, without
/// the top bit; 0 to 2^63 - 1. The bytes are taken as they are: nothing is trimmed, folded or normalised.
/// coord.lock_key() and other programs compute the same.
[[nodiscard]] PGCOORD_EXPORT std::int64_t lock_key(std::string_view key);

/// `operation:uuid`, the key under which programs lock a tenant; the UUID in lower case with hyphens. Throws
/// Error (22023) for what is no UUID.
[[nodiscard]] PGCOORD_EXPORT std::string migration_lock_key(std::string_view tenant,
                                                            std::string_view operation = "migration");

}  // namespace pgcoord
