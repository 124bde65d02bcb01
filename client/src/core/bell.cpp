#include "core/bell.hpp"

#include <nlohmann/json.hpp>

#include "names.hpp"
#include "pgcoord/error.hpp"

namespace pgcoord::detail {

namespace {

using nlohmann::json;

bool is_name(const std::string& text) {
  try {
    check_name("instance", text);
  } catch (const Error&) {
    return false;
  }
  return true;
}

bool read(const json& object, const char* key, std::string& into) {
  const auto found = object.find(key);
  if (found == object.end()) return true;
  if (!found->is_string()) return false;
  into = found->get<std::string>();
  return true;
}

bool read(const json& object, const char* key, std::optional<std::int64_t>& into) {
  const auto found = object.find(key);
  if (found == object.end() || found->is_null()) return true;
  const bool fits = found->is_number_unsigned() ? found->get<std::uint64_t>() <= std::uint64_t{INT64_MAX}
                                                : found->is_number_integer();
  if (fits) into = found->get<std::int64_t>();
  return fits;
}

}  // namespace

std::optional<Bell> parse_bell(std::string_view payload, const char* key) {
  const auto object = json::parse(payload, nullptr, false);
  if (!object.is_object()) return std::nullopt;
  Bell bell;
  const bool sound = read(object, key, bell.instance_id) && read(object, "event", bell.event) &&
                     read(object, "incarnation", bell.incarnation);
  if (!sound || !is_name(bell.instance_id)) return std::nullopt;
  return bell;
}

}  // namespace pgcoord::detail
