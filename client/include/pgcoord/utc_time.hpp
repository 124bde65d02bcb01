#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "pgcoord/export.hpp"

namespace pgcoord {

/// A moment on somebody's wall clock. Written into messages and shown to people; two of them are only
/// compared when one and the same sender made both.
using UtcTime = std::chrono::sys_time<std::chrono::microseconds>;

/// `2025-01-01T00:00:00+00:00`; six digits of fraction when it is not zero, else none.
/// Throws Error (22008) outside the years 1 to 9999.
[[nodiscard]] PGCOORD_EXPORT std::string to_iso_string(UtcTime time);

/// ISO 8601 with date, time to the second and offset; none for anything else, an offset-less time too.
/// Read are `T` or a blank in the middle, the basic form (`20250101T000000Z`), week dates, fractions after
/// a dot or comma (digits past the sixth are dropped), and the offsets `Z`, `+HH:MM`, `+HHMM`, `+HH`.
/// Hour 24 and second 60 are refused.
[[nodiscard]] PGCOORD_EXPORT std::optional<UtcTime> parse_iso_time(std::string_view text);

}  // namespace pgcoord
