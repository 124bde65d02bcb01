// Who may have an instance's name.
#pragma once

namespace coord {

/// A name's row, as a session that wants to join under it finds it.
struct Seat {
  bool taken = false;
  bool same_role = false;
  bool same_session = false;
  bool session_alive = false;
  bool silent = false;  // not heard for its own timeout
};

enum class SeatVerdict { free, mine, left_by_dead, left_by_silent, in_use, owned_by_another_role };

constexpr SeatVerdict verdict_on(const Seat& seat) {
  if (!seat.taken) return SeatVerdict::free;
  if (!seat.same_role) return SeatVerdict::owned_by_another_role;
  if (seat.same_session) return SeatVerdict::mine;
  if (!seat.session_alive) return SeatVerdict::left_by_dead;
  return seat.silent ? SeatVerdict::left_by_silent : SeatVerdict::in_use;
}

}  // namespace coord
