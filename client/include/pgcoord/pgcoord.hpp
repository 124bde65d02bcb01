#pragma once

/// Everything, for users in a hurry.
#include "pgcoord/callback_list.hpp"
#include "pgcoord/error.hpp"
#include "pgcoord/event.hpp"
#include "pgcoord/in_memory_leader_elector.hpp"
#include "pgcoord/leader_elector.hpp"
#include "pgcoord/leader_notice.hpp"
#include "pgcoord/leadership.hpp"
#include "pgcoord/pg_leader_elector.hpp"
#include "pgcoord/session.hpp"
#include "pgcoord/session_core.hpp"
#include "pgcoord/session_options.hpp"
#include "pgcoord/shared_leader_state.hpp"
#include "pgcoord/time.hpp"
