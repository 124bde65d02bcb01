#pragma once

/// Marks what the shared library offers; everything else stays hidden.
#if defined(__GNUC__)
#define PGCOORD_EXPORT __attribute__((visibility("default")))
#else
#define PGCOORD_EXPORT
#endif
