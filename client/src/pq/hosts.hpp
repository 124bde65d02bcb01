#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "pgcoord/session_options.hpp"

namespace pgcoord::detail {

/// Connection parameters by keyword.
using ConnectParameters = std::map<std::string, std::string>;

/// One set of parameters for each host of the connection string, in its order, with what a session
/// needs added. libpq would go through the list itself, but bounds no attempt when used without
/// blocking. Throws Error (22023) for a string that libpq does not understand.
[[nodiscard]] std::vector<ConnectParameters> hosts_of(const SessionOptions& options);

/// Milliseconds after which the server cancels a statement: before we give the connection up, so that one
/// slow statement costs no more than itself.
[[nodiscard]] std::int64_t statement_timeout(const SessionOptions& options);

}  // namespace pgcoord::detail
