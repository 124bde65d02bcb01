#include "names.hpp"

#include <algorithm>
#include <string>

#include "pgcoord/error.hpp"

namespace pgcoord::detail {

namespace {

constexpr std::size_t longest_name = 200;

bool is_control(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte < 0x20 || byte == 0x7F;
}

}  // namespace

void check_name(std::string_view what, std::string_view name) {
  const bool sound =
      !name.empty() && name.size() <= longest_name && std::none_of(name.begin(), name.end(), is_control);
  if (sound) return;
  throw Error(sqlstate::bad_argument, "invalid " + std::string(what),
              "The value has " + std::to_string(name.size()) + " bytes.",
              "Names have 1 to 200 bytes and no control characters.");
}

}  // namespace pgcoord::detail
