#include "tool/plan.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>

namespace pgcoord::tool {

std::string default_id() {
  std::array<char, 256> host{};
  gethostname(host.data(), host.size() - 1);
  const std::string pid = std::to_string(getpid());
  return std::string(host.data()).substr(0, 200 - 1 - pid.size()) + ":" + pid;
}

milliseconds term_for(milliseconds timeout) { return timeout * 3 / 4; }

milliseconds margin_for(milliseconds timeout) {
  return std::clamp(timeout / 20, milliseconds(50), milliseconds(1'000));
}

milliseconds longest_grace(milliseconds timeout) { return timeout * 2 / 5 - margin_for(timeout); }

}  // namespace pgcoord::tool
