#pragma once

#include "pgcoord/callback_list.hpp"
#include "pgcoord/export.hpp"
#include "pgcoord/leader_elector.hpp"

namespace pgcoord {

/// Whether `elector` proves its lead to the backend and leads afterwards. True without an elector: nobody
/// asked for one leader. An exception counts as no and goes to `on_error`. It is a look, no fence: the
/// lead can end right after.
[[nodiscard]] PGCOORD_EXPORT bool verify_leadership_lease(LeaderElector* elector,
                                                          const CallbackErrorHandler& on_error = {});

}  // namespace pgcoord
