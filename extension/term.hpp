// The newest term of an election, read by the shortest way: fenced transactions look twice.
#pragma once

#include "pg.hpp"

namespace coord {

/// Of an election only what a fence needs.
struct Term {
  int32 epoch = 0;
  int64 term = 0;
  bool led = false;
};

/// Under the election's turn, the truth; without, a row that somebody changes at this moment may be missed or
/// be the former one. False if there is none.
bool read_term(const char* election, Term* term);

}  // namespace coord
