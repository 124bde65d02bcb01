#include "discard.hpp"
#include "fence.hpp"
#include "guard.hpp"
#include "settings.hpp"

extern "C" {

PG_MODULE_MAGIC;

PGDLLEXPORT void _PG_init(void);

void _PG_init(void) {
  coord::define_settings();
  coord::watch_commits();
  coord::watch_discard();
}
}
