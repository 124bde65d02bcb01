#include "tool/conninfo.hpp"

#include <libpq-fe.h>

#include <memory>

namespace pgcoord::tool {

namespace {

bool is_bare_name(const std::string& given) {
  return !given.empty() && given.find('=') == std::string::npos && !given.starts_with("postgresql://") &&
         !given.starts_with("postgres://");
}

std::string named(const std::string& database) {
  std::string conninfo = "dbname='";
  for (const char c : database) {
    if (c == '\'' || c == '\\') conninfo += '\\';
    conninfo += c;
  }
  return conninfo + "'";
}

}  // namespace

std::optional<std::string> as_conninfo(const std::string& given, std::string& why) {
  const std::string conninfo = is_bare_name(given) ? named(given) : given;
  char* text = nullptr;
  const std::unique_ptr<PQconninfoOption, decltype(&PQconninfoFree)> options(
      PQconninfoParse(conninfo.c_str(), &text), PQconninfoFree);
  const std::unique_ptr<char, decltype(&PQfreemem)> message(text, PQfreemem);
  if (!options) {
    why = message ? message.get() : "out of memory";
    return std::nullopt;
  }
  return conninfo;
}

}  // namespace pgcoord::tool
