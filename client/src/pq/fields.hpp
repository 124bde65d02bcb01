#pragma once

#include <libpq-fe.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "pgcoord/event.hpp"
#include "pgcoord/time.hpp"

namespace pgcoord::detail {

/// libpq's words without the line end.
[[nodiscard]] std::string trimmed(const char* message);
/// Why a connection could not be made: libpq has no codes for that, only words. A proxy that refuses the
/// settings of a session is told apart.
[[nodiscard]] Failure refusal(const PGconn* connection);

// One field of a result. All throw std::invalid_argument for what is not such a value.

[[nodiscard]] std::string_view text(const PGresult* result, int row, int column);
[[nodiscard]] std::int64_t number(const PGresult* result, int row, int column);
/// So many times the unit; cut at two centuries, so that it can be added to a time.
[[nodiscard]] Duration span(const PGresult* result, int row, int column, Duration unit);
[[nodiscard]] double real(const PGresult* result, int row, int column);
/// A JSON array of strings.
[[nodiscard]] std::vector<std::string> list(const PGresult* result, int row, int column);

}  // namespace pgcoord::detail
