#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "pgcoord/orphaned_subscriptions.hpp"
#include "pgcoord/peer_record.hpp"

namespace pgcoord::detail {

/// What a change of the picture gives to tell.
struct PeerNews {
  std::vector<ShutdownNotification> shutdowns;
  std::vector<HeartbeatMessage> heartbeats;
  std::vector<std::string> timeouts;
  std::vector<std::string> removed;
  std::vector<std::pair<std::string, std::vector<std::string>>> orphans;
};

/// The picture of the peers and every rule about it. No lock, no clock, no callback: the coordinator has
/// those.
class PeerTable {
 public:
  PeerTable(Duration timeout, Duration retention) : timeout_(timeout), retention_(retention) {}

  void set_held_here(const std::vector<std::string>& subscriptions) {
    held_here_ = {subscriptions.begin(), subscriptions.end()};
  }

  /// From a bus. False for what is old or known.
  bool take_notice(const ShutdownNotification& notice, Instant now, PeerNews& news);
  bool take_heartbeat(const HeartbeatMessage& heartbeat, Instant now, PeerNews& news);

  /// From a registry; look() afterwards.
  void take_record(const PeerRecord& record, Instant read_at, Instant now, PeerNews& news);
  void take_missing(std::string_view instance_id, Instant read_at, PeerNews& news);
  /// False if a later reading of the whole was taken already.
  bool begin_full_reading(Instant read_at);
  void end_full_reading(const std::set<std::string, std::less<>>& listed, Instant read_at, PeerNews& news);

  /// Finds who fell silent, whose notice ended, who is to be forgotten.
  void look(Instant now, PeerNews& news);
  [[nodiscard]] std::optional<Instant> next_deadline() const;
  bool remove(std::string_view instance_id, PeerNews& news);

  [[nodiscard]] std::map<std::string, PeerInfo> all() const;
  [[nodiscard]] const PeerInfo* find(std::string_view instance_id) const;
  [[nodiscard]] std::vector<PeerInfo> with_status(PeerStatus status, Instant now) const;
  [[nodiscard]] std::map<std::string, OrphanedSubscriptions> orphans(Instant now) const;

 private:
  using Names = std::set<std::string, std::less<>>;

  struct Peer {
    PeerInfo info;
    /// Rises in the order in which peers were first seen.
    std::uint64_t order = 0;
    Instant noticed_at = Instant::min();
    /// The newest reading of a registry that lists it.
    Instant read_at = Instant::min();
    bool listed = false;
    bool silence_told = false;
    /// Which of draining, terminated and stale was found last, and when.
    std::optional<PeerStatus> loss;
    Instant lost_at{};
  };

  Peer& meet(std::string_view instance_id);
  void begin_life(Peer& peer, std::int64_t incarnation) const;
  bool same_or_newer_life(Peer& peer, std::optional<std::int64_t> incarnation) const;
  void take_recorded_heartbeat(Peer& peer, const PeerRecord& record, Instant read_at, Instant now,
                               PeerNews& news);
  void take_recorded_notice(Peer& peer, const PeerRecord& record, Instant read_at, PeerNews& news);
  void settle(Peer& peer, Instant now, PeerNews& news);
  void forget_long_gone(Instant now, PeerNews& news);
  [[nodiscard]] std::optional<Instant> due(const Peer& peer) const;
  [[nodiscard]] Names held(Instant now) const;
  [[nodiscard]] static std::vector<std::string> left_by(const Peer& peer, const Names& held);

  const Duration timeout_;
  const Duration retention_;
  Names held_here_;
  std::map<std::string, Peer, std::less<>> peers_;
  std::uint64_t seen_ = 0;
  Instant full_reading_at_ = Instant::min();
};

/// `time` + `span`, or the end of time.
[[nodiscard]] Instant later(Instant time, Duration span);

}  // namespace pgcoord::detail
