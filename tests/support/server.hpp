#pragma once

#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "connection.hpp"

namespace pgcoord::test {

/// A private PostgreSQL in a fresh temporary folder, on a free port of 127.0.0.1 and a Unix socket in that
/// folder, without passwords, superuser "postgres". Reads PGCOORD_PG_BINDIR and PGCOORD_STAGE.
/// The destructor stops it at once and removes the folder; if the process dies first, its Workshop does.
/// Every call is bounded (about a minute) and throws std::runtime_error with PostgreSQL's words when it
/// fails.
class Server {
 public:
  /// smart waits for the clients, fast ends their sessions, immediate crashes on purpose.
  enum class Mode { smart, fast, immediate };
  using Settings = std::vector<std::string>;  ///< lines for postgresql.conf

  /// Makes and starts a cluster.
  explicit Server(const Settings& settings = {});
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;
  ~Server();

  /// By TCP; the port stays the same over restarts.
  std::string conninfo(const std::string& dbname = "postgres") const;
  std::string socket_conninfo(const std::string& dbname = "postgres") const;
  Connection connect(const std::string& dbname = "postgres") const { return Connection{conninfo(dbname)}; }
  int port() const { return port_; }
  const std::filesystem::path& folder() const { return folder_; }

  /// CREATE EXTENSION pg_coord, in a database that is made if it is not there.
  void install(const std::string& dbname = "postgres");
  /// Appends lines to postgresql.conf; they count from the next reload() or restart.
  void configure(const Settings& settings);
  void reload();

  void start();
  void stop(Mode mode = Mode::fast);
  void restart(Mode mode = Mode::fast);
  /// SIGKILL for one backend. The server then restarts all its sessions; wait_ready() waits for that.
  void kill_backend(pid_t pid);
  /// Any signal for any process of this server, say SIGSTOP; throws if the process is not this server's.
  void signal(pid_t pid, int number);
  pid_t pid() const;  ///< of the postmaster; throws when the server does not run
  bool running() const;
  /// Until a session can be opened again.
  void wait_ready(std::chrono::milliseconds bound = std::chrono::seconds{30}) const;

  /// A streaming copy of this server, started, read-only until it is promoted.
  std::unique_ptr<Server> add_standby(const Settings& settings = {});
  /// Waits until that standby has replayed what this server has written until now.
  void wait_replayed(const Server& standby, std::chrono::milliseconds bound = std::chrono::seconds{30}) const;
  void promote();

  std::string log() const;

 private:
  struct CopyOf {
    const Server& primary;
  };
  Server(CopyOf source, const Settings& settings);

  std::string data() const { return (folder_ / "data").string(); }
  void control(const std::vector<std::string>& arguments) const;
  void start_on_free_port();
  std::string basic_settings() const;

  std::filesystem::path folder_;
  int port_ = 0;
};

}  // namespace pgcoord::test
