#pragma once

#include <sys/types.h>

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace pgcoord::test {

/// Owns a file descriptor.
class Descriptor {
 public:
  explicit Descriptor(int fd = -1) : fd_{fd} {}
  Descriptor(Descriptor&& other) noexcept : fd_{other.release()} {}
  Descriptor& operator=(Descriptor&& other) noexcept;
  ~Descriptor() { reset(); }
  int get() const { return fd_; }
  int release();
  void reset();

 private:
  int fd_;
};

/// How a process ended: by exit(code), or by a signal.
struct Ending {
  std::optional<int> code;
  std::optional<int> signal;
  bool ok() const { return code == 0; }
};

using Environment = std::map<std::string, std::string>;

/// A child process in a process group of its own; its output is kept in unnamed files, so it never blocks on
/// a full pipe. The destructor kills the whole group. The kernel kills the child itself when the thread that
/// spawned it ends, so spawn from a thread that outlives it.
class Child {
 public:
  /// argv[0] is looked up in PATH. `extra` is added to this process's environment. Standard input is
  /// /dev/null. Throws std::system_error if the process cannot be made; a missing program exits with 127.
  explicit Child(const std::vector<std::string>& argv, const Environment& extra = {});
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  ~Child();

  pid_t pid() const { return pid_; }
  bool running();
  void kill(int signal);        ///< the process alone; nothing if it was reaped
  void kill_group(int signal);  ///< with everything that it started in its group
  /// Waits for the end; empty when it still runs after the bound. May be asked again.
  std::optional<Ending> wait(std::chrono::milliseconds bound);
  /// What it wrote so far.
  std::string out() const;
  std::string err() const;

 private:
  void reap();

  Descriptor out_;
  Descriptor err_;
  pid_t pid_ = -1;
  std::optional<Ending> ending_;
};

/// Whether a process runs. One that ended counts as gone even if nobody has reaped it: in a container without
/// an init, an orphan stays a zombie for ever, and kill(pid, 0) would still find it.
bool process_alive(pid_t pid);

/// Runs to the end and returns standard output. Throws std::runtime_error with the output of a program that
/// fails or runs longer than the bound.
std::string run(const std::vector<std::string>& argv,
                std::chrono::milliseconds bound = std::chrono::seconds{60});

}  // namespace pgcoord::test
