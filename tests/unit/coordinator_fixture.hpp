#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "pgcoord/in_memory_leader_elector.hpp"
#include "pgcoord/work_redistribution_coordinator.hpp"

namespace pgcoord::test {

using namespace std::chrono_literals;

inline constexpr UtcTime new_year = std::chrono::sys_days(std::chrono::year{2025} / 1 / 1);

/// Both clocks of a coordinator, moved by hand.
struct FakeClocks {
  std::atomic<std::int64_t> wall{0};
  std::atomic<std::int64_t> steady{1'000'000'000'000};

  void advance(Duration by) {
    wall += by.count();
    steady += by.count();
  }
  [[nodiscard]] UtcTime utc() const {
    return new_year + std::chrono::floor<std::chrono::microseconds>(Duration(wall));
  }
  [[nodiscard]] Instant now() const { return Instant(Duration(steady)); }
  [[nodiscard]] Clocks clocks() const {
    return {[this] { return utc(); }, [this] { return now(); }};
  }
};

/// An elector that answers as told.
struct ScriptedElector : LeaderElector {
  bool leads = true;
  bool renews = true;
  bool throws_on_renew = false;
  bool throws_on_release = false;
  bool keeps_on_release = false;
  int renewals = 0;
  int releases = 0;

  [[nodiscard]] std::string identity() const override { return "me"; }
  [[nodiscard]] bool is_leader() const override { return leads; }
  [[nodiscard]] std::optional<std::string> current_leader() const override { return std::nullopt; }
  bool try_acquire(Duration) override { return leads; }
  void release() override {
    ++releases;
    leads = keeps_on_release;
    if (throws_on_release) throw std::runtime_error("unreachable");
  }
  bool renew() override {
    ++renewals;
    if (throws_on_renew) throw std::runtime_error("unreachable");
    return renews && leads;
  }
  CallbackId on_leader_change(LeaderChangeCallback) override { return {}; }
  bool remove_leader_change_callback(CallbackId) override { return false; }
};

/// The coordinator of "me", its clocks, and what its callbacks heard.
struct Coordinator : testing::Test {
  FakeClocks time;
  int errors = 0;
  CoordinatorOptions options = default_options();
  std::unique_ptr<WorkRedistributionCoordinator> me = make();
  std::vector<ShutdownNotification> shutdowns;
  std::vector<HeartbeatMessage> heartbeats;
  std::vector<WorkAssignment> assignments;
  std::vector<std::string> timeouts;
  std::vector<std::string> removed;
  std::vector<std::pair<std::string, std::vector<std::string>>> orphans;
  std::vector<std::int64_t> conflicts;

  CoordinatorOptions default_options() {
    CoordinatorOptions made;
    made.clocks = time.clocks();
    made.on_error = [this](std::exception_ptr) { ++errors; };
    return made;
  }

  std::unique_ptr<WorkRedistributionCoordinator> make(LeaderElector* elector = nullptr) {
    auto made = std::make_unique<WorkRedistributionCoordinator>("me", elector, options);
    made->on_peer_shutdown([this](const auto& notice) { shutdowns.push_back(notice); });
    made->on_heartbeat([this](const auto& heartbeat) { heartbeats.push_back(heartbeat); });
    made->on_work_assignment([this](const auto& assignment) { assignments.push_back(assignment); });
    made->on_peer_timeout([this](const auto& id) { timeouts.push_back(id); });
    made->on_peer_removed([this](const auto& id) { removed.push_back(id); });
    made->on_orphans([this](const auto& id, const auto& left) { orphans.emplace_back(id, left); });
    made->on_identity_conflict([this](auto incarnation) { conflicts.push_back(incarnation); });
    return made;
  }

  /// As that peer would make it now.
  [[nodiscard]] HeartbeatMessage beat(const std::string& id, std::vector<std::string> subscriptions = {},
                                      std::optional<std::int64_t> incarnation = {}) const {
    HeartbeatMessage heartbeat;
    heartbeat.instance_id = id;
    heartbeat.timestamp = time.utc();
    heartbeat.subscriptions = std::move(subscriptions);
    heartbeat.incarnation = incarnation;
    return heartbeat;
  }

  [[nodiscard]] ShutdownNotification notice(const std::string& id,
                                            std::vector<std::string> subscriptions = {}, Duration drain = 30s,
                                            std::optional<std::int64_t> incarnation = {}) const {
    ShutdownNotification made;
    made.instance_id = id;
    made.initiated_at = time.utc();
    made.expected_completion_at = made.initiated_at + std::chrono::floor<std::chrono::microseconds>(drain);
    made.subscriptions = std::move(subscriptions);
    made.incarnation = incarnation;
    return made;
  }

  [[nodiscard]] WorkAssignment assignment(std::optional<std::int64_t> id = {}) const {
    WorkAssignment made;
    made.target_instance_id = "me";
    made.source_instance_id = "leader";
    made.subscriptions = {"orders"};
    made.assigned_at = time.utc();
    made.assignment_id = id;
    return made;
  }

  [[nodiscard]] PeerRecord record(const std::string& id, std::vector<std::string> subscriptions = {},
                                  std::int64_t incarnation = 1) const {
    PeerRecord made;
    made.instance_id = id;
    made.incarnation = incarnation;
    made.subscriptions = std::move(subscriptions);
    made.last_heartbeat_at = time.utc();
    return made;
  }
};

}  // namespace pgcoord::test
