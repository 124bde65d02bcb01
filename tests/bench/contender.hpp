#pragma once

#include <chrono>
#include <string>
#include <utility>

#include "candidate.hpp"
#include "pgcoord/pgcoord.hpp"

namespace pgcoord::bench {

inline constexpr const char* contested = "bench";

inline SessionOptions contender_options(const std::string& conninfo, const std::string& name,
                                        std::chrono::milliseconds timeout) {
  SessionOptions options;
  options.conninfo = conninfo;
  options.instance_id = name;
  options.heartbeat_timeout = timeout;
  return options;
}

/// A candidate for `contested` as programs are: a Session and a PgLeaderElector.
inline Body contender(const std::string& conninfo,
                      std::chrono::milliseconds timeout = std::chrono::seconds{15}) {
  return [conninfo, timeout](const std::string& name, const Reporter& reporter) {
    Session session{contender_options(conninfo, name, timeout)};
    PgLeaderElector elector{session, contested};
    elector.on_event([&name, &reporter, waits = false](const Event& event) mutable {
      if (std::holds_alternative<Elected>(event)) return reporter.say(Report::Kind::leading);
      const auto* changed = std::get_if<LeaderChanged>(&event);
      if (!changed || !changed->leader || *changed->leader == name || std::exchange(waits, true)) return;
      reporter.say(Report::Kind::waiting);
    });
    elector.campaign();
    for (;;) pause();
  };
}

}  // namespace pgcoord::bench
