// A member gives up all that it leads and waits for.
#pragma once

#include "bound.hpp"
#include "pg.hpp"

namespace coord {

/// Hands over its elections, in name order, and takes it out of every queue. What cannot be had within `patience` stays
/// as it is but is announced; `bounded` raises 55P03 instead.
void depart(int64 incarnation, const char* cause, Patience patience);
void prepare_depart();

}  // namespace coord
