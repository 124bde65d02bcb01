#pragma once

#include <optional>
#include <string>

namespace pgcoord::tool {

/// What users write after --dbname as a connection string: as it is, or a bare database name made into one.
/// None if libpq cannot read it; `why` then says the reason.
[[nodiscard]] std::optional<std::string> as_conninfo(const std::string& given, std::string& why);

}  // namespace pgcoord::tool
