#pragma once

#include <unistd.h>

#include <cstdio>

#include <atomic>
#include <chrono>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "pgcoord/pgcoord.hpp"
#include "workers/delivery.hpp"

namespace workers {

using namespace std::chrono_literals;
using pgcoord::BootClock;
using pgcoord::Instant;

/// One worker: owns subscriptions by election, and, while it leads, sees that each has an owner.
class Worker {
 public:
  Worker(const std::string& conninfo, std::string id, const std::string& subscription, int out)
      : id_(std::move(id)),
        out_(out),
        session_(options(conninfo, id_, subscription)),
        chief_(session_, "workers"),
        group_(session_, &chief_),
        database_(conninfo) {
    chief_.on_leader_change([this](bool leads) { say(leads ? "leads" : "leads no more"); });
    group_.on_orphans(
        [this](const std::string& peer, const auto&) { say("sees work of " + peer + " orphaned"); });
    group_.on_work_assignment([this](const pgcoord::WorkAssignment& work) {
      const std::lock_guard lock(mutex_);
      for (const auto& name : work.subscriptions) wanted_.push_back(name);
    });
    group_.on_drain_requested([this](const auto&) { guard_.request(); });
    wanted_.push_back(subscription);
    group_.watch();
    chief_.campaign();
  }

  void run() {
    while (!guard_.wait(20ms)) {
      take_wanted();
      work();
      if (chief_.is_leader()) redistribute();
    }
    say("drains");
    pgcoord::DrainOptions options;
    options.timeout = 10s;
    options.intent = pgcoord::ShutdownIntent::preemption;
    const auto report = pgcoord::drain(session_, group_, options, [this](auto) { return give_one_up(); });
    say(report.announced && report.drained && report.left ? "left" : "was cut short");
  }

 private:
  static pgcoord::SessionOptions options(const std::string& conninfo, const std::string& id,
                                         const std::string& subscription) {
    pgcoord::SessionOptions options;
    options.conninfo = conninfo;
    options.instance_id = id;
    // What an earlier run left behind does not concern this one.
    options.member_group = "workers of " + std::to_string(::getppid());
    options.subscriptions = {subscription};
    options.heartbeat_timeout = 3s;
    return options;
  }

  void say(const std::string& text) const { dprintf(out_, "%s %s\n", id_.c_str(), text.c_str()); }

  void take_wanted() {
    std::vector<std::string> names;
    {
      const std::lock_guard lock(mutex_);
      names.swap(wanted_);
    }
    for (const auto& name : names) {
      auto& owner = owned_[name];
      if (owner) continue;
      owner = std::make_unique<pgcoord::PgLeaderElector>(session_, "sub:" + name);
      owner->on_leader_change([this, name](bool) { changed_ = true; });
      owner->campaign();  // gets it when the one before has let go
    }
  }

  void work() {
    std::vector<std::string> mine;
    for (const auto& [name, owner] : owned_) {
      const auto token = owner->token();
      if (!token) continue;
      mine.push_back(name);
      if (told_[name] != token->value) say("owns " + name + " with token " + std::to_string(token->value));
      told_[name] = token->value;
      const auto failure = deliver(database_, name, id_, token->value);
      if (!failure.empty()) say("could not write for " + name + ": " + failure);
    }
    if (changed_.exchange(false)) group_.set_subscriptions(mine);
  }

  /// Each orphan to whoever runs least; again after a while if nothing came of it.
  void redistribute() {
    for (const auto& [peer, orphans] : group_.orphaned_subscriptions()) {
      for (const auto& name : orphans.subscriptions) {
        if (BootClock::now() < again_[name]) continue;
        again_[name] = BootClock::now() + 2s;
        try {
          const auto target = least_loaded();
          group_.assign(target, {name});
          say("assigns " + name + " of " + peer + " to " + target);
        } catch (const pgcoord::Error& error) {
          say("could not assign " + name + ": " + error.what());
        }
      }
    }
  }

  std::string least_loaded() const {
    std::string target = id_;
    std::size_t least = owned_.size();
    for (const auto& [id, peer] : group_.known_peers()) {
      if (peer.status(BootClock::now()) != pgcoord::PeerStatus::healthy) continue;
      if (peer.subscriptions().size() >= least) continue;
      target = id;
      least = peer.subscriptions().size();
    }
    return target;
  }

  bool give_one_up() {
    work();  // what was begun is finished
    if (!owned_.empty()) {
      owned_.begin()->second->release();
      owned_.erase(owned_.begin());
    }
    return owned_.empty();
  }

  const std::string id_;
  const int out_;
  pgcoord::DrainGuard guard_;
  std::mutex mutex_;  // guards wanted_
  std::vector<std::string> wanted_;
  std::atomic<bool> changed_{true};
  std::map<std::string, std::int64_t> told_;
  std::map<std::string, Instant> again_;
  pgcoord::Session session_;
  pgcoord::PgLeaderElector chief_;
  pgcoord::PgCoordinator group_;
  std::map<std::string, std::unique_ptr<pgcoord::PgLeaderElector>> owned_;
  Database database_;
};

}  // namespace workers
