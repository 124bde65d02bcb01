#pragma once

#include <libpq-fe.h>

#include <memory>

#include "pgcoord/event.hpp"
#include "pgcoord/time.hpp"
#include "tool/plan.hpp"

namespace pgcoord::tool {

struct CloseConnection {
  void operator()(PGconn* connection) const { PQfinish(connection); }
};
using ConnectionPointer = std::unique_ptr<PGconn, CloseConnection>;

/// Throws Error when there is no connection: with the server's code if it refused, with 22023 for parameters
/// that libpq does not take, with 28P01 for a missing password, and with 08001 otherwise.
[[nodiscard]] ConnectionPointer connect(const Access& access);

/// Why there is no connection, by another attempt that takes no longer than `most`: libpq tells a refusal's
/// code only to those who ask before. `given` is what the first attempt said. With several hosts, or when
/// nothing more is found out, the answer is `given` with 08001.
[[nodiscard]] Failure explain(const Access& access, const std::string& given, Duration most);

/// What libpq says when it is told to be verbose, as a failure; 08001 if the server gave no code.
[[nodiscard]] Failure failure_in(const std::string& verbose);

}  // namespace pgcoord::tool
