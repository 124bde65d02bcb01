#include "process.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "wait.hpp"

extern char** environ;

namespace pgcoord::test {
namespace {

[[noreturn]] void fail(const char* what) { throw std::system_error{errno, std::generic_category(), what}; }

// Appended to, because of such a file two writers may both write at the same offset.
Descriptor unnamed_file() {
  Descriptor file{memfd_create("output", MFD_CLOEXEC)};
  if (file.get() < 0 || fcntl(file.get(), F_SETFL, O_RDWR | O_APPEND) < 0) fail("memfd_create");
  return file;
}

std::string contents(const Descriptor& file) {
  std::string text;
  std::array<char, 4096> block;
  ssize_t size = 0;
  while ((size = pread(file.get(), block.data(), block.size(), static_cast<off_t>(text.size()))) > 0)
    text.append(block.data(), static_cast<std::size_t>(size));
  return text;
}

std::vector<std::string> merged_environment(const Environment& extra) {
  std::vector<std::string> all;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string text{*entry};
    if (!extra.contains(text.substr(0, text.find('=')))) all.push_back(text);
  }
  for (const auto& [name, value] : extra) all.push_back(name + "=" + value);
  return all;
}

std::vector<char*> pointers(const std::vector<std::string>& strings) {
  std::vector<char*> all;
  for (const std::string& text : strings) all.push_back(const_cast<char*>(text.c_str()));
  all.push_back(nullptr);
  return all;
}

// Between fork and exec of a program with threads: system calls only.
[[noreturn]] void become(char** argv, char** environment, int out, int err, pid_t parent) {
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(127);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  const int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
  if (dup2(null, STDIN_FILENO) < 0 || dup2(out, STDOUT_FILENO) < 0 || dup2(err, STDERR_FILENO) < 0)
    _exit(127);
  execvpe(argv[0], argv, environment);
  _exit(127);
}

Ending ending_of(int status) {
  if (WIFSIGNALED(status)) return {.code = std::nullopt, .signal = WTERMSIG(status)};
  return {.code = WEXITSTATUS(status), .signal = std::nullopt};
}

}  // namespace

Descriptor& Descriptor::operator=(Descriptor&& other) noexcept {
  if (this != &other) {
    reset();
    fd_ = other.release();
  }
  return *this;
}

int Descriptor::release() { return std::exchange(fd_, -1); }

void Descriptor::reset() {
  if (fd_ >= 0) close(release());
}

Child::Child(const std::vector<std::string>& argv, const Environment& extra)
    : out_{unnamed_file()}, err_{unnamed_file()} {
  const std::vector<std::string> environment = merged_environment(extra);
  const std::vector<char*> arguments = pointers(argv);
  const std::vector<char*> variables = pointers(environment);
  const pid_t parent = getpid();
  pid_ = fork();
  if (pid_ < 0) fail("fork");
  if (pid_ == 0)
    become(const_cast<char**>(arguments.data()), const_cast<char**>(variables.data()), out_.get(), err_.get(),
           parent);
  setpgid(pid_, pid_);  // both sides do, so that it is true for whoever goes on first
}

Child::~Child() {
  kill_group(SIGKILL);
  if (!ending_) waitpid(pid_, nullptr, 0);
}

void Child::reap() {
  int status = 0;
  if (!ending_ && waitpid(pid_, &status, WNOHANG) == pid_) ending_ = ending_of(status);
}

bool Child::running() {
  reap();
  return !ending_;
}

void Child::kill(int signal) {
  if (!ending_) ::kill(pid_, signal);
}

void Child::kill_group(int signal) { ::kill(-pid_, signal); }

std::optional<Ending> Child::wait(std::chrono::milliseconds bound) {
  wait_until([this] { return !running(); }, bound);
  return ending_;
}

std::string Child::out() const { return contents(out_); }
std::string Child::err() const { return contents(err_); }

bool process_alive(pid_t pid) {
  std::ifstream file{"/proc/" + std::to_string(pid) + "/stat"};
  std::string stat;
  std::getline(file, stat, '\0');  // empty, and no exception, if the process goes between open and read
  const std::size_t name_end = stat.rfind(')');
  return name_end != std::string::npos && name_end + 2 < stat.size() && stat[name_end + 2] != 'Z' &&
         stat[name_end + 2] != 'X';
}

std::string run(const std::vector<std::string>& argv, std::chrono::milliseconds bound) {
  Child child{argv};
  const std::optional<Ending> ending = child.wait(bound);
  if (ending && ending->ok()) return child.out();
  std::string text = ending ? "failed:" : "took too long:";
  for (const std::string& word : argv) text += " " + word;
  throw std::runtime_error{text + "\n" + child.out() + child.err()};
}

}  // namespace pgcoord::test
