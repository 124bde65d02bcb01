#include "pgcoord/leadership_lease.hpp"

#include "report.hpp"

namespace pgcoord {

bool verify_leadership_lease(LeaderElector* elector, const CallbackErrorHandler& on_error) {
  if (!elector) return true;
  try {
    return elector->renew() && elector->is_leader();
  } catch (...) {
    detail::report_current(on_error);
    return false;
  }
}

}  // namespace pgcoord
