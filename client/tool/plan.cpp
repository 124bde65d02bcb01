#include "tool/plan.hpp"

#include <algorithm>

namespace pgcoord::tool {

milliseconds term_for(milliseconds timeout) { return timeout * 3 / 4; }

milliseconds margin_for(milliseconds timeout) {
  return std::clamp(timeout / 20, milliseconds(50), milliseconds(1'000));
}

milliseconds longest_grace(milliseconds timeout) { return timeout * 2 / 5 - margin_for(timeout); }

}  // namespace pgcoord::tool
