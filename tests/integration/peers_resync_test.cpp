// Notifications may be lost, forged or nonsense: the picture ends right, and nothing else happens.
#include <random>

#include "support/client.hpp"
#include "support/group.hpp"

namespace {

using namespace std::chrono_literals;
using namespace pgcoord;
using pgcoord::test::Connection;
using pgcoord::test::Events;
using pgcoord::test::wait_until;

class PeersResync : public pgcoord::test::GroupTest {
 protected:
  /// Sessions that join, leave, announce and change at random under a few names.
  class Crowd {
   public:
    explicit Crowd(PeersResync& test, unsigned seed) : test_(test), random_(seed) {}

    void change() {
      const std::string name = "peer" + std::to_string(pick(6));
      auto found = members_.find(name);
      if (found == members_.end()) {
        join(name);
        return;
      }
      switch (pick(6)) {
        case 0:
          found->second.exec("SELECT coord.leave()");
          members_.erase(found);
          break;
        case 1:
          members_.erase(found);
          break;
        case 2:
          found->second.exec("SELECT coord.announce_shutdown('graceful', '1 h')");
          break;
        case 3:
          found->second.exec("SELECT coord.join('" + name + "', subscriptions => ARRAY['again'])");
          break;
        default:
          found->second.exec("SELECT coord.heartbeat(ARRAY['s" + std::to_string(pick(1000)) + "'], " +
                             std::to_string(pick(1000)) + ")");
      }
    }
    std::size_t pick(std::size_t below) {
      return std::uniform_int_distribution<std::size_t>(0, below - 1)(random_);
    }

   private:
    void join(const std::string& name) {
      auto session = test_.connect();
      // The one before may be on its way out.
      ASSERT_TRUE(wait_until([&] {
        return session.sqlstate_of("SELECT coord.join('" + name + "', heartbeat_timeout => '1 h')") ==
               "00000";
      }));
      members_.emplace(name, std::move(session));
    }

    PeersResync& test_;
    std::mt19937 random_;
    std::map<std::string, Connection> members_;
  };

