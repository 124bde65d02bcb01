#include "pgcoord/lock_key.hpp"

#include <algorithm>

#include "pgcoord/error.hpp"
#include "sha256.hpp"

namespace pgcoord {

namespace {

constexpr std::size_t uuid_length = 36;

bool is_hyphen_place(std::size_t at) { return at == 8 || at == 13 || at == 18 || at == 23; }

char lower_hex(char c) {
  if ((c >= '0' && c <= '9') || (c >= 'a' && c <= 'f')) return c;
  return c >= 'A' && c <= 'F' ? static_cast<char>(c - 'A' + 'a') : '\0';
}

[[noreturn]] void refuse(std::string_view tenant) {
  throw Error(sqlstate::bad_argument, "invalid tenant \"" + std::string(tenant) + "\"", {},
              "Use a UUID: 8-4-4-4-12 hexadecimal digits.");
}

std::string canonical(std::string_view uuid) {
  if (uuid.size() != uuid_length) refuse(uuid);
  std::string text(uuid);
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (is_hyphen_place(at) ? text[at] == '-' : (text[at] = lower_hex(text[at])) != '\0') continue;
    refuse(uuid);
  }
  return text;
}

}  // namespace

std::int64_t lock_key(std::string_view key) {
  const auto digest = detail::sha256(key);
  std::uint64_t number = 0;
  std::for_each_n(digest.begin(), 8, [&](std::uint8_t byte) { number = number << 8 | byte; });
  return static_cast<std::int64_t>(number & 0x7FFFFFFFFFFFFFFF);
}

std::string migration_lock_key(std::string_view tenant, std::string_view operation) {
  return std::string(operation) + ":" + canonical(tenant);
}

}  // namespace pgcoord
