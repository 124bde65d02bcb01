// pgcoord_chaos_member PORTS NAME FILE SEED: leads two elections when it can, writes under its terms, locks,
// and says in FILE what it saw. SIGTERM makes it drain and leave.
#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <functional>
#include <iostream>
#include <map>
#include <memory>
#include <random>
#include <sstream>
#include <thread>

#include "chaos/record.hpp"
#include "pgcoord/pgcoord.hpp"
#include "support/connection.hpp"

namespace pgcoord::chaos {
namespace {

using namespace std::chrono_literals;
using test::Connection;
using test::SqlError;

/// A line is one write(), so that it is there whole if this process is killed after it.
class Diary {
 public:
  explicit Diary(const char* file) : file_(::open(file, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644)) {}
  void write(Record record) const {
    record.process = ::getpid();
    const auto line = nlohmann::json(record).dump() + "\n";
    if (::write(file_, line.data(), line.size()) != static_cast<ssize_t>(line.size())) std::abort();
  }

 private:
  int file_;
};

std::minstd_rand seeded(const std::string& text) {
  std::seed_seq sequence(text.begin(), text.end());
  return std::minstd_rand(sequence);
}

class Member {
 public:
  Member(std::vector<std::string> ports, std::string name, const char* file, const std::string& seed)
      : ports_(std::move(ports)),
        name_(std::move(name)),
        diary_(file),
        writes_(seeded(seed + " writes")),
        locks_made_(seeded(seed + " locks")),
        session_(session_options()),
        locks_(lock_options()) {
    for (const auto* election : {"red", "blue"}) {
      electors_.emplace(election, std::make_unique<PgLeaderElector>(session_, election));
    }
    group_ = std::make_unique<PgCoordinator>(session_, electors_.at("red").get());
    group_->watch();
    for (const auto& [election, elector] : electors_) elector->campaign();
  }

  void run() {
    const DrainGuard guard;
    {
      const std::jthread sampler([this](const std::stop_token& stop) { sample(stop); });
      const std::jthread writer([this](const std::stop_token& stop) { again(stop, [&] { write(stop); }); });
      const std::jthread locker([this](const std::stop_token& stop) { again(stop, [&] { lock(stop); }); });
      while (!guard.wait(100ms)) {
      }
    }
    DrainOptions options;
    options.timeout = 2s;
    drain(session_, *group_, options, [](auto) { return true; });
  }

 private:
  std::string conninfo() const {
    std::string hosts;
    std::string ports;
    for (const auto& port : ports_) {
      hosts += (hosts.empty() ? "" : ",") + std::string("127.0.0.1");
      ports += (ports.empty() ? "" : ",") + port;
    }
    return "user=postgres dbname=postgres host=" + hosts + " port=" + ports;
  }
  SessionOptions session_options() const {
    SessionOptions options;
    options.conninfo = conninfo();
    options.instance_id = name_;
    options.heartbeat_timeout = 2s;
    options.connect_timeout = 2s;
    options.reconnect_max = 500ms;
    return options;
  }
  LockOptions lock_options() const {
    LockOptions options;
    options.conninfo = conninfo();
    options.holder_id = name_;
    options.connect_timeout = 2s;
    options.answer_timeout = 1s;
    options.check_interval = 200ms;
    return options;
  }
  Record record(const std::string& kind, const std::string& what) const {
    return {kind, what, name_, 0, 0, 0, 0, 0, {}};
  }

  /// What is_leader() says, all the time.
  void sample(const std::stop_token& stop) {
    std::map<std::string, Record> claims;
    while (!stop.stop_requested()) {
      for (const auto& [election, elector] : electors_) {
        const auto before = now();
        const auto token = elector->token();
        auto& claim = claims[election];
        const auto seen = token && elector->is_leader() && elector->token() == token ? token->value : 0;
        if (claim.token != 0 && (seen != claim.token || before - claim.from > 100'000'000)) {
          diary_.write(claim);
          claim.token = 0;
        }
        if (seen == 0) continue;
        if (claim.token == 0) claim = record("claim", election), claim.token = seen, claim.from = now();
        claim.until = before;
      }
      std::this_thread::sleep_for(2ms);
    }
  }

