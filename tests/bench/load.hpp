#pragma once

#include <sys/mman.h>

#include <atomic>
#include <cstdint>
#include <new>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "candidate.hpp"
#include "support/connection.hpp"
#include "support/wait.hpp"

namespace pgcoord::bench {

/// Clients, in a process of their own, that commit fenced writes on one election while it is on. Each takes
/// the current token from coord.leader(), and takes it anew when it is fenced off. Needs a table
/// load (id, n) with a row for each client.
class Load {
 public:
  Load(const std::string& conninfo, const std::string& election, int clients)
      : process_{"load", [this, conninfo, election, clients](const std::string&, const Reporter& reporter) {
                   run_clients(conninfo, election, clients, reporter);
                 }} {
    process_.wait(Report::Kind::waiting);
  }
  ~Load() {
    process_.kill();
    munmap(shared_, sizeof(Shared));
  }
  Load(const Load&) = delete;
  Load& operator=(const Load&) = delete;

  void on() { shared_->on = true; }
  /// Returns when no client is in a transaction any more.
  void off() {
    shared_->on = false;
    require([this] { return shared_->busy == 0; });
  }
  /// Waits until writes commit.
  void flow() {
    const std::int64_t before = commits();
    require([&] { return commits() > before + 20; });
  }
  std::int64_t commits() const { return shared_->commits; }
  std::int64_t fenced_off() const { return shared_->fenced_off; }

 private:
  /// Lies in memory that both processes see.
  struct Shared {
    std::atomic<bool> on{false};
    std::atomic<int> busy{0};
    std::atomic<std::int64_t> commits{0};
    std::atomic<std::int64_t> fenced_off{0};
  };

  static Shared* new_shared() {
    void* const memory =
        mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) throw std::runtime_error{"no shared memory"};
    return new (memory) Shared;
  }

  template <typename Condition>
  static void require(Condition condition) {
    if (!test::wait_until(condition)) throw std::runtime_error{"the load does not do what it should"};
  }

  void run_clients(const std::string& conninfo, const std::string& election, int clients,
                   const Reporter& reporter) const {
    std::vector<std::thread> threads;
    for (int id = 1; id <= clients; ++id)
      threads.emplace_back([=, this] { be_client(conninfo, election, std::to_string(id)); });
    reporter.say(Report::Kind::waiting);
    for (std::thread& thread : threads) thread.join();
  }

  // An error that is not expected ends the process, and so the load: flow() notices.
  void be_client(const std::string& conninfo, const std::string& election, const std::string& id) const {
    test::Connection connection{conninfo};
    for (;;) {
      if (shared_->on) {
        ++shared_->busy;
        write_under_one_term(connection, election, id);
        --shared_->busy;
      }
      std::this_thread::sleep_for(std::chrono::milliseconds{1});
    }
  }

  void write_under_one_term(test::Connection& connection, const std::string& election,
                            const std::string& id) const {
    const test::Rows leader = connection.exec("SELECT token FROM coord.leader($1)", {election});
    try {
      while (shared_->on && !leader.empty()) {
        connection.exec("BEGIN");
        connection.exec("SELECT coord.fence($1, $2)", {election, *leader[0][0]});
        connection.exec("UPDATE load SET n = n + 1 WHERE id = $1", {id});
        connection.exec("COMMIT");
        ++shared_->commits;
      }
    } catch (const test::SqlError& error) {
      if (error.sqlstate() != "PC002") throw;
      ++shared_->fenced_off;
      connection.exec("ROLLBACK");
    }
  }

  Shared* const shared_ = new_shared();
  Candidate process_;
};

}  // namespace pgcoord::bench
