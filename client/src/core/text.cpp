#include "core/text.hpp"

#include <charconv>

namespace pgcoord::detail {

namespace {

void append_quoted(std::string& out, const std::string& value) {
  out += '"';
  for (const char c : value) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  out += '"';
}

}  // namespace

std::string array_literal(const std::vector<std::string>& values) {
  std::string out = "{";
  for (const auto& value : values) {
    if (out.size() > 1) out += ',';
    append_quoted(out, value);
  }
  return out + '}';
}

std::string seconds_text(Duration duration) {
  const auto micros = std::chrono::duration_cast<std::chrono::microseconds>(duration).count();
  const auto fraction = std::to_string(1'000'000 + micros % 1'000'000).substr(1);
  return std::to_string(micros / 1'000'000) + '.' + fraction;
}

std::string number_text(double value) {
  char buffer[32];
  const auto end = std::to_chars(std::begin(buffer), std::end(buffer), value).ptr;
  return {buffer, end};
}

}  // namespace pgcoord::detail
