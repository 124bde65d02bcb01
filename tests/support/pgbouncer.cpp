#include "pgbouncer.hpp"

#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include "port.hpp"
#include "wait.hpp"
#include "workshop.hpp"

namespace pgcoord::test {
namespace {

std::string program() {
  const char* named = std::getenv("PGCOORD_PGBOUNCER");
  return named ? named : "/usr/sbin/pgbouncer";
}

}  // namespace

bool PgBouncer::installed() { return access(program().c_str(), X_OK) == 0; }

PgBouncer::PgBouncer(const Server& server, const std::string& mode, const std::vector<std::string>& settings)
    : folder_{Workshop::instance().new_folder("pgbouncer")}, port_{free_port()} {
  std::ofstream file{folder_ / "ini"};
  file << "[databases]\n* = host=127.0.0.1 port=" << server.port() << " user=postgres\n"
       << "[pgbouncer]\nlisten_addr = 127.0.0.1\nlisten_port = " << port_
       << "\nunix_socket_dir =\nauth_type = any\npool_mode = " << mode
       << "\nlogfile = " << (folder_ / "log").string() << "\n";
  for (const std::string& line : settings) file << line << "\n";
  file.close();
  process_ = std::make_unique<Child>(std::vector<std::string>{program(), "-q", (folder_ / "ini").string()});
  const auto opens = [this] {
    try {
      return connect().value("SELECT 1") == "1";
    } catch (const SqlError&) {
      return false;
    }
  };
  if (!wait_until(opens)) throw std::runtime_error{"pgbouncer did not start\n" + log() + process_->err()};
}

PgBouncer::~PgBouncer() {
  process_->kill(SIGTERM);
  if (!process_->wait(std::chrono::seconds{5})) process_->kill(SIGKILL);
}

std::string PgBouncer::conninfo(const std::string& dbname) const {
  return "host=127.0.0.1 port=" + std::to_string(port_) + " user=postgres dbname='" + dbname + "'";
}

std::string PgBouncer::log() const {
  std::ifstream stream{folder_ / "log"};
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

}  // namespace pgcoord::test
