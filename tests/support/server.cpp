#include "server.hpp"

#include <signal.h>

#include <fstream>
#include <sstream>
#include <stdexcept>

#include "port.hpp"
#include "process.hpp"
#include "wait.hpp"
#include "workshop.hpp"

namespace pgcoord::test {
namespace {

std::string text_of(const std::filesystem::path& file) {
  std::ifstream stream{file};
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

std::string mode_name(Server::Mode mode) {
  return mode == Server::Mode::smart ? "smart" : mode == Server::Mode::fast ? "fast" : "immediate";
}

pid_t parent_of(pid_t pid) {
  const std::string stat = text_of("/proc/" + std::to_string(pid) + "/stat");
  const std::size_t name_end = stat.rfind(')');
  if (name_end == std::string::npos) return -1;
  std::istringstream fields{stat.substr(name_end + 1)};
  char state = 0;
  pid_t parent = -1;
  fields >> state >> parent;
  return parent;
}

}  // namespace

Server::Server(const Settings& settings) : folder_{Workshop::instance().new_folder("server")} {
  run({"cp", "-a", Workshop::instance().cluster_template().string(), data()});
  configure({basic_settings()});
  configure(settings);
  start_on_free_port();
}

Server::Server(CopyOf source, const Settings& settings) : folder_{Workshop::instance().new_folder("server")} {
  run({Workshop::instance().program("pg_basebackup"), "-D", data(), "-R", "-X", "stream", "-c", "fast",
       "--no-sync", "-d", source.primary.conninfo()});
  configure({basic_settings()});
  configure(settings);
  start_on_free_port();
}

Server::~Server() {
  try {
    if (running()) stop(Mode::immediate);
    std::filesystem::remove_all(folder_);
  } catch (const std::exception&) {
    // the Workshop's guardian tries again when this process ends
  }
}

std::string Server::basic_settings() const {
  return "listen_addresses = '127.0.0.1'\nunix_socket_directories = '" + folder_.string() +
         "'\nshared_buffers = 16MB\nfsync = on\nlog_line_prefix = '%m [%p] '\nwal_level = replica\n" +
         Workshop::instance().extension_settings();
}

void Server::start_on_free_port() {
  for (int tries = 1;; ++tries) {
    port_ = free_port();
    configure({"port = " + std::to_string(port_)});
    try {
      return start();
    } catch (const std::runtime_error& error) {
      if (tries == 3) throw std::runtime_error{error.what() + log()};
    }
  }
}

std::string Server::conninfo(const std::string& dbname) const {
  return "host=127.0.0.1 port=" + std::to_string(port_) + " user=postgres dbname='" + dbname + "'";
}

std::string Server::socket_conninfo(const std::string& dbname) const {
  return "host='" + folder_.string() + "' port=" + std::to_string(port_) + " user=postgres dbname='" +
         dbname + "'";
}

void Server::install(const std::string& dbname) {
  if (dbname != "postgres") {
    Connection root = connect();
    if (root.exec("SELECT FROM pg_database WHERE datname = $1", {dbname}).empty())
      root.exec("CREATE DATABASE \"" + dbname + "\"");
  }
  connect(dbname).exec("CREATE EXTENSION pg_coord");
}

void Server::configure(const Settings& settings) {
  std::ofstream file{data() + "/postgresql.conf", std::ios::app};
  for (const std::string& line : settings) file << line << "\n";
}

void Server::control(const std::vector<std::string>& arguments) const {
  std::vector<std::string> argv{Workshop::instance().program("pg_ctl"), "-D", data(), "-t", "60"};
  argv.insert(argv.end(), arguments.begin(), arguments.end());
  run(argv, std::chrono::seconds{70});
}

void Server::reload() { control({"reload"}); }
void Server::start() { control({"-w", "-l", (folder_ / "log").string(), "start"}); }
void Server::stop(Mode mode) { control({"-w", "-m", mode_name(mode), "stop"}); }
void Server::promote() { control({"-w", "promote"}); }

void Server::restart(Mode mode) {
  stop(mode);
  start();
}

pid_t Server::pid() const {
  std::istringstream file{text_of(data() + "/postmaster.pid")};
  pid_t pid = 0;
  if (!(file >> pid)) throw std::runtime_error{"the server does not run"};
  return pid;
}

bool Server::running() const {
  std::istringstream file{text_of(data() + "/postmaster.pid")};
  pid_t pid = 0;
  return (file >> pid) && process_alive(pid);
}

void Server::kill_backend(pid_t pid) { signal(pid, SIGKILL); }

void Server::signal(pid_t process, int number) {
  if (process != pid() && parent_of(process) != pid())
    throw std::runtime_error{"not a process of this server"};
  ::kill(process, number);
}

void Server::wait_ready(std::chrono::milliseconds bound) const {
  const auto opens = [this] {
    try {
      return connect().value("SELECT 1") == "1";
    } catch (const SqlError&) {
      return false;
    }
  };
  if (!wait_until(opens, bound)) throw std::runtime_error{"the server did not come back\n" + log()};
}

std::unique_ptr<Server> Server::add_standby(const Settings& settings) {
  return std::unique_ptr<Server>{new Server{CopyOf{*this}, settings}};
}

void Server::wait_replayed(const Server& standby, std::chrono::milliseconds bound) const {
  Connection here = connect();
  here.exec("SELECT pg_logical_emit_message(true, 'test', '')");  // its commit writes out all before it
  const std::string target = here.value("SELECT pg_current_wal_flush_lsn()").value();
  Connection there = standby.connect();
  const auto arrived = [&] {
    return there.value("SELECT pg_last_wal_replay_lsn() >= $1::pg_lsn", {target}) == "t";
  };
  if (!wait_until(arrived, bound)) throw std::runtime_error{"the standby did not catch up\n" + standby.log()};
}

std::string Server::log() const { return text_of(folder_ / "log"); }

}  // namespace pgcoord::test
