// What a server answers: the first letter says to which statement, the lines are the fields of its rows.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>

#include "pq/statements.hpp"

namespace {

using pgcoord::Statement;
using Result = std::unique_ptr<PGresult, decltype(&PQclear)>;

int columns_of(Statement statement) {
  if (statement == Statement::peers || statement == Statement::peer) return 16;
  return statement == Statement::assignments ? 9 : 5;
}

/// Rows of text, from left to right; \N is NULL, and so is what is missing in the last row.
Result rows_of(std::string_view text, int columns) {
  Result result(PQmakeEmptyPGresult(nullptr, PGRES_TUPLES_OK), PQclear);
  std::array<char, 2> name{"c"};
  std::array<PGresAttDesc, 16> descriptions{};
  for (auto& description : descriptions) description.name = name.data();
  PQsetResultAttrs(result.get(), columns, descriptions.data());
  for (int field = 0; !text.empty(); ++field) {
    std::string value(text.substr(0, text.find('\n')));
    text.remove_prefix(std::min(value.size() + 1, text.size()));
    const int length = value == "\\N" ? -1 : static_cast<int>(value.size());
    PQsetvalue(result.get(), field / columns, field % columns, value.data(), length);
  }
  return result;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto last = static_cast<unsigned>(Statement::remove_member);
  const auto statement = static_cast<Statement>(static_cast<std::uint8_t>(text[0] - 'a') % (last + 1));
  const auto result = rows_of(text.substr(1), columns_of(statement));
  if (PQntuples(result.get()) == 0) return 0;
  const auto reply = pgcoord::detail::reply_of(statement, result.get());
  if (reply.failure) return reply.failure->sqlstate == "08P01" ? 0 : (std::abort(), 1);
  const auto rows = static_cast<std::size_t>(PQntuples(result.get()));
  const bool peers = statement == Statement::peers || statement == Statement::peer;
  if (reply.peers.size() != (peers ? rows : 0) || reply.rows.size() > rows) std::abort();
  for (const auto& peer : reply.peers) {
    if (peer.heartbeat_age < peer.heartbeat_age.zero()) std::abort();
  }
  return 0;
}
