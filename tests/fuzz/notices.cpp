// What anybody can send by NOTIFY: read, or not, and never more.
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "core/bell.hpp"
#include "pgcoord/leader_notice.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto notice = pgcoord::parse_leader_notice(text);
  const auto bell = pgcoord::detail::parse_bell(text, "instance_id");
  const auto source = pgcoord::detail::parse_bell(text, "source_instance_id");
  if (bell && bell->instance_id.empty()) std::abort();
  if (source && source->instance_id.empty()) std::abort();
  return notice && notice->token.value < 0 ? (std::abort(), 1) : 0;
}
