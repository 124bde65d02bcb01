#include "session_end.hpp"

#include "change.hpp"
#include "depart.hpp"
#include "handover.hpp"
#include "member.hpp"
#include "registry.hpp"
#include "spi.hpp"

// A courtesy that makes fail-over fast: correctness rests on session_alive(). During exit every ERROR is FATAL and no
// wait can be interrupted, so nothing here may wait, and nothing may raise for a reason that can be foreseen.

namespace coord {

namespace {

void hand_everything_over() {
  Oid user = InvalidOid;
  int context = 0;
  GetUserIdAndSecContext(&user, &context);
  SetUserIdAndSecContext(registry_owner(), context | SECURITY_LOCAL_USERID_CHANGE);
  open_spi();
  depart(membership().incarnation, "session_end", Patience::exiting);
  close_spi();
  SetUserIdAndSecContext(user, context);
}

extern "C" void coord_at_session_end(int, Datum) {
  if (membership().incarnation == 0 || membership().pid != MyProcPid) return;
  AbortOutOfAnyTransaction();
  if (RecoveryInProgress()) return;
  begin_last_change();
  if (lock_registry_at_once()) hand_everything_over();
  end_last_change();
}

}  // namespace

void prepare_session_end() {
  static int32 registered_in = 0;
  prepare_depart();
  prepare_handover();
  if (registered_in == MyProcPid) return;
  before_shmem_exit(coord_at_session_end, 0);
  registered_in = MyProcPid;
}

}  // namespace coord
