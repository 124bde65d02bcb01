#pragma once

#include <chrono>
#include <string>

#include "chaos/checker.hpp"

namespace pgcoord::chaos::made {

constexpr Bounds bounds{.silence = std::chrono::seconds{2},
                        .handover = std::chrono::seconds{1},
                        .recovery = std::chrono::seconds{4}};

/// Records of a history that is made by hand, in milliseconds.
inline std::int64_t ms(std::int64_t milliseconds) { return milliseconds * 1'000'000; }

inline Record grant(std::int64_t at, const std::string& who, std::int64_t token) {
  return {"grant", "red", who, 0, token, 0, ms(at), 0, {}};
}
inline Record nobody(std::int64_t at) { return grant(at, "", 0); }
inline Record claim(std::int64_t from, std::int64_t until, const std::string& who, std::int64_t token,
                    std::int64_t process = 1) {
  return {"claim", "red", who, process, token, 0, ms(from), ms(until), {}};
}
inline Record row(std::int64_t at, const std::string& who, std::int64_t token, std::int64_t number) {
  return {"row", "red", who, 0, token, number, ms(at), 0, {}};
}
inline Record write(std::int64_t from, const std::string& who, std::int64_t number,
                    const std::string& outcome) {
  return {"write", "red", who, 1, 0, number, ms(from), ms(from + 5), outcome};
}
inline Record lock(std::int64_t from, std::int64_t until, const std::string& who, std::int64_t process,
                   std::int64_t number = 1) {
  return {"lock", "key", who, process, 0, number, ms(from), until < 0 ? 0 : ms(until), {}};
}
inline Record fault(std::int64_t from, std::int64_t until, const std::string& what,
                    const std::string& who = {}) {
  return {"fault", what, who, 0, 0, 0, ms(from), ms(until), {}};
}
/// Something far behind everything else.
inline Record end() { return fault(60'000, 60'000, "end", "nobody"); }

/// What the checker has against it.
inline Violations faults(History history) {
  history.push_back(end());
  return check(history, bounds);
}

}  // namespace pgcoord::chaos::made
