#include "tool/exit_code.hpp"

#include <sys/wait.h>

namespace pgcoord::tool::exit_code {

namespace {

constexpr std::string_view no_privilege = "42501";
constexpr std::string_view bad_argument = "22023";

}  // namespace

int of_wait_status(int status) {
  return WIFSIGNALED(status) ? of_signal(WTERMSIG(status)) : WEXITSTATUS(status);
}

int of_sqlstate(std::string_view sqlstate) {
  if (sqlstate == no_privilege) return no_permission;
  if (sqlstate == bad_argument) return usage;
  return unavailable;
}

Remedy remedy(std::string_view sqlstate) {
  if (sqlstate == no_privilege || sqlstate == bad_argument) return Remedy::none;
  const bool refused = sqlstate.starts_with("28") || sqlstate == "3D000";
  const bool not_installed = sqlstate == "3F000" || sqlstate == "42883" || sqlstate == "42P01";
  const bool pooled = sqlstate == "08P01";
  return refused || not_installed || pooled ? Remedy::retry_if_it_once_worked : Remedy::retry;
}

}  // namespace pgcoord::tool::exit_code
