#include <cstdio>
#include <exception>
#include <stdexcept>
#include <string>
#include <vector>

#include "figure.hpp"
#include "pgcoord/pg_lock_manager.hpp"
#include "support/server.hpp"

// How many connections a program needs for a hundred locks.

namespace pgcoord::bench {
namespace {

constexpr int locks = 100;

double number(test::Connection& connection, const std::string& what) {
  return std::stod(connection
                       .value("SELECT count(*) FROM " + what +
                              " JOIN pg_stat_activity USING (pid) WHERE application_name = 'bench'")
                       .value());
}

void measure(const std::string& conninfo) {
  LockOptions options;
  options.conninfo = conninfo;
  options.application_name = "bench";
  PgLockManager manager{options};
  std::vector<LockGuard> guards;
  for (int i = 0; i < locks; ++i) guards.push_back(manager.acquire("tenant " + std::to_string(i)));
  test::Connection observer{conninfo};
  if (number(observer, "(SELECT pid FROM pg_locks WHERE locktype = 'advisory') l") < locks)
    throw std::runtime_error{"not all of the locks are held"};
  print({"connections that hold 100 locks", "", number(observer, "(SELECT pid FROM pg_stat_activity) p"), 0,
         Target::value_at_most, 1});
}

}  // namespace
}  // namespace pgcoord::bench

int main() try {
  pgcoord::test::Server server;
  server.install();
  pgcoord::bench::measure(server.conninfo());
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
