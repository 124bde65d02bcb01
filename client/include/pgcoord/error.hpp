#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

#include "pgcoord/export.hpp"

namespace pgcoord {

/// The one exception of this library: something failed that the caller did not ask about.
/// Expected outcomes (someone else leads, nobody leads) are values, never exceptions.
///
/// what() is a message in PostgreSQL's style, for people. Programs decide by sqlstate().
class PGCOORD_EXPORT Error : public std::runtime_error {
 public:
  Error(std::string_view sqlstate, const std::string& message, std::string detail = {},
        std::string hint = {});

  /// Five characters: the server's code, or one of the codes in `sqlstate` for failures that were
  /// found on this side.
  [[nodiscard]] const std::string& sqlstate() const noexcept { return sqlstate_; }
  /// Empty when there is none.
  [[nodiscard]] const std::string& detail() const noexcept { return detail_; }
  /// Empty when there is none.
  [[nodiscard]] const std::string& hint() const noexcept { return hint_; }

 private:
  std::string sqlstate_;
  std::string detail_;
  std::string hint_;
};

/// The codes that this library acts on or raises.
namespace sqlstate {
inline constexpr std::string_view not_member = "PC001";
inline constexpr std::string_view fenced_off = "PC002";
inline constexpr std::string_view instance_in_use = "PC003";
inline constexpr std::string_view not_leader = "PC005";
inline constexpr std::string_view bad_argument = "22023";
inline constexpr std::string_view read_only = "25006";
inline constexpr std::string_view lock_not_available = "55P03";
inline constexpr std::string_view cannot_connect = "08001";
inline constexpr std::string_view connection_lost = "08006";
/// A session-bound client behind a proxy that shares server sessions.
inline constexpr std::string_view pooled_connection = "08P01";
/// The caller's time was up before the server answered.
inline constexpr std::string_view timed_out = "57014";
/// The handle is closed, or was inherited through fork().
inline constexpr std::string_view not_usable = "55000";
}  // namespace sqlstate

}  // namespace pgcoord
