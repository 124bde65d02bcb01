// Settings (pg_coord.…), and the retention that they set.
#pragma once

namespace coord {

void define_settings();

/// Removes journal rows and members gone for longer than their settings say; in about one call of sixty, a
/// bounded number of rows at a time, never waiting for a row.
void tidy_up_now_and_then();

}  // namespace coord
