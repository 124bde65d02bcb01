#include "session_end.hpp"

#include "change.hpp"
#include "depart.hpp"
#include "handover.hpp"
#include "member.hpp"
#include "message.hpp"
#include "queue.hpp"
#include "registry.hpp"
#include "row.hpp"
#include "rules/names.hpp"
#include "session.hpp"
#include "spi.hpp"

// A courtesy that makes fail-over fast: correctness rests on session_alive(). During exit every ERROR is
// FATAL and no wait can be interrupted, so nothing here may wait, and nothing may raise for a reason that can
// be foreseen.

namespace coord {

namespace {

/// The name after which the next batch begins; empty when all is done.
struct Progress {
  char after[longest_name + 1] = "";
};

void hand_over_batch(Progress* progress) {
  const FormerUser former = become_owner();
  open_spi();
  const Departure departure{my_incarnation(), "session_end", Patience::exiting};
  const char* const last = depart_some(departure, progress->after, departure_batch);
  strlcpy(progress->after, last ? last : "", sizeof progress->after);
  MemberRow member{};
  if (!last && read_member(departure.incarnation, &member))
    tell_member_event(member.group, member.instance, departure.incarnation, MemberEvent::gone);
  close_spi();
  become(former);
}

/// A passing lock, say of a vacuum that truncates, is worth a few tries.
bool lock_registry() {
  for (int attempt = 0; attempt < 10; ++attempt) {
    if (lock_registry_at_once()) return true;
    pg_usleep(500);
  }
  return false;
}

void hand_everything_over() {
  Progress progress;
  do {
    begin_last_change();
    if (my_incarnation() != 0 && lock_registry())
      hand_over_batch(&progress);
    else
      progress.after[0] = '\0';
    end_last_change();
  } while (progress.after[0] != '\0');
}

extern "C" void coord_at_session_end(int, Datum) {
  if (membership().incarnation == 0 || membership().pid != MyProcPid) return;
  whereToSendOutput = DestNone;  // nobody may read any more, and a message would wait for him
  AbortOutOfAnyTransaction();
  retire_session();
  if (!RecoveryInProgress()) hand_everything_over();
}

}  // namespace

void prepare_session_end() {
  static int32 registered_in = 0;
  prepare_handover();
  prepare_queue();
  if (registered_in == MyProcPid) return;
  before_shmem_exit(coord_at_session_end, 0);
  registered_in = MyProcPid;
}

}  // namespace coord
