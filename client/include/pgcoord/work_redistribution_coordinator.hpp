#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pgcoord/coordinator_options.hpp"
#include "pgcoord/leader_elector.hpp"
#include "pgcoord/leadership_lease.hpp"
#include "pgcoord/orphaned_subscriptions.hpp"
#include "pgcoord/peer_record.hpp"
#include "pgcoord/work_assignment.hpp"

namespace pgcoord {

using PeerShutdownCallback = std::function<void(const ShutdownNotification&)>;
using HeartbeatCallback = std::function<void(const HeartbeatMessage&)>;
using WorkAssignmentCallback = std::function<void(const WorkAssignment&)>;
using PeerTimeoutCallback = std::function<void(const std::string& instance_id)>;
using PeerRemovedCallback = std::function<void(const std::string& instance_id)>;
using OrphansCallback =
    std::function<void(const std::string& instance_id, const std::vector<std::string>& subscriptions)>;
/// Hears which other life uses this instance's name.
using IdentityConflictCallback = std::function<void(std::int64_t other_incarnation)>;

/// One instance's picture of its peers, and the messages it sends and receives. It does no I/O and has no
/// timers: hand it what a transport or registry says, and call check_peer_timeouts() at next_deadline().
///
/// Peers are judged by when they were heard on this machine's steady clock, never by their wall clocks.
/// Of one peer an older life (incarnation) never replaces a newer one, nor, within a life or without one,
/// an older timestamp a newer: a peer without incarnations whose clock is set back is not heard until it
/// has caught up. A notice ends with a newer life, or, if lives are not known, with a heartbeat that was
/// sent after the notice's end.
///
/// Any thread may call anything. Callbacks run on the calling thread before its call returns, after the
/// change and under no lock; while another thread tells changes of that kind, that one tells these too.
/// They run in registration order, may call anything here, remove themselves, and throw (see
/// CoordinatorOptions::on_error). Changes of different kinds have no order. None may run while this
/// object is destroyed.
class PGCOORD_EXPORT WorkRedistributionCoordinator {
 public:
  /// `elector` may be null and must outlive this object. Throws Error (22023) for a bad name (1 to 200 bytes
  /// without control characters), a timeout or retention that is not positive, a missing clock.
  explicit WorkRedistributionCoordinator(std::string instance_id, LeaderElector* elector = nullptr,
                                         CoordinatorOptions options = {});
  WorkRedistributionCoordinator(const WorkRedistributionCoordinator&) = delete;
  WorkRedistributionCoordinator& operator=(const WorkRedistributionCoordinator&) = delete;
  ~WorkRedistributionCoordinator();

  [[nodiscard]] const std::string& instance_id() const noexcept;
  /// This instance's own life, once known: told apart from others of its name, put into messages. A new
  /// one forgets which assignments were taken.
  void set_incarnation(std::optional<std::int64_t> incarnation);
  /// What this instance runs: no orphans while it is not shutting down. create_heartbeat() sets it too.
  void set_own_subscriptions(std::vector<std::string> subscriptions);

  /// True from the first notice on.
  [[nodiscard]] bool is_shutting_down() const;
  [[nodiscard]] std::optional<ShutdownNotification> shutdown_notification() const;
  /// For a notice that was made elsewhere, or that a new life has left behind (none).
  void set_shutdown_notification(std::optional<ShutdownNotification> notice);

  [[nodiscard]] std::map<std::string, PeerInfo> known_peers() const;
  /// None for one that is not known.
  [[nodiscard]] std::optional<PeerStatus> peer_status(std::string_view instance_id) const;
  [[nodiscard]] std::size_t healthy_peer_count() const;
  /// First seen first.
  [[nodiscard]] std::vector<PeerInfo> draining_peers() const;
  /// By peer: subscriptions of draining, terminated and stale peers that neither a healthy peer nor this
  /// instance lists. A report, no claim: two survivors see the same.
  [[nodiscard]] std::map<std::string, OrphanedSubscriptions> get_orphaned_subscriptions() const;

