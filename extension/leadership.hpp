// What an election's row means now, and the SQL type in which it is told.
#pragma once

#include "member.hpp"
#include "pg.hpp"
#include "row.hpp"

namespace coord {

enum class Standing {
  vacant,   // nobody leads, or only in a past epoch
  mine,     // this session leads
  other,    // another live session leads
  dead,     // the row names a session that has ended
  drained,  // its shutdown notice has run out
  silent,   // its session is there, but was not heard for its timeout
};

/// `epoch` is the current one. `silent` is said by the clock alone.
Standing standing_of(const ElectionRow& row, int32 epoch);
/// The same, with `silent` said only if this session may judge (rules/watch.hpp), else `other`; and then the
/// leader cannot prove the contrary before this transaction ends. Needs SPI.
Standing judged_standing_of(const ElectionRow& row, int32 epoch);

/// The composite coord.leadership of an election that somebody leads. `fcinfo` is the call's, for its result
/// type.
Datum leadership_datum(FunctionCallInfo fcinfo, const ElectionRow& row);
/// Adds the same as a row to the result of a set-returning function.
void put_leadership(ReturnSetInfo* result, const ElectionRow& row);

}  // namespace coord
