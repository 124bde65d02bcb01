#include "pgcoord/leader_notice.hpp"

#include <nlohmann/json.hpp>

namespace pgcoord {

namespace {

using nlohmann::json;

bool read(const json& object, const char* key, std::optional<std::string>& into) {
  const auto found = object.find(key);
  if (found == object.end() || found->is_null()) return true;
  if (!found->is_string()) return false;
  into = found->get<std::string>();
  return true;
}

bool read(const json& object, const char* key, std::optional<std::int64_t>& into) {
  const auto found = object.find(key);
  if (found == object.end() || found->is_null()) return true;
  const bool fits = found->is_number_unsigned() ? found->get<std::uint64_t>() <= std::uint64_t{INT64_MAX}
                                                : found->is_number_integer();
  if (!fits) return false;
  into = found->get<std::int64_t>();
  return true;
}

}  // namespace

std::optional<LeaderNotice> parse_leader_notice(std::string_view payload) {
  const auto object = json::parse(payload, nullptr, false);
  if (!object.is_object()) return std::nullopt;
  LeaderNotice notice;
  std::optional<std::string> election;
  std::optional<std::string> cause;
  std::optional<std::int64_t> token;
  const bool sound = read(object, "election", election) && read(object, "leader", notice.leader) &&
                     read(object, "successor", notice.successor) &&
                     read(object, "previous", notice.previous) && read(object, "cause", cause) &&
                     read(object, "token", token) && read(object, "event_id", notice.event_id);
  if (!sound || !election || election->empty() || !object.contains("leader")) return std::nullopt;
  notice.election = std::move(*election);
  notice.cause = cause.value_or("");
  notice.token = Token{token.value_or(0)};
  return notice;
}

}  // namespace pgcoord