  /// Makes and keeps the notice; the newest counts. Sends nothing and releases nothing. A timeout of zero
  /// or less is expired at once. Throws Error (22023) for a negative count and metadata that is no object.
  ShutdownNotification create_shutdown_notification(ShutdownIntent intent,
                                                    std::vector<std::string> subscriptions,
                                                    std::int32_t in_flight_count = 0,
                                                    Duration drain_timeout = std::chrono::seconds(30),
                                                    nlohmann::json metadata = nlohmann::json::object());
  /// Asks the elector's is_leader(). Throws Error (22023) for a negative count and a load that is not finite.
  HeartbeatMessage create_heartbeat(std::vector<std::string> subscriptions, std::int32_t in_flight_count = 0,
                                    double load_factor = 0.0);
  /// With an elector, which must prove its lead: else throws Error (PC005). 22023 for an empty list.
  [[nodiscard]] WorkAssignment create_work_assignment(std::string target_instance_id,
                                                      std::vector<std::string> subscriptions,
                                                      std::int32_t priority = 0);

  /// Each: true if it was news and callbacks were told; false for one's own, old, repeated or (assignments)
  /// refused messages.
  bool handle_peer_shutdown(const ShutdownNotification& notice);
  bool handle_heartbeat(const HeartbeatMessage& heartbeat);
  /// Taken if meant for this life of this instance, not seen before (by assignment_id), and not shutting
  /// down.
  bool handle_work_assignment(const WorkAssignment& assignment);
  /// Reads the payload by its topic; false also for a topic that is none of the three. Throws MessageError.
  bool handle_message(std::string_view topic, std::string_view payload);

  /// The whole group as a registry listed it: who is missing is removed. A reading that is older than one
  /// already taken changes nothing. Tells each notice, each change of a heartbeat, each end or silence
  /// without notice once, each removal.
  void handle_registry(const std::vector<PeerRecord>& peers, Instant read_at);
  /// The same for one peer; none: the registry does not list it.
  void handle_peer(const std::string& instance_id, const std::optional<PeerRecord>& peer, Instant read_at);

  /// Tells who fell silent since it was last heard, once, and whose notice ended; forgets who is long gone.
  /// Returns the newly silent, first seen first.
  std::vector<std::string> check_peer_timeouts();
  /// When the next of these is due, on the monotonic clock; may have passed. None: nothing is.
  [[nodiscard]] std::optional<Instant> next_deadline() const;
  /// False if it is not known. A later message makes it known again.
  bool remove_peer(std::string_view instance_id);

  /// False without an elector; else whether it proves its lead and leads.
  [[nodiscard]] bool verify_leadership_lease();
  /// True if the elector led, gave the role up without an error, and does not lead afterwards.
  bool initiate_leadership_handoff();

  CallbackId on_peer_shutdown(PeerShutdownCallback callback);
  CallbackId on_heartbeat(HeartbeatCallback callback);
  CallbackId on_peer_timeout(PeerTimeoutCallback callback);
  CallbackId on_work_assignment(WorkAssignmentCallback callback);
  /// However it was removed.
  CallbackId on_peer_removed(PeerRemovedCallback callback);
  /// Once for each time a peer becomes draining, terminated or stale and leaves something behind.
  CallbackId on_orphans(OrphansCallback callback);
  /// Once for each other life that is heard in a row.
  CallbackId on_identity_conflict(IdentityConflictCallback callback);
  /// Each: false if there is no such registration (any more).
  bool remove_peer_shutdown_callback(CallbackId id);
  bool remove_heartbeat_callback(CallbackId id);
  bool remove_peer_timeout_callback(CallbackId id);
  bool remove_work_assignment_callback(CallbackId id);
  bool remove_peer_removed_callback(CallbackId id);
  bool remove_orphans_callback(CallbackId id);
  bool remove_identity_conflict_callback(CallbackId id);

 private:
  struct Impl;
  const std::unique_ptr<Impl> impl_;
};

}  // namespace pgcoord
