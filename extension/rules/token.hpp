// Tokens and epochs.
#pragma once

#include <algorithm>
#include <cstdint>

namespace coord {

/// Bits of a token that hold the term; the epoch stands above them, so that any term of a later epoch is greater.
constexpr int term_bits = 40;
constexpr std::int64_t last_term = (std::int64_t{1} << term_bits) - 1;
constexpr std::int32_t last_epoch = (1 << (63 - term_bits)) - 1;

constexpr std::int64_t make_token(std::int32_t epoch, std::int64_t term) {
  return (std::int64_t{epoch} << term_bits) | term;
}

/// The epoch of a database that finds itself on another history. A promoted standby may have missed the last grants of
/// its primary; its timeline is at least one higher than the primary's, and so is the result.
constexpr std::int32_t next_epoch(std::int32_t known, std::uint32_t timeline) {
  return std::max(known + 1, static_cast<std::int32_t>(std::min<std::uint32_t>(timeline, last_epoch)));
}

}  // namespace coord
