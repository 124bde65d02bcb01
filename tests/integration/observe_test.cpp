// What an observer of several elections is told, and when.
#include <gtest/gtest.h>

#include <deque>
#include <map>
#include <mutex>

#include "support/client.hpp"

namespace {

using namespace std::chrono_literals;
using namespace pgcoord;
using pgcoord::test::Connection;
using pgcoord::test::options_for;
using pgcoord::test::shared_server;
using pgcoord::test::wait_until;

/// Electors of five elections on one session, and the leaders that they were told.
class Watched {
 public:
  Watched(Session& session, const std::string& prefix) {
    for (int i = 0; i < 5; ++i) {
      const std::string election = prefix + std::to_string(i);
      electors_.emplace_back(session, election);
      electors_.back().observe([this, election](const auto& leader) {
        const std::lock_guard lock(mutex_);
        told_[election].push_back(leader.value_or(""));
      });
    }
  }
  /// How many were told last that `leader` leads.
  int told(const std::string& leader) const {
    const std::lock_guard lock(mutex_);
    int count = 0;
    for (const auto& [election, leaders] : told_) count += leaders.back() == leader ? 1 : 0;
    return count;
  }

 private:
  mutable std::mutex mutex_;
  std::map<std::string, std::vector<std::string>> told_;
  std::deque<PgLeaderElector> electors_;
};

/// One statement, one commit, five notices.
void lead_five(Connection& actor, const std::string& prefix) {
  actor.exec("SELECT coord.campaign($1 || i) FROM generate_series(0, 4) i", {prefix});
}

TEST(Observe, field_case_80_five_changes_in_one_commit_are_all_told) {
  Session session(options_for("observer of five"));
  session.require_ready(10s);
  Watched watched(session, "five ");
  Connection actor = shared_server().connect();
  actor.exec("SELECT coord.join('actor of five')");
  lead_five(actor, "five ");
  EXPECT_TRUE(wait_until([&] { return watched.told("actor of five") == 5; }, 2s));
  actor.exec("SELECT coord.leave()");
  EXPECT_TRUE(wait_until([&] { return watched.told("") == 5; }, 2s));
}

TEST(Observe, field_case_80_a_late_pump_delivers_everything) {
  auto options = options_for("late pump");
  options.pump = Pump::event_loop;
  Session session(options);
  session.require_ready(10s);
  Watched watched(session, "late ");
  Connection actor = shared_server().connect();
  actor.exec("SELECT coord.join('actor of late')");
  ASSERT_TRUE(wait_until([&] {
    session.on_ready();
    return watched.told("") == 5 || watched.told("actor of late") == 0;
  }));
  lead_five(actor, "late ");
  EXPECT_EQ(watched.told("actor of late"), 0) << "nobody has pumped";
  EXPECT_TRUE(wait_until(
      [&] {
        session.on_ready();
        return watched.told("actor of late") == 5;
      },
      5s));
}

TEST(Observe, field_case_80_other_traffic_is_no_event) {
  auto options = options_for("traffic");
  options.pump = Pump::event_loop;
  Session session(options);
  session.require_ready(10s);
  int events = 0;
  session.on_event([&](const Event&) { ++events; });
  while (session.on_ready(), events > 0) events = 0;
  Connection actor = shared_server().connect();
  for (int i = 0; i < 20; ++i) {
    actor.exec("SELECT pg_notify('__eventsource_coordination.leader', 'no JSON ' || $1)",
               {std::to_string(i)});
    session.on_ready();
  }
  EXPECT_TRUE(wait_until([&] {
    session.on_ready();
    return session.malformed_notifications() == 20;
  }));
  EXPECT_EQ(events, 0);
}

}  // namespace
