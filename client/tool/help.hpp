#pragma once

/// The parts of the help that are more than a list of options.
namespace pgcoord::tool::help {

extern const char* const overview;
extern const char* const drain;
extern const char* const drain_more;
extern const char* const elect;
extern const char* const elect_more;
extern const char* const lock;
extern const char* const lock_more;
extern const char* const leader;
extern const char* const leader_more;
extern const char* const members;
extern const char* const members_more;
extern const char* const locks;
extern const char* const locks_more;
extern const char* const orphans;
extern const char* const orphans_more;
extern const char* const assignments;
extern const char* const assignments_more;
extern const char* const log;
extern const char* const log_more;
extern const char* const watch;
extern const char* const watch_more;
extern const char* const more;

}  // namespace pgcoord::tool::help
