// Members whose session is gone, or that are silent: their peers are told once.
#pragma once

#include "pg.hpp"

namespace coord {

/// Part of every sweep. Silence is judged as in rules/watch.hpp, and never one's own.
void tell_absences();

}  // namespace coord
