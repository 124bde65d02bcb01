#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "pgcoord/lock_error.hpp"

namespace pgcoord::detail {

/// `Timeout after 0.2s`, as what() of a LockError.
[[nodiscard]] Failure timeout_failure(Duration timeout);
[[nodiscard]] Failure stopped_failure();
[[nodiscard]] Failure deadlock_failure();
[[nodiscard]] Failure closed_failure();

[[noreturn]] void throw_not_held(std::string_view key);
[[noreturn]] void throw_lost(std::string_view key);

}  // namespace pgcoord::detail
