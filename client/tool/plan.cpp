#include "tool/plan.hpp"

#include <algorithm>

namespace pgcoord::tool {

milliseconds margin_for(milliseconds timeout) {
  return std::clamp(timeout / 20, milliseconds(100), milliseconds(1'000));
}

milliseconds longest_grace(milliseconds timeout) { return timeout / 2 - margin_for(timeout); }

}  // namespace pgcoord::tool
