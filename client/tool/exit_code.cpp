#include "tool/exit_code.hpp"

#include <sys/wait.h>

#include "pgcoord/error.hpp"

namespace pgcoord::tool::exit_code {

namespace {

constexpr std::string_view no_privilege = "42501";
constexpr std::string_view lock_name_collision = "PC004";

}  // namespace

int of_wait_status(int status) {
  return WIFSIGNALED(status) ? of_signal(WTERMSIG(status)) : WEXITSTATUS(status);
}

int of_sqlstate(std::string_view sqlstate) {
  if (sqlstate == no_privilege) return no_permission;
  if (sqlstate == sqlstate::bad_argument) return usage;
  if (sqlstate == sqlstate::not_member) return nobody;
  return unavailable;
}

Remedy remedy(std::string_view sqlstate) {
  if (sqlstate == no_privilege || sqlstate == sqlstate::bad_argument) return Remedy::none;
  if (sqlstate == lock_name_collision) return Remedy::none;
  const bool refused = sqlstate.starts_with("28") || sqlstate == "3D000";
  const bool not_installed = sqlstate == "3F000" || sqlstate == "42883" || sqlstate == "42P01";
  const bool pooled = sqlstate == "08P01";
  return refused || not_installed || pooled ? Remedy::retry_if_it_once_worked : Remedy::retry;
}

}  // namespace pgcoord::tool::exit_code
