#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "registry.hpp"
#include "server.hpp"

namespace pgcoord::test {

/// The ground of tests that break something. One server for each suite, one database with the extension for
/// each test. When a test has ended, the journal of its database must be in order, and the server's log must
/// show no crash, no failed assertion, no internal error, no leak, and no FATAL but that of a session that
/// was terminated.
class FaultTest : public testing::Test {
 public:
  static void SetUpTestSuite() { start_server({}); }
  static void TearDownTestSuite() { server_.reset(); }

 protected:
  static void start_server(const Server::Settings& settings);
  static Server& server() { return *server_; }

  void SetUp() override;
  void TearDown() override;

  const std::string& database() const { return database_; }
  Connection connect() const { return server().connect(database_); }
  Connection member(const std::string& name, const std::string& timeout = "15 s") const;
  /// A member that listens to the group's notices.
  Connection listener(const std::string& name, const std::string& timeout = "15 s") const;

  /// What this test does on purpose; a regular expression for lines of the log.
  void allow_in_log(const std::string& pattern) { allowed_.push_back(pattern); }
  /// For tests that destroy the registry of their database.
  void skip_journal() { journal_ = false; }
  std::vector<std::string> faults_of_log() const;

 private:
  static std::unique_ptr<Server> server_;
  std::string database_;
  std::size_t log_begin_ = 0;
  std::vector<std::string> allowed_;
  bool journal_ = true;
};

/// Ends a session by pg_terminate_backend() and waits until its process is gone; false if it is not within
/// the bound.
bool terminate(Connection& by, int pid, std::chrono::milliseconds bound = std::chrono::seconds{10});

/// Whether that backend waits; `event` is wait_event of pg_stat_activity.
bool waits_for(Connection& by, int pid, const std::string& event);

}  // namespace pgcoord::test
