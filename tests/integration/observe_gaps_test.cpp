// Observers over gaps: what they know in the end, what they are told on the way, and who is told at all.
#include <gtest/gtest.h>

#include <map>
#include <mutex>
#include <random>

#include "support/client.hpp"
#include "support/registry.hpp"

namespace {

using namespace std::chrono_literals;
using namespace pgcoord;
using pgcoord::test::Connection;
using pgcoord::test::options_for;
using pgcoord::test::shared_server;
using pgcoord::test::wait_until;

void cut(Connection& root, Session& session) {
  ASSERT_TRUE(wait_until([&] { return session.server().has_value(); }));
  if (const auto server = session.server())
    root.exec("SELECT pg_terminate_backend($1::int)", {std::to_string(server->backend_pid)});
}

SessionOptions quick(const std::string& name) {
  auto options = options_for(name);
  options.reconnect_min = 20ms;
  options.reconnect_max = 200ms;
  return options;
}

/// Counts gaps, and what is wrong with the order of events.
class Sequence {
 public:
  explicit Sequence(Session& session) {
    session.on_event([this](const Event& event) {
      const std::lock_guard lock(mutex_);
      if (std::holds_alternative<Disconnected>(event)) {
        faults_ += in_gap_ ? 1 : 0;
        in_gap_ = true;
      } else if (const auto* resync = std::get_if<Resync>(&event)) {
        faults_ += in_gap_ || gaps_ == 0 ? 0 : 1;
        in_gap_ = false;
        ++gaps_;
        for (const auto& row : resync->observed) rises(row.election, row.token);
      } else if (const auto* changed = std::get_if<LeaderChanged>(&event)) {
        rises(changed->election, changed->token);
      }
    });
  }
  int resyncs() const {
    const std::lock_guard lock(mutex_);
    return gaps_;
  }
  int faults() const {
    const std::lock_guard lock(mutex_);
    return faults_;
  }

 private:
  void rises(const std::string& election, Token token) {
    if (token == Token{}) return;
    faults_ += token < newest_[election] ? 1 : 0;
    newest_[election] = token;
  }

  mutable std::mutex mutex_;
  std::map<std::string, Token> newest_;
  bool in_gap_ = false;
  int gaps_ = 0;
  int faults_ = 0;
};

TEST(ObserveGaps, field_cases_26_and_82_a_hundred_gaps_end_right_for_every_observer) {
  Session session(quick("gaps"));
  Sequence sequence(session);
  std::mutex mutex;
  std::vector<std::string> told(6);  // two observers of each of three elections
  std::vector<std::unique_ptr<PgLeaderElector>> electors;
  for (std::size_t i = 0; i < 3; ++i) {
    electors.push_back(std::make_unique<PgLeaderElector>(session, "gap " + std::to_string(i)));
    for (std::size_t n : {i, i + 3})
      electors.back()->observe([&, n](const auto& leader) {
        const std::lock_guard lock(mutex);
        told[n] = leader.value_or("");
      });
  }
  Connection root = shared_server().connect();
  Connection actor = shared_server().connect();
  actor.exec("SELECT coord.join('actor of gaps')");
  std::mt19937 random(26);
  const auto pick = [&](int below) { return std::uniform_int_distribution(0, below - 1)(random); };
  ASSERT_TRUE(wait_until([&] { return sequence.resyncs() == 1; }));
  for (int gap = 1; gap <= 100; ++gap) {
    cut(root, session);
    for (int change = pick(4); change >= 0; --change) {
      if (const int pause = pick(10); pause > 0)
        root.exec("SELECT pg_sleep($1::float8)", {std::to_string(pause * 1e-3)});
      const std::string election = "gap " + std::to_string(pick(3));
      if (!pgcoord::test::resign(actor, election)) pgcoord::test::campaign(actor, election);
    }
    ASSERT_TRUE(wait_until([&] { return sequence.resyncs() == gap + 1; })) << gap;
    const auto right = [&] {
      const std::lock_guard lock(mutex);
      for (std::size_t n = 0; n < told.size(); ++n)
        if (told[n] != pgcoord::test::leader_of(root, "gap " + std::to_string(n % 3)).value_or(""))
          return false;
      return true;
    };
    ASSERT_TRUE(wait_until(right, 2s)) << "gap " << gap;
  }
  EXPECT_EQ(sequence.faults(), 0) << "one loss and one resync for each gap, and tokens that never fall";
}

TEST(ObserveGaps, field_case_83_after_fifty_cuts_exactly_those_are_told_who_asked_to_be) {
  Session session(quick("cut often"));
  session.require_ready(10s);
  std::mutex mutex;
  struct Observer {
    int number;
    std::size_t election;
    CallbackId id;
  };
  std::map<int, int> calls;  // by number of the observer
  std::vector<Observer> wanted;
  std::vector<Observer> unwanted;
  std::vector<std::unique_ptr<PgLeaderElector>> electors;
  for (std::size_t i = 0; i < 5; ++i)
    electors.push_back(std::make_unique<PgLeaderElector>(session, "cut " + std::to_string(i)));
  const auto observe = [&](std::size_t i) {
    const int number = static_cast<int>(wanted.size() + unwanted.size());
    const auto id = electors[i]->observe([&, number](const auto&) {
      const std::lock_guard lock(mutex);
      ++calls[number];
    });
    wanted.push_back({number, i, id});
  };
  Connection root = shared_server().connect();
  Connection actor = shared_server().connect();
  actor.exec("SELECT coord.join('actor of cuts')");
  std::mt19937 random(83);
  const auto pick = [&](std::size_t below) {
    return std::uniform_int_distribution<std::size_t>(0, below - 1)(random);
  };
  for (int cuts = 0; cuts < 50; ++cuts) {
    observe(pick(5));
    cut(root, session);
    observe(pick(5));
    const std::size_t gone = pick(wanted.size());
    EXPECT_TRUE(electors[wanted[gone].election]->stop_observing(wanted[gone].id));
    unwanted.push_back(wanted[gone]);
    wanted.erase(wanted.begin() + static_cast<std::ptrdiff_t>(gone));
    const std::string election = "cut " + std::to_string(pick(5));
    if (!pgcoord::test::resign(actor, election)) pgcoord::test::campaign(actor, election);
  }
  for (std::size_t i = 0; i < 5; ++i) pgcoord::test::resign(actor, "cut " + std::to_string(i));
  const auto all_know = [&](const std::optional<std::string>& leader) {
    return wait_until([&] {
      for (const auto& elector : electors)
        if (elector->current_leader() != leader) return false;
      return session.is_ready();
    });
  };
  ASSERT_TRUE(all_know(std::nullopt));
  session.require_ready(10s);
  session.run_for(200ms);
  {
    const std::lock_guard lock(mutex);
    calls.clear();
  }
  actor.exec("SELECT coord.campaign('cut ' || i) FROM generate_series(0, 4) i");
  const auto told = [&] {
    const std::lock_guard lock(mutex);
    return calls.size() == wanted.size();
  };
  EXPECT_TRUE(wait_until(told, 3s));
  session.run_for(200ms);
  const std::lock_guard lock(mutex);
  for (const auto& one : wanted) EXPECT_EQ(calls[one.number], 1) << "of election " << one.election;
  for (const auto& one : unwanted)
    EXPECT_FALSE(calls.contains(one.number)) << "told although it had asked not to be";
}

}  // namespace
