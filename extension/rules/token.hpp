// Tokens and epochs.
#pragma once

#include <algorithm>
#include <cstdint>

namespace coord {

/// Bits of a token that hold the term; the epoch stands above them, so that any term of a later epoch is
/// greater.
constexpr int term_bits = 40;
constexpr std::int64_t last_term = (std::int64_t{1} << term_bits) - 1;
constexpr std::int32_t last_epoch = (1 << (63 - term_bits)) - 1;

constexpr std::int64_t make_token(std::int32_t epoch, std::int64_t term) {
  return (std::int64_t{epoch} << term_bits) | term;
}

/// Each timeline has a range of epochs of its own, this wide: a promoted standby may have missed the last
/// terms of its primary, and raises of its epoch as well, but its timeline is higher.
constexpr int timeline_bits = 8;

constexpr std::int32_t first_epoch_of(std::uint32_t timeline) {
  const std::int64_t first = ((std::int64_t{timeline} - 1) << timeline_bits) + 1;
  return first < last_epoch ? static_cast<std::int32_t>(first) : 1;  // so many fail-overs: count on alone
}

/// The epoch of a database that finds itself on another history than its registry says.
constexpr std::int32_t next_epoch(std::int32_t known, std::uint32_t timeline) {
  return std::max(known + 1, first_epoch_of(timeline));
}

}  // namespace coord
