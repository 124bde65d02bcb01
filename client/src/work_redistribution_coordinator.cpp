#include "pgcoord/work_redistribution_coordinator.hpp"

#include <cmath>

#include "coordinator_impl.hpp"
#include "names.hpp"
#include "pgcoord/error.hpp"
#include "report.hpp"

namespace pgcoord {

namespace {

void require(bool sound, const char* problem) {
  if (!sound) throw Error(sqlstate::bad_argument, problem);
}

CoordinatorOptions checked(CoordinatorOptions options) {
  require(options.heartbeat_timeout > Duration::zero(), "heartbeat timeout is not positive");
  require(options.peer_retention > Duration::zero(), "peer retention is not positive");
  require(options.clocks.wall && options.clocks.monotonic, "missing clock");
  return options;
}

}  // namespace

UtcTime Clocks::real_wall() {
  return std::chrono::floor<std::chrono::microseconds>(std::chrono::system_clock::now());
}

WorkRedistributionCoordinator::WorkRedistributionCoordinator(std::string instance_id, LeaderElector* elector,
                                                             CoordinatorOptions options)
    : impl_(std::make_unique<Impl>(std::move(instance_id), elector, checked(std::move(options)))) {
  detail::check_name("instance_id", impl_->instance_id);
}

WorkRedistributionCoordinator::~WorkRedistributionCoordinator() = default;

const std::string& WorkRedistributionCoordinator::instance_id() const noexcept { return impl_->instance_id; }

void WorkRedistributionCoordinator::set_incarnation(std::optional<std::int64_t> incarnation) {
  const std::lock_guard lock(impl_->mutex);
  if (impl_->incarnation == incarnation) return;
  impl_->incarnation = incarnation;
  impl_->seen_assignments.clear();
  impl_->last_conflict.reset();
}

void WorkRedistributionCoordinator::set_own_subscriptions(std::vector<std::string> subscriptions) {
  const std::lock_guard lock(impl_->mutex);
  impl_->own_subscriptions = std::move(subscriptions);
  impl_->update_held_here();
}

bool WorkRedistributionCoordinator::is_shutting_down() const {
  const std::lock_guard lock(impl_->mutex);
  return impl_->own_notice.has_value();
}

std::optional<ShutdownNotification> WorkRedistributionCoordinator::shutdown_notification() const {
  const std::lock_guard lock(impl_->mutex);
  return impl_->own_notice;
}

void WorkRedistributionCoordinator::set_shutdown_notification(std::optional<ShutdownNotification> notice) {
  const std::lock_guard lock(impl_->mutex);
  impl_->own_notice = std::move(notice);
  impl_->update_held_here();
}

ShutdownNotification WorkRedistributionCoordinator::create_shutdown_notification(
    ShutdownIntent intent, std::vector<std::string> subscriptions, std::int32_t in_flight_count,
    Duration drain_timeout, nlohmann::json metadata) {
  require(in_flight_count >= 0, "in-flight count is negative");
  if (metadata.is_null()) metadata = nlohmann::json::object();
  require(metadata.is_object(), "shutdown metadata is not a JSON object");
  ShutdownNotification notice;
  notice.instance_id = impl_->instance_id;
  notice.intent = intent;
  notice.initiated_at = impl_->options.clocks.wall();
  notice.expected_completion_at =
      notice.initiated_at + std::chrono::floor<std::chrono::microseconds>(drain_timeout);
  notice.subscriptions = std::move(subscriptions);
  notice.in_flight_count = in_flight_count;
  notice.metadata = std::move(metadata);
  const std::lock_guard lock(impl_->mutex);
  notice.incarnation = impl_->incarnation;
  impl_->own_notice = notice;
  impl_->update_held_here();
  return notice;
}

HeartbeatMessage WorkRedistributionCoordinator::create_heartbeat(std::vector<std::string> subscriptions,
                                                                 std::int32_t in_flight_count,
                                                                 double load_factor) {
  require(in_flight_count >= 0, "in-flight count is negative");
  require(std::isfinite(load_factor), "load factor is not finite");
  HeartbeatMessage heartbeat;
  heartbeat.instance_id = impl_->instance_id;
  heartbeat.timestamp = impl_->options.clocks.wall();
  heartbeat.subscriptions = std::move(subscriptions);
  heartbeat.in_flight_count = in_flight_count;
  heartbeat.is_leader = impl_->elector && impl_->elector->is_leader();
  heartbeat.load_factor = load_factor;
  const std::lock_guard lock(impl_->mutex);
  heartbeat.incarnation = impl_->incarnation;
  impl_->own_subscriptions = heartbeat.subscriptions;
  impl_->update_held_here();
  return heartbeat;
}

WorkAssignment WorkRedistributionCoordinator::create_work_assignment(std::string target_instance_id,
                                                                     std::vector<std::string> subscriptions,
                                                                     std::int32_t priority) {
  detail::check_name("target_instance_id", target_instance_id);
  require(!subscriptions.empty(), "an assignment of no subscriptions");
  if (!pgcoord::verify_leadership_lease(impl_->elector, impl_->options.on_error))
    throw Error(sqlstate::not_leader, "instance \"" + impl_->instance_id + "\" cannot issue work assignments",
                "It does not lead, or could not prove it.");
  WorkAssignment assignment;
  assignment.target_instance_id = std::move(target_instance_id);
  assignment.subscriptions = std::move(subscriptions);
  assignment.source_instance_id = impl_->instance_id;
  assignment.assigned_at = impl_->options.clocks.wall();
  assignment.priority = priority;
  const std::lock_guard lock(impl_->mutex);
  const bool to_itself = assignment.target_instance_id == impl_->instance_id;
  const auto* target = to_itself ? nullptr : impl_->table.find(assignment.target_instance_id);
  if (target) assignment.target_incarnation = target->incarnation;
  if (to_itself) assignment.target_incarnation = impl_->incarnation;
  return assignment;
}

bool WorkRedistributionCoordinator::verify_leadership_lease() {
  return impl_->elector && pgcoord::verify_leadership_lease(impl_->elector, impl_->options.on_error);
}

bool WorkRedistributionCoordinator::initiate_leadership_handoff() {
  if (!verify_leadership_lease()) return false;
  try {
    impl_->elector->release();
    return !impl_->elector->is_leader();
  } catch (...) {
    detail::report_current(impl_->options.on_error);
    return false;
  }
}

}  // namespace pgcoord
