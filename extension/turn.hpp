// Turns: whoever changes one thing of the registry does so alone, under a heavyweight lock of our own kind.
// Its tags (LOCKTAG_USERLOCK) cannot be made by any SQL function, and waits for it are seen in pg_locks, by
// the deadlock detector and by isolation tests. Held until the transaction ends.
#pragma once

#include "bound.hpp"
#include "pg.hpp"

namespace coord {

enum class TurnKind : uint16 { election = 1, epoch = 2, name = 3, lock_name = 4 };

struct Turn {
  TurnKind kind;
  const char* name;
  LOCKMODE mode = ExclusiveLock;
};

/// Waits in the server's queue within the bound of the transaction; 55P03 says which thing was waited for.
void wait_for_turn(const Turn& turn);
/// Without waiting in the queue; `exiting` makes a few tries within 5 ms.
bool try_turn(const Turn& turn, Patience patience);
/// By the patience: either returns true or raises, or tries.
bool take_turn(const Turn& turn, Patience patience);
/// Gives back one that was taken just before, earlier than at the transaction's end.
void end_turn(const Turn& turn);

/// The turn of an instance's name, waited for.
inline void wait_for_name(const char* group, const char* instance) {
  wait_for_turn({TurnKind::name, psprintf("%s/%s", group, instance)});
}

}  // namespace coord
