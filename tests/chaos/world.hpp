#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "chaos/record.hpp"
#include "support/moved_clock.hpp"
#include "support/process.hpp"
#include "support/relay.hpp"
#include "support/server.hpp"

namespace pgcoord::chaos {

/// A server, perhaps with a standby, and members that run as programs of their own, each behind relays of its
/// own. For one thread.
class World {
 public:
  struct Settings {
    int members = 5;
    bool has_standby = false;
    /// Of what the members do.
    unsigned seed = 0;
  };
  explicit World(const Settings& settings);

  /// The one that is written to.
  test::Server& server() { return promoted_ ? *standby_ : primary_; }
  test::Server* standby() { return promoted_ ? nullptr : standby_.get(); }
  test::Connection superuser() { return server().connect(); }

  struct Player {
    std::string name;
    std::vector<std::unique_ptr<test::Relay>> relays;  // by server
    std::unique_ptr<test::Child> child;
    int lives = 0;
  };
  std::vector<Player>& players() { return players_; }
  void start(Player& player);
  test::MovedClock& clock() { return clock_; }

  /// Of the election that changed last; empty if nobody leads it, or if that cannot be read now.
  std::string leader();
  /// The process that sends to the standby; none while it is not connected.
  std::optional<pid_t> wal_sender();
  /// The former primary is gone for good, with writes that were acknowledged and that the standby has not
  /// got.
  void promote();

  /// Told before something is done; the result is its place, for mended().
  std::size_t fault(const std::string& what, const std::string& who = {});
  void mended(std::size_t place) { faults_.at(place).until = now(); }

  /// Whether each election gets a leader who writes, now that everything is mended.
  bool recovers(std::chrono::seconds bound);
  /// Lets the members leave, and puts together what all know. Also in a file, whose name it says.
  History finish();
  /// What members printed, and how they ended, if that was not well.
  std::vector<std::string> complaints() const { return complaints_; }

 private:
  void collect(const std::string& sql, const std::string& kind, History& history);
  std::int64_t wall_offset();
  void end(Player& player);

  const std::filesystem::path folder_;
  const unsigned seed_;
  test::Server primary_;
  std::unique_ptr<test::Server> standby_;
  bool promoted_ = false;
  test::MovedClock clock_;
  std::vector<Player> players_;
  History faults_;
  std::vector<std::string> complaints_;
};

}  // namespace pgcoord::chaos
