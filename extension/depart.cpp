#include "depart.hpp"

#include "change.hpp"
#include "epoch.hpp"
#include "handover.hpp"
#include "row.hpp"
#include "spi.hpp"
#include "turn.hpp"

namespace coord {

namespace {

/// Names of elections, in growing memory.
struct Names {
  const char** list = nullptr;
  int count = 0;
  int room = 0;
};

void add(Names* names, const char* name) {
  if (names->count == names->room) {
    names->room = names->room ? names->room * 2 : 16;
    const Size size = sizeof(char*) * static_cast<Size>(names->room);
    names->list = static_cast<const char**>(names->list ? repalloc(names->list, size) : palloc(size));
  }
  names->list[names->count++] = name;
}

int by_name(const void* a, const void* b) {
  return strcmp(*static_cast<const char* const*>(a), *static_cast<const char* const*>(b));
}

/// What the member leads and waits for, in name order; an election may stand there twice.
Names involved_elections(int64 incarnation) {
  Names names;
  each_election_led_by(
      incarnation, [](const ElectionRow& row, void* into) { add(static_cast<Names*>(into), row.election); },
      &names);
  each_candidacy_of(
      incarnation, [](const CandidateRow& row, void* into) { add(static_cast<Names*>(into), row.election); },
      &names);
  if (names.count > 1) qsort(names.list, static_cast<Size>(names.count), sizeof(char*), by_name);
  return names;
}

void give_up_lead(ElectionRow* row, const Departure& departure) {
  if (hand_over(row, current_epoch(), departure.cause, 0)) return;
  if (departure.patience == Patience::bounded) fail_row_held(row->election);
  announce_only(*row, departure.cause);
}

void depart_from(const char* election, const Departure& departure) {
  ElectionRow row{};
  if (!take_turn({TurnKind::election, election}, departure.patience)) {
    if (read_election(election, &row) && row.leader_incarnation == departure.incarnation)
      announce_only(row, departure.cause);
    return;
  }
  if (!read_election_locked(election, &row)) return;
  if (row.leader_incarnation == departure.incarnation && row.epoch == current_epoch())
    give_up_lead(&row, departure);
  else
    (void)dequeue(election, departure.incarnation);
}

}  // namespace

const char* depart_some(const Departure& departure, const char* after, int most) {
  const Names names = involved_elections(departure.incarnation);
  int done = 0;
  for (int i = 0; i < names.count; ++i) {
    if (strcmp(names.list[i], after) <= 0) continue;
    if (done++ == most) return after;
    after = names.list[i];
    depart_from(after, departure);
  }
  return nullptr;
}

void depart(const Departure& departure) { (void)depart_some(departure, "", INT_MAX); }

}  // namespace coord
