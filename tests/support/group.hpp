#pragma once

#include <algorithm>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "pgcoord/pgcoord.hpp"
#include "support/fault_test.hpp"
#include "support/wait.hpp"

namespace pgcoord::test {

/// What a coordinator's callbacks heard. One that still runs may end later than this, so they share the
/// lines.
class Heard {
 public:
  explicit Heard(PgCoordinator& coordinator) {
    const auto line = [lines = lines_](const std::string& text) { lines->add(text); };
    coordinator.on_peer_shutdown([line](const auto& notice) { line("shutdown " + notice.instance_id); });
    coordinator.on_heartbeat([line](const auto& heartbeat) { line("heartbeat " + heartbeat.instance_id); });
    coordinator.on_peer_timeout([line](const auto& id) { line("timeout " + id); });
    coordinator.on_peer_removed([line](const auto& id) { line("removed " + id); });
    coordinator.on_orphans(
        [line](const auto& id, const auto& list) { line("orphans " + id + joined(list)); });
    coordinator.on_work_assignment([line](const auto& work) { line("work" + joined(work.subscriptions)); });
    coordinator.on_drain_requested(
        [line](const auto& notice) { line("drain " + std::string(to_string(notice.intent))); });
  }

  int count(const std::string& line) const {
    const std::lock_guard lock(lines_->mutex);
    return static_cast<int>(std::count(lines_->all.begin(), lines_->all.end(), line));
  }
  bool hears(const std::string& line, std::chrono::milliseconds bound = std::chrono::seconds{10}) const {
    const bool heard = wait_until([&] { return count(line) > 0; }, bound);
    EXPECT_TRUE(heard) << line << " was not heard, but: " << all();
    return heard;
  }
  std::string all() const {
    const std::lock_guard lock(lines_->mutex);
    std::string text;
    for (const auto& line : lines_->all) text += line + "; ";
    return text;
  }

 private:
  struct Lines {
    void add(const std::string& line) {
      const std::lock_guard lock(mutex);
      all.push_back(line);
    }
    std::mutex mutex;
    std::vector<std::string> all;
  };

  template <typename List>
  static std::string joined(const List& subscriptions) {
    std::string text;
    for (const auto& subscription : subscriptions) text += " " + subscription;
    return text;
  }

  std::shared_ptr<Lines> lines_ = std::make_shared<Lines>();
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
