// Valid names.
#pragma once

#include <cstddef>
#include <string_view>

namespace coord {

constexpr std::size_t longest_name = 200;

enum class NameFault { none, empty, too_long, control_character };

/// Names of instances, groups and elections: 1 to 200 bytes without C0 controls or DEL.
constexpr NameFault fault_of_name(std::string_view name) {
  if (name.empty()) return NameFault::empty;
  if (name.size() > longest_name) return NameFault::too_long;
  for (const char c : name) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7f) return NameFault::control_character;
  }
  return NameFault::none;
}

}  // namespace coord
