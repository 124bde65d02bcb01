#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace pgcoord::detail {

/// FIPS 180-4.
[[nodiscard]] std::array<std::uint8_t, 32> sha256(std::string_view bytes);

}  // namespace pgcoord::detail
