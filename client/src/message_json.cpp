#include "message_json.hpp"

#include <cmath>
#include <limits>

#include "pgcoord/message_error.hpp"

namespace pgcoord::detail {

namespace {

using nlohmann::json;

constexpr int deepest = 64;

/// Copying and comparing JSON recurses, so a hostile message could use up the stack.
bool too_deep(std::string_view text) {
  int depth = 0;
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '"') quoted = !quoted;
    if (quoted) {
      if (c == '\\') ++i;
    } else if (c == '{' || c == '[') {
      if (++depth > deepest) return true;
    } else if (c == '}' || c == ']') {
      --depth;
    }
  }
  return false;
}

bool is_int64(const json& value) {
  if (value.is_number_unsigned())
    return value.get<std::uint64_t>() <= std::uint64_t{std::numeric_limits<std::int64_t>::max()};
  return value.is_number_integer();
}

std::string quoted(const char* key) { return '"' + std::string(key) + '"'; }

}  // namespace

MessageReader::MessageReader(std::string_view kind, std::string_view text) : kind_(kind) {
  if (too_deep(text)) refuse("nested too deep");
  object_ = json::parse(text, nullptr, false);
  if (object_.is_discarded()) refuse("not JSON");
  if (!object_.is_object()) refuse("not a JSON object");
}

void MessageReader::refuse(const std::string& problem) const { throw MessageError(kind_, problem); }

void MessageReader::refuse_type(const char* key, const char* wanted) const {
  refuse(quoted(key) + " is not " + wanted);
}

const json* MessageReader::find(const char* key) const {
  const auto found = object_.find(key);
  return found == object_.end() || found->is_null() ? nullptr : &*found;
}

const json& MessageReader::require(const char* key) const {
  const auto found = object_.find(key);
  if (found == object_.end()) refuse(quoted(key) + " is missing");
  return *found;
}

std::string MessageReader::word(const char* key) const {
  const json& value = require(key);
  if (!value.is_string()) refuse_type(key, "a string");
  return value.get<std::string>();
}

std::string MessageReader::name(const char* key) const {
  auto value = word(key);
  if (value.empty()) refuse(quoted(key) + " is empty");
  return value;
}

std::optional<std::string> MessageReader::optional_word(const char* key) const {
  return find(key) ? std::optional(word(key)) : std::nullopt;
}

UtcTime MessageReader::time(const char* key) const {
  const auto value = parse_iso_time(word(key));
  if (!value) refuse_type(key, "an ISO 8601 timestamp with an offset");
  return *value;
}

std::vector<std::string> MessageReader::list(const char* key, bool required) const {
  if (!required && !object_.contains(key)) return {};
  const json& value = require(key);
  if (!value.is_array()) refuse_type(key, "a list of strings");
  std::vector<std::string> strings;
  strings.reserve(value.size());
  for (const json& item : value) {
    if (!item.is_string()) refuse_type(key, "a list of strings");
    strings.push_back(item.get<std::string>());
  }
  return strings;
}

std::optional<std::int64_t> MessageReader::number(const char* key) const {
  const json* value = find(key);
  if (!value) return std::nullopt;
  if (!is_int64(*value)) refuse_type(key, "an integer of 64 bits");
  return value->get<std::int64_t>();
}

std::int32_t MessageReader::integer(const char* key) const {
  using Limits = std::numeric_limits<std::int32_t>;
  const auto value = number(key).value_or(0);
  if (value < Limits::min() || value > Limits::max()) refuse_type(key, "an integer of 32 bits");
  return static_cast<std::int32_t>(value);
}

std::int32_t MessageReader::count(const char* key) const {
  const auto value = integer(key);
  if (value < 0) refuse(quoted(key) + " is negative");
  return value;
}

double MessageReader::real(const char* key) const {
  const json* value = find(key);
  if (!value) return 0.0;
  if (!value->is_number() || !std::isfinite(value->get<double>())) refuse_type(key, "a finite number");
  return value->get<double>();
}

bool MessageReader::flag(const char* key) const {
  const json* value = find(key);
  if (value && !value->is_boolean()) refuse_type(key, "true or false");
  return value && value->get<bool>();
}

json MessageReader::object(const char* key) const {
  const json* value = find(key);
  if (!value) return json::object();
  if (!value->is_object()) refuse_type(key, "an object");
  return *value;
}

std::string write_message(const nlohmann::ordered_json& object) {
  try {
    return object.dump();
  } catch (const nlohmann::json::exception& error) {
    throw Error(sqlstate::bad_argument, "message cannot be written as JSON", error.what());
  }
}

}  // namespace pgcoord::detail
