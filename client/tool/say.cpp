#include "tool/say.hpp"

#include <unistd.h>

#include "tool/text.hpp"

namespace pgcoord::tool {

void say(std::string_view text) {
  const std::string line = "pgcoord: " + one_line(text) + "\n";
  const ssize_t written = write(STDERR_FILENO, line.data(), line.size());
  static_cast<void>(written);  // nobody is left to be told
}

}  // namespace pgcoord::tool
