#include "psql.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <stdexcept>

#include "wait.hpp"
#include "workshop.hpp"

namespace pgcoord::test {
namespace {

std::filesystem::path make_pipe() {
  const std::filesystem::path pipe = Workshop::instance().new_folder("psql") / "statements";
  if (mkfifo(pipe.c_str(), 0600) != 0) throw std::runtime_error{"cannot make " + pipe.string()};
  return pipe;
}

constexpr std::string_view end_mark = "\nanswered ";

}  // namespace

// Opened for reading as well, so that neither side waits for the other.
Psql::Psql(const std::string& conninfo, const Environment& extra)
    : pipe_{make_pipe()},
      feed_{open(pipe_.c_str(), O_RDWR | O_CLOEXEC)},
      child_{{Workshop::instance().program("psql"), "-XAtq", "-f", pipe_.string(), conninfo}, extra} {}

Psql::~Psql() { child_.kill_group(9); }

void Psql::write_line(const std::string& text) {
  const std::string line = text + "\n";
  if (write(feed_.get(), line.data(), line.size()) != static_cast<ssize_t>(line.size()))
    throw std::runtime_error{"cannot write to psql"};
}

void Psql::tell(const std::string& statement) { write_line(statement + ";"); }

Psql::Answer Psql::ask(const std::string& statement) {
  const std::size_t begin = child_.out().size();
  write_line(statement + ";\n\\echo '\\nanswered' :SQLSTATE");
  std::string out;
  const auto answered = [&] {
    out = child_.out().substr(begin);
    const std::size_t mark = out.find(end_mark);
    return mark != std::string::npos && out.find('\n', mark + 1) != std::string::npos;
  };
  if (!wait_until(answered)) throw std::runtime_error{"no answer from psql: " + child_.err()};
  const std::size_t mark = out.find(end_mark);
  const std::string text = out.substr(0, mark);
  return {text.empty() || text.back() != '\n' ? text : text.substr(0, text.size() - 1),
          out.substr(mark + end_mark.size(), 5)};
}

}  // namespace pgcoord::test
