#pragma once

#include <libpq-fe.h>

#include "pgcoord/peer_record.hpp"
#include "pgcoord/work_assignment.hpp"

namespace pgcoord::detail {

/// The two lists of columns that peer_record() and work_assignment() read. Spans of time are taken by the
/// server's clock at the row, in microseconds.
[[nodiscard]] const char* peers_sql();
[[nodiscard]] const char* peer_sql();
[[nodiscard]] const char* assignments_sql();

/// Throw std::exception for a row of another shape. What one member made unreadable, its metadata for
/// example, is left out, so that it cannot hide the others.
[[nodiscard]] PeerRecord peer_record(const PGresult* result, int row);
[[nodiscard]] WorkAssignment work_assignment(const PGresult* result, int row);

}  // namespace pgcoord::detail
