#pragma once

#include <libpq-fe.h>

#include "pgcoord/command.hpp"

namespace pgcoord::detail {

/// One statement as it goes to the server; everything variable is a parameter.
[[nodiscard]] const char* sql_of(Statement statement);
/// Whether it is worth to have it planned once for a connection.
[[nodiscard]] bool is_repeated(Statement statement);
/// What the server said, as a value.
[[nodiscard]] Failure failure_of(const PGresult* result);
/// Fills the part of the reply that belongs to `statement`. A result of an unexpected shape becomes a
/// failure (08P01).
[[nodiscard]] Reply reply_of(Statement statement, const PGresult* result);

}  // namespace pgcoord::detail
