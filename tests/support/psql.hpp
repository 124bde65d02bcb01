#pragma once

#include <filesystem>
#include <string>

#include "process.hpp"

namespace pgcoord::test {

/// A client in a process of its own: psql, fed through a pipe. It can be stopped, resumed and killed like any
/// program, while its session is idle.
class Psql {
 public:
  /// `extra` is added to its environment.
  explicit Psql(const std::string& conninfo, const Environment& extra = {});
  ~Psql();

  struct Answer {
    std::string text;  ///< rows, one a line, columns joined by '|'
    std::string sqlstate;
  };
  /// Runs one statement; throws std::runtime_error when there is no answer within half a minute.
  Answer ask(const std::string& statement);
  /// Writes a statement and waits for nothing.
  void tell(const std::string& statement);

  Child& process() { return child_; }

 private:
  void write_line(const std::string& text);

  std::filesystem::path pipe_;
  Descriptor feed_;
  Child child_;
};

}  // namespace pgcoord::test