  /// Until the watcher's picture is what the registry says.
  void expect_same(const Instance& watcher) {
    auto by = connect();
    const auto same = [&] {
      auto rows = registry(by);
      rows.erase(watcher.session.instance_id());
      return rows == picture(watcher.coordinator);
    };
    EXPECT_TRUE(wait_until(same, 5s))
        << "registry: " << testing::PrintToString(registry(by))
        << "\npicture: " << testing::PrintToString(picture(watcher.coordinator));
  }
};

TEST_F(PeersResync, field_case_26_a_watcher_cut_off_during_100_changes_ends_with_the_right_picture) {
  auto steady = options("watcher");
  steady.reconnect_max = 200ms;
  Instance watcher(steady);
  auto by = connect();
  Crowd crowd(*this, 7);
  int cuts = 0;
  for (int change = 0; change < 100; ++change) {
    crowd.change();
    const auto server = watcher.session.server();
    if (crowd.pick(6) != 0 || !server) continue;
    by.exec("SELECT pg_terminate_backend($1::int)", {std::to_string(server->backend_pid)});
    ++cuts;
  }
  EXPECT_GE(cuts, 3);
  expect_same(watcher);
}

TEST_F(PeersResync, G5_without_a_cut_the_bells_alone_keep_the_picture_right) {
  Instance watcher(options("watcher"));
  Crowd crowd(*this, 11);
  for (int change = 0; change < 60; ++change) crowd.change();
  expect_same(watcher);
}

TEST_F(PeersResync, G9_forged_and_malformed_notifications_change_nothing) {
  Instance watcher(options("watcher"));
  auto b = member("b", "1 h");
  ASSERT_TRUE(watcher.sees("b", PeerStatus::healthy));
  Events events(watcher.session);
  const auto malformed = watcher.session.malformed_notifications();
  auto forger = connect();
  const std::string base = "__eventsource_coordination.";
  for (const char* channel : {"member", "shutdown", "heartbeat", "work_assignment"}) {
    for (const char* payload : {"", "{", "[1]", "{\"instance_id\": 3, \"target_instance_id\": 3}"})
      forger.exec("SELECT pg_notify($1, $2)", {base + channel, payload});
  }
  const std::string when = R"("initiated_at":"2025-01-01T00:00:00+00:00",)"
                           R"("expected_completion_at":"2025-01-01T00:00:00+00:00")";
  const std::vector<std::pair<std::string, std::string>> forged{
      {"shutdown", R"({"instance_id":"b","intent":"graceful",)" + when + "}"},
      {"shutdown", R"({"instance_id":"watcher","intent":"graceful",)" + when + "}"},
      {"member", R"({"instance_id":"b","incarnation":99,"event":"gone","at":""})"},
      {"member", R"({"instance_id":"ghost","incarnation":99,"event":"joined","at":""})"},
      {"heartbeat", R"({"instance_id":"ghost","timestamp":"2025-01-01T00:00:00+00:00"})"},
      {"work_assignment",
       R"({"target_instance_id":"watcher","subscriptions":["x"],"source_instance_id":"b","assignment_id":7})"}};
  for (const auto& [channel, payload] : forged)
    forger.exec("SELECT pg_notify($1, $2)", {base + channel, payload});
  ASSERT_TRUE(wait_until([&] { return watcher.session.malformed_notifications() == malformed + 16; }));
  // A real change that is announced after them is seen after them.
  b.exec("SELECT coord.heartbeat(ARRAY['real'])");
  ASSERT_TRUE(wait_until([&] {
    return watcher.coordinator.known_peers().at("b").subscriptions() == std::vector<std::string>{"real"};
  }));
  expect_same(watcher);
  EXPECT_EQ(watcher.heard.count("shutdown b") + watcher.heard.count("timeout b"), 0);
  EXPECT_EQ(watcher.heard.count("heartbeat ghost") + watcher.heard.count("work x"), 0);
  EXPECT_EQ(watcher.heard.count("drain graceful"), 0);
  EXPECT_EQ(events.count<Disconnected>(), 0);
}

TEST_F(PeersResync, W33_one_member_with_odd_metadata_hides_nobody) {
  auto odd = connect();
  odd.exec(R"(SELECT coord.join('odd', metadata => '{"n": 1e400, "deep": [[[]]]}',
             subscriptions => ARRAY['a"b\c', '{}', 'NULL']))");
  odd.exec(R"(SELECT coord.announce_shutdown('graceful', metadata => '{"n": 1e999}'))");
  Instance watcher(options("watcher"));
  auto b = member("b");
  EXPECT_TRUE(watcher.sees("odd", PeerStatus::draining));
  EXPECT_EQ(watcher.coordinator.known_peers().at("odd").subscriptions(),
            (std::vector<std::string>{"a\"b\\c", "{}", "NULL"}));
  EXPECT_TRUE(watcher.sees("b", PeerStatus::healthy));
}

TEST_F(PeersResync, W27_callbacks_that_throw_or_remove_themselves_disturb_nobody) {
  std::atomic<int> errors{0};
  auto with_handler = options("watcher");
  with_handler.on_callback_error = [&errors](std::exception_ptr) { ++errors; };
  Session session(with_handler);
  PgCoordinator coordinator(session);
  std::atomic<int> once{0};
  std::atomic<CallbackId> itself{};
  coordinator.on_heartbeat([](const auto&) { throw std::runtime_error("first"); });
  itself = coordinator.on_heartbeat([&](const auto&) {
    ++once;
    coordinator.remove_heartbeat_callback(itself);
    EXPECT_FALSE(coordinator.known_peers().empty());
    session.set_load(1, 0.5);
  });
  pgcoord::test::Heard heard(coordinator);
  coordinator.watch();
  auto b = member("b");
  ASSERT_TRUE(heard.hears("heartbeat b"));
  auto c = member("c");
  ASSERT_TRUE(heard.hears("heartbeat c"));
  EXPECT_EQ(once, 1);
  EXPECT_GE(errors, 2);
  EXPECT_TRUE(session.is_ready());
}

}  // namespace
