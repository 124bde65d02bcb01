#include "turn.hpp"

#include "guard.hpp"

namespace coord {

namespace {

LOCKTAG tag_of(const Turn& turn) {
  const uint64 hash = hash_bytes_extended(reinterpret_cast<const unsigned char*>(turn.name),
                                          static_cast<int>(strlen(turn.name)), 0);
  LOCKTAG tag;
  tag.locktag_field1 = MyDatabaseId;
  tag.locktag_field2 = static_cast<uint32>(hash >> 32);
  tag.locktag_field3 = static_cast<uint32>(hash);
  tag.locktag_field4 = static_cast<uint16>(turn.kind);
  tag.locktag_type = LOCKTAG_USERLOCK;
  tag.locktag_lockmethodid = DEFAULT_LOCKMETHOD;
  return tag;
}

const char* kind_name(TurnKind kind) {
  switch (kind) {
    case TurnKind::election:
      return "election";
    case TurnKind::epoch:
      return "epoch";
    case TurnKind::name:
      return "instance";
    case TurnKind::lock_name:
      return "lock";
  }
  return "?";
}

extern "C" void coord_say_what_is_waited_for(void* turn) {
  const Turn& waited = *static_cast<const Turn*>(turn);
  errcontext("while waiting for a change of %s \"%s\" by another session", kind_name(waited.kind),
             waited.name);
}

bool acquire_at_once(const LOCKTAG& tag, LOCKMODE mode) {
  return LockAcquire(&tag, mode, false, true) != LOCKACQUIRE_NOT_AVAIL;
}

}  // namespace

void wait_for_turn(const Turn& turn) {
  const LOCKTAG tag = tag_of(turn);
  ErrorContextCallback context{error_context_stack, coord_say_what_is_waited_for, const_cast<Turn*>(&turn)};
  error_context_stack = &context;
  (void)LockAcquire(&tag, turn.mode, false, false);
  error_context_stack = context.previous;
}

bool try_turn(const Turn& turn, Patience patience) {
  const LOCKTAG tag = tag_of(turn);
  const int tries = patience == Patience::exiting ? 10 : 1;
  for (int attempt = 1;; ++attempt) {
    if (acquire_at_once(tag, turn.mode)) return true;
    if (attempt >= tries) return false;
    pg_usleep(500);
  }
}

bool take_turn(const Turn& turn, Patience patience) {
  if (patience != Patience::bounded) return try_turn(turn, patience);
  wait_for_turn(turn);
  return true;
}

void end_turn(const Turn& turn) {
  const LOCKTAG tag = tag_of(turn);
  (void)LockRelease(&tag, turn.mode, false);
}

}  // namespace coord
