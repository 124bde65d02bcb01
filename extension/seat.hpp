// The row of an instance's name, whoever sits there.
#pragma once

#include "pg.hpp"
#include "rules/seat.hpp"
#include "session.hpp"

namespace coord {

/// As it is under the turn of the name.
struct SeatRow {
  int64 incarnation = 0;  // 0: there is no such row
  Oid role = InvalidOid;
  SessionName holder{};  // pid 0: it left after a notice
  int64 timeout = 0;     // microseconds; 0: never heard
  bool silent = true;    // by the clock alone
};

SeatRow find_seat(const char* group, const char* instance);

/// What `role` finds there.
Seat seat_for(const SeatRow& row, Oid role);

/// 42501 unless the row is the caller's role's, or that role may administer.
void require_owner(const SeatRow& row, const char* instance);

}  // namespace coord
