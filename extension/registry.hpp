// The tables by name.
#pragma once

#include "pg.hpp"

namespace coord {

enum class Table { epoch, member, beat, election, candidate, change, lock };

/// Its indexes, by what they find.
enum class Key {
  election_by_name,
  beat_by_incarnation,
  member_by_incarnation,
  candidate_by_election,
  election_by_leader,
  candidate_by_incarnation,
  lock_by_id
};

/// Looked up again after every change, since the extension may be dropped and created anew within one
/// session. InvalidOid if absent.
Oid find_table(Table table);
/// The same; an error if the extension is not installed in this database.
Oid table_oid(Table table);

/// Whose rights were in force before become_owner().
struct FormerUser {
  Oid user = InvalidOid;
  int context = 0;
};

/// From here on with the rights of the registry's owner, until become(former) or an error.
FormerUser become_owner();
void become(const FormerUser& former);

/// Takes a weak lock on all tables that the exit path uses, their indexes and the event sequence: never
/// waits. False if it cannot, and if the extension is gone. For the exit path, where a wait could not be
/// interrupted.
bool lock_registry_at_once();

/// One of them, locked; waits at most a second for it (55P03). Close with table_close(table, mode).
Relation open_table(Table table, LOCKMODE mode = AccessShareLock);

/// InvalidOid if absent.
Oid find_index(Key key);

}  // namespace coord
