#pragma once

#include <algorithm>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "pgcoord/pgcoord.hpp"
#include "support/fault_test.hpp"
#include "support/wait.hpp"

namespace pgcoord::test {

/// What a coordinator's callbacks heard.
class Heard {
 public:
  explicit Heard(PgCoordinator& coordinator) {
    coordinator.on_peer_shutdown([this](const auto& notice) { note("shutdown " + notice.instance_id); });
    coordinator.on_heartbeat([this](const auto& heartbeat) { note("heartbeat " + heartbeat.instance_id); });
    coordinator.on_peer_timeout([this](const auto& id) { note("timeout " + id); });
    coordinator.on_peer_removed([this](const auto& id) { note("removed " + id); });
    coordinator.on_orphans([this](const auto& id, const auto& list) {
      std::string line = "orphans " + id;
      for (const auto& subscription : list) line += " " + subscription;
      note(line);
    });
    coordinator.on_work_assignment([this](const auto& work) {
      std::string line = "work";
      for (const auto& subscription : work.subscriptions) line += " " + subscription;
      note(line);
    });
    coordinator.on_drain_requested(
        [this](const auto& notice) { note("drain " + std::string(to_string(notice.intent))); });
  }

  int count(const std::string& line) const {
    const std::lock_guard lock(mutex_);
    return static_cast<int>(std::count(lines_.begin(), lines_.end(), line));
  }
  bool hears(const std::string& line, std::chrono::milliseconds bound = std::chrono::seconds{10}) const {
    const bool heard = wait_until([&] { return count(line) > 0; }, bound);
    EXPECT_TRUE(heard) << line << " was not heard, but: " << all();
    return heard;
  }
  std::string all() const {
    const std::lock_guard lock(mutex_);
    std::string text;
    for (const auto& line : lines_) text += line + "; ";
    return text;
  }

 private:
  void note(const std::string& line) {
    const std::lock_guard lock(mutex_);
    lines_.push_back(line);
  }

  mutable std::mutex mutex_;
  std::vector<std::string> lines_;
};

/// Members of one group on a real server.
class GroupTest : public FaultTest {
 protected:
  SessionOptions options(const std::string& name, std::vector<std::string> subscriptions = {}) const {
    SessionOptions made;
    made.conninfo = server().conninfo(database());
    made.instance_id = name;
    made.subscriptions = std::move(subscriptions);
    made.heartbeat_timeout = std::chrono::seconds(5);
    return made;
  }

  /// One instance: a session, its lead of the election "workers" if it has one, and its view of the others.
  struct Instance {
    explicit Instance(SessionOptions options)
        : session(std::move(options)),
          elector(session, "workers"),
          coordinator(session, &elector),
          heard(coordinator) {
      coordinator.watch();
      session.require_ready(std::chrono::seconds(10));
      EXPECT_TRUE(coordinator.wait_until_read(std::chrono::seconds(10)));
    }
    bool sees(const std::string& id, std::optional<PeerStatus> status,
              std::chrono::milliseconds bound = std::chrono::seconds{10}) const {
      const bool seen = wait_until([&] { return coordinator.peer_status(id) == status; }, bound);
      EXPECT_TRUE(seen) << id << " is "
                        << (coordinator.peer_status(id) ? to_string(*coordinator.peer_status(id))
                                                        : "unknown");
      return seen;
    }
    bool leads() {
      elector.campaign();
      return wait_until([&] { return elector.is_leader(); });
    }

    Session session;
    PgLeaderElector elector;
    PgCoordinator coordinator;
    Heard heard;
  };

  /// What coord.peers says, by instance: incarnation, status and subscriptions.
  static std::map<std::string, std::string> registry(Connection& connection) {
    std::map<std::string, std::string> rows;
    for (const auto& row : connection.exec("SELECT instance_id, incarnation || ' ' || status || ' ' || "
                                           "array_to_string(subscriptions, ' ') FROM coord.peers"))
      rows[row[0].value()] = row[1].value();
    return rows;
  }
  static std::map<std::string, std::string> picture(const PgCoordinator& coordinator) {
    std::map<std::string, std::string> rows;
    for (const auto& [id, peer] : coordinator.known_peers()) {
      std::string line = std::to_string(peer.incarnation.value_or(0)) + " " +
                         std::string(to_string(peer.status(BootClock::now()))) + " ";
      const auto& list = peer.subscriptions();
      for (std::size_t i = 0; i < list.size(); ++i) line += (i > 0 ? " " : "") + list[i];
      rows[id] = line;
    }
    return rows;
  }
};

}  // namespace pgcoord::test
