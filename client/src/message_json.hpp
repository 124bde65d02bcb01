#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pgcoord/utc_time.hpp"

namespace pgcoord::detail {

/// Reads one message strictly; every problem is a MessageError that names the message and the key.
/// A key that may be missing may be null too, but for lists.
class MessageReader {
 public:
  /// `text` is to be one JSON object, nested at most 64 deep.
  MessageReader(std::string_view kind, std::string_view text);

  /// Not empty.
  [[nodiscard]] std::string name(const char* key) const;
  [[nodiscard]] std::string word(const char* key) const;
  [[nodiscard]] UtcTime time(const char* key) const;
  [[nodiscard]] std::vector<std::string> list(const char* key, bool required) const;
  [[nodiscard]] std::int32_t count(const char* key) const;
  [[nodiscard]] std::int32_t integer(const char* key) const;
  [[nodiscard]] std::optional<std::int64_t> number(const char* key) const;
  [[nodiscard]] std::optional<std::string> optional_word(const char* key) const;
  [[nodiscard]] double real(const char* key) const;
  [[nodiscard]] bool flag(const char* key) const;
  [[nodiscard]] nlohmann::json object(const char* key) const;
  [[noreturn]] void refuse(const std::string& problem) const;

 private:
  [[nodiscard]] const nlohmann::json* find(const char* key) const;
  [[nodiscard]] const nlohmann::json& require(const char* key) const;
  [[noreturn]] void refuse_type(const char* key, const char* wanted) const;

  const std::string_view kind_;
  nlohmann::json object_;
};

/// Throws Error (22023) for text that is not UTF-8.
[[nodiscard]] std::string write_message(const nlohmann::ordered_json& object);

}  // namespace pgcoord::detail
