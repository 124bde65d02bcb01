#pragma once

#include <string_view>

namespace pgcoord::detail {

/// Throws Error (22023) unless `name` has 1 to 200 bytes and no control characters. `what` says which
/// name it is.
void check_name(std::string_view what, std::string_view name);

}  // namespace pgcoord::detail
