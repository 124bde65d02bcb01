#include "tool/channels.hpp"

namespace pgcoord::tool {

namespace {

const char* const channels_sql =
    "SELECT CASE WHEN $2 = 'default' THEN topic WHEN octet_length(topic || '.' || $2) <= 63 THEN topic || "
    "'.' || $2"
    " ELSE topic || '.' || left(encode(sha256(convert_to($2, 'UTF8')), 'hex'), 24) END"
    " FROM unnest(string_to_array($1, ' ')) t (topic)";

}  // namespace

Channels::Channels(std::initializer_list<std::string_view> topics) {
  for (const auto topic : topics) topics_ += (topics_.empty() ? "" : " ") + std::string(topic);
}

bool Channels::listen(Database& database, const std::string& group) {
  if (groups_.count(group) > 0) return false;
  for (const auto& row : database.query(channels_sql, {topics_, group}).rows) {
    database.listen(row.front().value_or(""));
  }
  groups_.insert(group);
  return true;
}

}  // namespace pgcoord::tool
