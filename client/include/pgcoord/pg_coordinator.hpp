#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "pgcoord/export.hpp"
#include "pgcoord/pg_leader_elector.hpp"
#include "pgcoord/session.hpp"
#include "pgcoord/work_redistribution_coordinator.hpp"

namespace pgcoord {

/// The members of a session's group: who lives, who leaves, who takes over what. A
/// WorkRedistributionCoordinator that is fed from the registry; the group's notifications only say when to
/// read it. After each gap everything is read again, and what changed meanwhile is told.
///
/// While the session is not connected the picture is the last one: peers then count as stale when their time
/// is over by this machine's steady clock, but nobody is reported until the registry has been read again.
///
/// Callbacks run on the session's callback thread (in the event loop, with Pump::event_loop), one after
/// another; they may throw (`on_callback_error`), remove themselves, and call anything here. Any thread may
/// call anything; calls that take a timeout wait for the server at most that long and throw Error.
///
/// Not promised: that an orphan is taken by one survivor only. Ownership of a subscription is an election:
/// campaign for it, fence with its token, resign it when drained.
class PGCOORD_EXPORT PgCoordinator {
 public:
  using Timeout = std::chrono::milliseconds;

  /// `elector`, if any, is the role that may assign work; it must be of this session (else Error 22023) and
  /// outlive this object. An observer session may watch, and remove peers if its role may.
  explicit PgCoordinator(Session& session, PgLeaderElector* elector = nullptr);
  PgCoordinator(const PgCoordinator&) = delete;
  PgCoordinator& operator=(const PgCoordinator&) = delete;
  /// A callback that runs on another thread meanwhile may end later.
  ~PgCoordinator();

  /// Begins. Callbacks that are registered before hear everything from the first reading on. Again: nothing.
  void watch();
  /// Until the group has been read once; false if it is not within `timeout`.
  bool wait_until_read(Timeout timeout) const;

  [[nodiscard]] std::map<std::string, PeerInfo> known_peers() const;
  [[nodiscard]] std::optional<PeerStatus> peer_status(std::string_view instance_id) const;
  [[nodiscard]] std::size_t healthy_peer_count() const;
  [[nodiscard]] std::vector<PeerInfo> draining_peers() const;
  /// By peer; a report, no claim.
  [[nodiscard]] std::map<std::string, OrphanedSubscriptions> orphaned_subscriptions() const;

  /// What this instance runs: told to the peers at once, and no orphan any more.
  void set_subscriptions(std::vector<std::string> subscriptions);

  /// Announces that this instance stops; resigns nothing. The notice stands, and is announced again after a
  /// reconnect with the time that is left, also if this throws because there was no answer in time; only a
  /// refusal takes it back (22023: a timeout outside 0 s to 1 day, a negative count, metadata that is no
  /// object). A newer one replaces it. Its times are the server's.
  ShutdownNotification announce_shutdown(ShutdownIntent intent,
                                         Duration drain_timeout = std::chrono::seconds(30),
                                         int in_flight_count = 0,
                                         nlohmann::json metadata = nlohmann::json::object(),
                                         Timeout timeout = std::chrono::seconds(10));
  [[nodiscard]] bool is_shutting_down() const;
  [[nodiscard]] std::optional<ShutdownNotification> shutdown_notification() const;
  /// When it is over, on BootClock.
  [[nodiscard]] std::optional<Instant> shutdown_deadline() const;

  /// Tells a healthy peer (or this instance) to take work, fenced by the elector's token. The lead is proved
  /// first. Throws Error: PC005 without a lead, PC002 if its term ended meanwhile, PC001 if the target is not
  /// healthy. After 57014 or 08006 it may have been assigned all the same. `assigned_at` is by our clock.
  WorkAssignment assign(const std::string& instance_id, std::vector<std::string> subscriptions,
                        std::int32_t priority = 0, Timeout timeout = std::chrono::seconds(10));
  /// Forgets a peer, in the registry and here. False if neither knew it; PC003 if it is alive.
  bool remove_peer(const std::string& instance_id, Timeout timeout = std::chrono::seconds(10));
  /// Resigns the elector's role. True only if the server says that this session led and handed it over; an
  /// error goes to `on_callback_error`.
  bool initiate_leadership_handoff(Timeout timeout = std::chrono::seconds(10));

  CallbackId on_peer_shutdown(PeerShutdownCallback callback);
  /// A new peer, one that is heard again, and each change of what one tells.
  CallbackId on_heartbeat(HeartbeatCallback callback);
  /// Once for each silence, and for each end of a session without a notice.
  CallbackId on_peer_timeout(PeerTimeoutCallback callback);
  CallbackId on_peer_removed(PeerRemovedCallback callback);
  CallbackId on_work_assignment(WorkAssignmentCallback callback);
  CallbackId on_orphans(OrphansCallback callback);
  /// Somebody else announced our shutdown (`coord.drain()`): drain, then close the session.
  CallbackId on_drain_requested(PeerShutdownCallback callback);
  /// Each: false if there is no such registration (any more).
  bool remove_peer_shutdown_callback(CallbackId id);
  bool remove_heartbeat_callback(CallbackId id);
  bool remove_peer_timeout_callback(CallbackId id);
  bool remove_peer_removed_callback(CallbackId id);
  bool remove_work_assignment_callback(CallbackId id);
  bool remove_orphans_callback(CallbackId id);
  bool remove_drain_requested_callback(CallbackId id);

 private:
  class State;
  std::shared_ptr<State> state_;
};

}  // namespace pgcoord
