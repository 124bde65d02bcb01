#pragma once

#include <optional>
#include <string_view>

/// Every exit code of the tool that is not the command's own. They are part of its contract.
namespace pgcoord::tool::exit_code {

inline constexpr int success = 0;
inline constexpr int nobody = 1;
inline constexpr int usage = 64;
inline constexpr int unavailable = 69;
inline constexpr int not_in_time = 75;
inline constexpr int lost = 76;
inline constexpr int no_permission = 77;
inline constexpr int drained = 79;
inline constexpr int own_failure = 125;
inline constexpr int cannot_execute = 126;
inline constexpr int not_found = 127;

[[nodiscard]] constexpr int of_signal(int number) { return 128 + number; }
/// Of what waitpid() stores.
[[nodiscard]] int of_wait_status(int status);

/// For a failure that is not tried again.
[[nodiscard]] int of_sqlstate(std::string_view sqlstate);

/// Whether it helps to try again.
enum class Remedy {
  retry,
  /// Not as long as nothing ever worked: the fault is most likely in how the tool was called.
  retry_if_it_once_worked,
  none,
};
[[nodiscard]] Remedy remedy(std::string_view sqlstate);

}  // namespace pgcoord::tool::exit_code
