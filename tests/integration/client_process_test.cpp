// What happens to whole client programs: fork, SIGKILL, freezing, many threads, an event loop.
#include <gtest/gtest.h>
#include <poll.h>
#include <unistd.h>

#include <csignal>

#include "support/client.hpp"
#include "support/forked.hpp"

namespace {

using namespace std::chrono_literals;
using namespace pgcoord;
using pgcoord::test::Events;
using pgcoord::test::exit_code;
using pgcoord::test::in_child;
using pgcoord::test::options_for;
using pgcoord::test::shared_server;
using pgcoord::test::wait_until;

/// A child that leads `election` until it is killed; returns once it does.
pid_t leading_child(const std::string& name, const std::string& election, std::chrono::milliseconds timeout) {
  auto options = options_for(name);
  options.heartbeat_timeout = timeout;
  const pid_t child = in_child([&] {
    Session session(options);
    PgLeaderElector elector(session, election);
    elector.campaign();
    pause();
    return 0;
  });
  EXPECT_TRUE(wait_until([&] {
    return shared_server()
               .connect()
               .value("SELECT (SELECT leader FROM coord.elections WHERE election = '" + election + "')")
               .value_or("") == name;
  }));
  return child;
}

void wait_queued(const std::string& election, const std::string& name) {
  ASSERT_TRUE(wait_until([&] {
    return shared_server().connect().value("SELECT count(*)::text FROM coord.candidates WHERE election = '" +
                                           election + "' AND instance_id = '" + name + "'") == "1";
  }));
}

TEST(ClientProcess, a_killed_leader_is_replaced_at_once) {
  const pid_t child = leading_child("victim", "killed", 15s);
  Session session(options_for("heir"));
  PgLeaderElector elector(session, "killed");
  elector.campaign();
  wait_queued("killed", "heir");
  kill(child, SIGKILL);
  EXPECT_TRUE(wait_until([&] { return elector.is_leader(); }, 1s));
  EXPECT_EQ(exit_code(child), -SIGKILL);
}

TEST(ClientProcess, field_case_43_a_frozen_leader_is_replaced_within_timeout_and_a_second) {
  const pid_t child = leading_child("sleeper", "frozen", 2s);
  auto options = options_for("awake");
  options.heartbeat_timeout = 2s;
  Session session(options);
  PgLeaderElector elector(session, "frozen");
  elector.campaign();
  wait_queued("frozen", "awake");
  kill(child, SIGSTOP);
  EXPECT_TRUE(wait_until([&] { return elector.is_leader(); }, 3s));
  kill(child, SIGCONT);
  const auto token = elector.token();
  EXPECT_TRUE(elector.renew());
  EXPECT_EQ(elector.token(), token);
  kill(child, SIGKILL);
  exit_code(child);
}

TEST(ClientProcess, field_case_85_a_child_of_fork_leaves_the_parent_alone) {
  auto session = std::make_unique<Session>(options_for("parent"));
  auto elector = std::make_unique<PgLeaderElector>(*session, "forked");
  ASSERT_TRUE(elector->try_acquire());
  const int pid = session->server()->backend_pid;
  Events heard(*session);
  const pid_t child = in_child([&] {
    if (elector->is_leader() || elector->token() || elector->current_leader()) return 1;
    try {
      elector->renew();
      return 2;
    } catch (const Error& error) {
      if (error.sqlstate() != "55000") return 3;
    }
    try {
      session->close();
      return 4;
    } catch (const Error&) {
    }
    elector.reset();
    session.reset();
    Session own(options_for("child"));
    return own.wait_until_ready(10s) ? 0 : 5;
  });
  EXPECT_EQ(exit_code(child), 0);
  EXPECT_TRUE(elector->renew());
  EXPECT_EQ(session->server()->backend_pid, pid);
  EXPECT_EQ(heard.count<Disconnected>(), 0);
  EXPECT_EQ(shared_server().log().find("unexpected EOF on client connection with an open"),
            std::string::npos);
}

TEST(ClientProcess, field_case_88_sixteen_threads_on_one_handle) {
  Session session(options_for("threads"));
  PgLeaderElector elector(session, "threads");
  session.require_ready(10s);
  elector.on_leader_change([&](bool) {
    EXPECT_NO_THROW(static_cast<void>(elector.current_leader()));
    throw std::runtime_error("on purpose");
  });
  elector.campaign();
  std::vector<std::thread> threads;
  for (int i = 0; i < 16; ++i) {
    threads.emplace_back([&, i] {
      for (int round = 0; round < 30; ++round) {
        static_cast<void>(elector.is_leader());
        static_cast<void>(elector.token());
        if (i % 4 == 0) elector.renew();
        if (i % 4 == 1) elector.stop_observing(elector.observe([](const auto&) {}));
        if (i % 4 == 2) static_cast<void>(elector.current_leader());
        if (i == 3) {
          elector.release();
          elector.campaign();
        }
      }
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_TRUE(wait_until([&] { return elector.is_leader(); }));
  std::thread closing([&] { session.close(); });
  session.close();
  closing.join();
  EXPECT_FALSE(elector.is_leader());
}

TEST(ClientProcess, field_case_88_close_from_a_callback_works) {
  Session session(options_for("closing itself"));
  PgLeaderElector elector(session, "closing itself");
  std::atomic<bool> closed{false};
  elector.on_leader_change([&](bool leads) {
    if (!leads) return;
    session.close();
    closed = true;
  });
  elector.campaign();
  EXPECT_TRUE(wait_until([&] { return closed.load(); }));
  EXPECT_TRUE(session.is_closed());
  EXPECT_FALSE(elector.is_leader());
}

TEST(ClientProcess, runs_inside_an_event_loop) {
  auto options = options_for("looping");
  options.pump = Pump::event_loop;
  options.heartbeat_timeout = 1s;
  Session session(options);
  PgLeaderElector elector(session, "looping");
  std::vector<bool> heard;
  elector.on_leader_change([&](bool leads) { heard.push_back(leads); });
  elector.campaign();
  const auto turn = [&] {
    auto wait = session.next_deadline().value_or(BootClock::now() + 100ms) - BootClock::now();
    wait = std::clamp<Duration>(wait, 0ms, 100ms);
    pollfd entry{
        session.socket(),
        static_cast<short>((session.wants_read() ? POLLIN : 0) | (session.wants_write() ? POLLOUT : 0)), 0};
    poll(&entry, 1, static_cast<int>(std::chrono::ceil<std::chrono::milliseconds>(wait).count()));
    session.on_ready();
  };
  const auto until = BootClock::now() + 3s;
  int turns = 0;
  bool lost = false;
  while (BootClock::now() < until) {
    turn();
    ++turns;
    lost = lost || (!heard.empty() && !elector.is_leader());
  }
  EXPECT_FALSE(lost);
  EXPECT_LT(turns, 500);  // no busy loop
  elector.release();      // waits by running the loop itself
  turn();
  EXPECT_EQ(heard, (std::vector<bool>{true, false}));
  EXPECT_TRUE(elector.try_acquire());
  session.close();
  EXPECT_FALSE(elector.is_leader());
}

TEST(ClientProcess, field_case_50_destruction_hands_over_at_once) {
  Session heir(options_for("heir 50"));
  PgLeaderElector next(heir, "fifty");
  {
    Session session(options_for("passing 50"));
    PgLeaderElector elector(session, "fifty");
    ASSERT_TRUE(elector.try_acquire());
    next.campaign();
    wait_queued("fifty", "heir 50");
  }
  EXPECT_TRUE(wait_until([&] { return next.is_leader(); }, 500ms));
}

}  // namespace
