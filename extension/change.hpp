// The frame of every call that changes the registry.
#pragma once

#include "pg.hpp"

namespace coord {

/// What end_change() puts back.
struct Change {
  int isolation;
};

/// Refuses where a change could be rolled back after it was believed (25001), on a standby or in a read-only
/// transaction (25006), in a parallel worker (25000). Waits of this transaction are bounded from here to its
/// end, its statements see what is committed whatever the isolation level, and it ends with this statement.
/// Opens SPI. Whatever else the statement does loses the protection of SERIALIZABLE.
Change begin_change(const char* function);

/// Makes the commit wait for the local disk, and for nothing else, whatever synchronous_commit says: called
/// for every change that somebody is told. Without it the commit of a change waits for no disk.
void make_durable();

/// Closes SPI.
void end_change(const Change& change);

/// The same for the end of a session: begins and ends the transaction itself, and refuses nothing.
void begin_last_change();
void end_last_change();

}  // namespace coord
