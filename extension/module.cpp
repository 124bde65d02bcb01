#include "discard.hpp"
#include "doorbell.hpp"
#include "fence.hpp"
#include "guard.hpp"
#include "member.hpp"
#include "settings.hpp"

extern "C" {

#ifdef PG_MODULE_MAGIC_EXT
PG_MODULE_MAGIC_EXT(.name = "pg_coord", .version = COORD_VERSION);  // what pg_get_loaded_modules() shows
#else
PG_MODULE_MAGIC;
#endif

PGDLLEXPORT void _PG_init(void);  // NOLINT(bugprone-reserved-identifier): the server's name for it

void _PG_init(void) {
  coord::define_settings();
  coord::watch_memberships();
  coord::watch_commits_for_notices();
  coord::watch_commits();  // the last one is called first: whoever is fenced off rings no bell
  coord::watch_discard();
}
}
