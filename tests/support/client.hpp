#pragma once

#include <algorithm>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "pgcoord/pgcoord.hpp"
#include "support/server.hpp"
#include "support/wait.hpp"

namespace pgcoord::test {

/// One server with the extension, for tests that neither stop nor configure it.
inline Server& shared_server() {
  static Server server;
  static const bool installed = (server.install(), true);
  static_cast<void>(installed);
  return server;
}

inline SessionOptions options_for(const std::string& name, const Server& server = shared_server()) {
  SessionOptions options;
  options.conninfo = server.conninfo();
  options.instance_id = name;
  options.heartbeat_timeout = std::chrono::seconds(5);
  return options;
}

/// Keeps what a session tells from now on.
class Events {
 public:
  explicit Events(Session& session) {
    session.on_event([store = store_](const Event& event) {
      const std::lock_guard lock(store->mutex);
      store->events.push_back(event);
    });
  }

  template <typename Wanted>
  int count() const {
    const std::lock_guard lock(store_->mutex);
    return static_cast<int>(
        std::count_if(store_->events.begin(), store_->events.end(),
                      [](const Event& event) { return std::holds_alternative<Wanted>(event); }));
  }

  template <typename Wanted>
  std::optional<Wanted> first() const {
    const std::lock_guard lock(store_->mutex);
    for (const auto& event : store_->events) {
      if (const auto* wanted = std::get_if<Wanted>(&event)) return *wanted;
    }
    return std::nullopt;
  }

 private:
  struct Store {
    std::mutex mutex;
    std::vector<Event> events;
  };
  std::shared_ptr<Store> store_ = std::make_shared<Store>();
};

}  // namespace pgcoord::test
