#include "tool/command.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <sstream>
#include <system_error>

#include "tool/child_tree.hpp"
#include "tool/exit_code.hpp"

namespace pgcoord::tool {

namespace {

std::vector<std::string> environment_with(const Variables& variables) {
  std::vector<std::string> all;
  for (const auto& [name, value] : variables) all.push_back(name + "=" + value);
  const std::size_t ours = all.size();
  for (char** entry = environ; *entry; ++entry) {
    const std::string text = *entry;
    const std::string name = text.substr(0, text.find('=') + 1);
    bool replaced = false;
    for (std::size_t i = 0; i < ours; ++i) replaced = replaced || all[i].starts_with(name);
    if (!replaced) all.push_back(text);
  }
  return all;
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> all;
  for (auto& text : texts) all.push_back(text.data());
  all.push_back(nullptr);
  return all;
}

bool is_program(const std::string& path) {
  struct stat about {};
  return stat(path.c_str(), &about) == 0 && S_ISREG(about.st_mode) && access(path.c_str(), X_OK) == 0;
}

/// Looked up in PATH; the name itself if it has a slash or is not found. execvp() would take a folder of
/// PATH that may not be entered for a program that may not be executed.
std::string path_of(const std::string& name) {
  const char* const path = std::getenv("PATH");  // NOLINT(concurrency-mt-unsafe): nothing here changes it
  if (name.find('/') != std::string::npos || !path) return name;
  std::istringstream folders(path);
  for (std::string folder; std::getline(folders, folder, ':');) {
    std::string candidate = (folder.empty() ? "." : folder) + "/" + name;
    if (is_program(candidate)) return candidate;
  }
  return name;
}

[[noreturn]] void fail(const char* what) { throw std::system_error(errno, std::generic_category(), what); }

}  // namespace

Command::Command(const CommandLine& line, Instant kill_at) {
  std::vector<std::string> words = line.words;
  std::vector<std::string> variables = environment_with(line.variables);
  const std::string program = path_of(words.front());
  const std::vector<char*> arguments = pointers(words);
  const std::vector<char*> environment = pointers(variables);
  int ends[2];
  if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) < 0) fail("pipe");
  read_end_ = Descriptor(ends[0]);
  control_ = Descriptor(ends[1]);
  adopt_orphans();  // should the guardian itself be killed
  guardian_ = fork();
  if (guardian_ < 0) fail("fork");
  if (guardian_ > 0) return;
  control_.reset();
  guard(read_end_.get(), {program.c_str(), arguments.data(), environment.data(), &line.mask, line.grace,
                          kill_at, line.connection, line.overlap});
}

void Command::kill_at(Instant when) {
  tell({GuardianOrder::Kind::kill_at, 0, when.time_since_epoch().count()});
}

// If the pipe is full the guardian is stopped, and could not obey; if it is gone, so is the command.
void Command::tell(const GuardianOrder& order) {
  const ssize_t written = write(control_.get(), &order, sizeof order);
  static_cast<void>(written);
}

std::optional<int> Command::ended() {
  const Reaped reaped = reap_children(guardian_);
  if (reaped.status) status_ = reaped.status;
  if (!status_) return std::nullopt;
  if (!reaped.any_left) return exit_code::of_wait_status(*status_);
  kill_children();
  return std::nullopt;
}

}  // namespace pgcoord::tool
