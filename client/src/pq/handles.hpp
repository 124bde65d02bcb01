#pragma once

#include <libpq-fe.h>

#include <memory>

namespace pgcoord::detail {

struct FinishConnection {
  void operator()(PGconn* connection) const noexcept { PQfinish(connection); }
};
struct ClearResult {
  void operator()(PGresult* result) const noexcept { PQclear(result); }
};
struct FreeMemory {
  void operator()(void* memory) const noexcept { PQfreemem(memory); }
};
struct FreeOptions {
  void operator()(PQconninfoOption* options) const noexcept { PQconninfoFree(options); }
};

using ConnectionPointer = std::unique_ptr<PGconn, FinishConnection>;
using ResultPointer = std::unique_ptr<PGresult, ClearResult>;
using TextPointer = std::unique_ptr<char, FreeMemory>;
using OptionsPointer = std::unique_ptr<PQconninfoOption, FreeOptions>;

}  // namespace pgcoord::detail
