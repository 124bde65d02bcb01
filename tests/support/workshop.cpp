#include "workshop.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <mutex>
#include <stdexcept>

extern char** environ;

namespace pgcoord::test {
namespace {

std::string variable(const char* name, const std::string& otherwise) {
  const char* value = std::getenv(name);
  return value != nullptr && *value != '\0' ? value : otherwise;
}

std::string trimmed(std::string text) {
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return text;
}

std::filesystem::path make_root() {
  std::string pattern = (std::filesystem::temp_directory_path() / "pgcoord-test-XXXXXX").string();
  if (mkdtemp(pattern.data()) == nullptr) throw std::runtime_error{"cannot make " + pattern};
  return pattern;
}

constexpr const char* guard = R"(
  alive() { test -e "/proc/$1" && ! grep -q '^State:.*Z' "/proc/$1/status"; }
  cat > /dev/null
  for file in "$0"/*/data/postmaster.pid; do
    test -f "$file" || continue
    read -r pid < "$file"
    kill -QUIT "$pid" 2> /dev/null
    tries=0
    while alive "$pid" && test $((tries = tries + 1)) -lt 100; do sleep 0.1; done
  done
  tries=0  # a child that dies with its parent may still be writing
  while ! rm -rf "$0" && test $((tries = tries + 1)) -lt 50; do sleep 0.1; done
)";

}  // namespace

Workshop& Workshop::instance() {
  static Workshop only;
  return only;
}

Workshop::Workshop() : programs_{variable("PGCOORD_PG_BINDIR", "/usr/lib/postgresql/15/bin")} {
  if (geteuid() == 0)
    throw std::runtime_error{"PostgreSQL refuses to run as root: use make test-integration"};
  root_ = make_root();
  start_guardian();
}

Workshop::~Workshop() {
  lifeline_.reset();
  waitpid(guardian_, nullptr, 0);
}

// In a process group of its own, so that the terminal's interrupt does not reach it.
void Workshop::start_guardian() {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) throw std::runtime_error{"no pipe"};
  Descriptor reading{ends[0]};
  lifeline_ = Descriptor{ends[1]};
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, reading.get(), STDIN_FILENO);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  std::string shell = "sh", option = "-c", script = guard, root = root_.string();
  char* argv[] = {shell.data(), option.data(), script.data(), root.data(), nullptr};
  const int failure = posix_spawn(&guardian_, "/bin/sh", &actions, &attributes, argv, environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  if (failure != 0) throw std::runtime_error{"no guardian process"};
}

std::filesystem::path Workshop::new_folder(const std::string& kind) {
  static std::mutex mutex;
  const std::lock_guard lock{mutex};
  std::filesystem::path folder = root_ / (kind + std::to_string(++folders_));
  std::filesystem::create_directory(folder);
  return folder;
}

const std::filesystem::path& Workshop::cluster_template() {
  static std::once_flag once;
  std::call_once(once, [this] {
    const std::filesystem::path folder = new_folder("template") / "cluster";
    run({program("initdb"), "--no-sync", "--wal-segsize=1", "-A", "trust", "-U", "postgres", "-E", "UTF8",
         "--locale=C.UTF-8", "-D", folder.string()});
    template_ = folder;
  });
  return template_;
}

std::string Workshop::program(const std::string& name) const { return (programs_ / name).string(); }

std::string Workshop::extension_settings() const {
  const std::string stage = variable("PGCOORD_STAGE", "");
  if (stage.empty()) return "";
  const std::string config = program("pg_config");
  const std::string libraries = trimmed(run({config, "--pkglibdir"}));
  const std::string shared = trimmed(run({config, "--sharedir"}));
  const int major = std::stoi(run({config, "--version"}).substr(sizeof "PostgreSQL"));
  const std::string files = major >= 18 ? "extension_control_path = '" + stage + shared + ":$system'\n"
                                        : "extension_destdir = '" + stage + "'\n";
  return files + "dynamic_library_path = '" + stage + libraries + ":" + libraries + "'\n";
}

}  // namespace pgcoord::test