  /// A connection of its own each time one breaks.
  void again(const std::stop_token& stop, const std::function<void()>& work) const {
    while (!stop.stop_requested()) {
      try {
        work();
      } catch (const std::exception&) {
        std::this_thread::sleep_for(100ms);
      }
    }
  }

  void write(const std::stop_token& stop) {
    // One after the other by ourselves: libpq does not go on to the next host when a server closes.
    const auto& port = ports_[++writers_ % ports_.size()];
    Connection connection("user=postgres dbname=postgres host=127.0.0.1 connect_timeout=2 port=" + port);
    while (!stop.stop_requested() && connection.value("SELECT pg_is_in_recovery()") == "f") {
      for (const auto& [election, elector] : electors_) {
        if (const auto token = elector->token()) write_once(connection, election, token->value);
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(writes_() % 20));
    }
  }

  void write_once(Connection& connection, const std::string& election, std::int64_t token) {
    static constexpr std::array levels{"READ COMMITTED", "REPEATABLE READ", "SERIALIZABLE"};
    auto write = record("write", election);
    write.token = token;
    write.number = (static_cast<std::int64_t>(::getpid()) << 32) + ++written_;
    write.from = now();
    write.outcome = "refused";
    try {
      connection.exec(std::string("BEGIN ISOLATION LEVEL ") + levels.at(writes_() % 3), {}, 3s);
      connection.exec("SELECT coord.fence($1, $2)", {election, std::to_string(token)}, 3s);
      // Long enough now and then for somebody else to take over.
      if (writes_() % 8 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(writes_() % 400));
      connection.exec("INSERT INTO chaos_row (number, election, token, who) VALUES ($1, $2, $3, $4)",
                      {std::to_string(write.number), election, std::to_string(token), name_}, 3s);
      write.outcome = "unknown";
      connection.exec("COMMIT", {}, 3s);
      write.outcome = "committed";
      finish(write);
    } catch (const SqlError& error) {
      // An answer, and not the loss of one, to COMMIT.
      if (error.sqlstate().rfind("08", 0) != 0 && error.sqlstate().rfind("57", 0) != 0)
        write.outcome = "refused";
      finish(write);
      connection.exec("ROLLBACK", {}, 3s);
    } catch (const std::exception&) {
      finish(write);
      throw;
    }
  }
  void finish(Record& write) const {
    write.until = now();
    diary_.write(write);
  }

  void lock(const std::stop_token& stop) {
    while (!stop.stop_requested()) {
      const auto key = "key " + std::to_string(locks_made_() % 3);
      auto lock = record("lock", key);
      auto guard =
          locks_made_() % 2 ? std::optional(locks_.acquire(key, 300ms, stop)) : locks_.try_acquire(key);
      if (!guard) continue;
      lock.from = now();
      lock.number = ++locked_;
      diary_.write(lock);
      std::this_thread::sleep_for(std::chrono::milliseconds(locks_made_() % 40));
      lock.until = now();
      if (!guard->is_held()) lock.until = lock.from;  // lost, who knows when
      guard->release();
      diary_.write(lock);
    }
  }

  const std::vector<std::string> ports_;
  const std::string name_;
  const Diary diary_;
  std::size_t writers_ = 0;
  std::int64_t written_ = 0;
  std::int64_t locked_ = 0;
  std::minstd_rand writes_;
  std::minstd_rand locks_made_;
  Session session_;
  std::map<std::string, std::unique_ptr<PgLeaderElector>> electors_;
  std::unique_ptr<PgCoordinator> group_;
  PgLockManager locks_;
};

}  // namespace
}  // namespace pgcoord::chaos

int main(int argc, char** argv) {
  if (argc != 5) return 64;
  try {
    std::vector<std::string> ports;
    std::istringstream list(argv[1]);
    for (std::string port; std::getline(list, port, ',');) ports.push_back(port);
    pgcoord::chaos::Member(ports, argv[2], argv[3], argv[4]).run();
    return 0;
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
}
