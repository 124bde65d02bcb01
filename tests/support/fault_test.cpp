#include "fault_test.hpp"

#include <regex>
#include <sstream>

#include "process.hpp"
#include "wait.hpp"

namespace pgcoord::test {
namespace {

const std::regex suspicious{
    "PANIC|TRAP:|FATAL|XX000|was terminated by signal|leak|you don't own a lock|Assert"};
const std::regex ordinary{
    "FATAL:  (terminating connection due to administrator command|connection to client lost|"
    "the database system is (starting up|shutting down|in recovery mode|not yet accepting))"};

bool matches_any(const std::string& line, const std::vector<std::string>& patterns) {
  for (const std::string& pattern : patterns)
    if (std::regex_search(line, std::regex{pattern})) return true;
  return false;
}

}  // namespace

std::unique_ptr<Server> FaultTest::server_;

void FaultTest::start_server(const Server::Settings& settings) {
  Server::Settings all{"log_line_prefix = '%m [%p] %e '", "recovery_init_sync_method = syncfs"};
  all.insert(all.end(), settings.begin(), settings.end());
  server_ = std::make_unique<Server>(all);
  server_->install("origin");
}

void FaultTest::SetUp() {
  static int count = 0;
  database_ = "fault" + std::to_string(++count);
  log_begin_ = server().log().size();
  server().connect().exec("CREATE DATABASE " + database_ + " TEMPLATE origin");
}

void FaultTest::TearDown() {
  EXPECT_EQ(faults_of_log(), std::vector<std::string>{});
  if (!journal_) return;
  Connection session = connect();
  EXPECT_EQ(faults_of_journal(session), std::vector<std::string>{});
}

Connection FaultTest::member(const std::string& name, const std::string& timeout) const {
  Connection session = connect();
  join(session, name, timeout);
  return session;
}

Connection FaultTest::listener(const std::string& name, const std::string& timeout) const {
  Connection session = member(name, timeout);
  listen(session);
  return session;
}

std::vector<std::string> FaultTest::faults_of_log() const {
  std::istringstream log{server().log().substr(log_begin_)};
  std::vector<std::string> faults;
  for (std::string line; std::getline(log, line);)
    if (std::regex_search(line, suspicious) && !std::regex_search(line, ordinary) &&
        !matches_any(line, allowed_))
      faults.push_back(line);
  return faults;
}

bool terminate(Connection& by, int pid, std::chrono::milliseconds bound) {
  by.exec("SELECT pg_terminate_backend($1::int)", {std::to_string(pid)});
  return wait_until([pid] { return !process_alive(pid); }, bound);
}

bool waits_for(Connection& by, int pid, const std::string& event) {
  return !by.exec("SELECT FROM pg_stat_activity WHERE pid = $1::int AND wait_event = $2",
                  {std::to_string(pid), event})
              .empty();
}

}  // namespace pgcoord::test
