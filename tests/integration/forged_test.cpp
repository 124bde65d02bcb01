// Ten thousand forged notifications a second, on all channels, from a role that has no rights at all.
#include <fstream>
#include <thread>

#include "support/client.hpp"
#include "support/group.hpp"

namespace {

using namespace std::chrono_literals;
using namespace pgcoord;
using pgcoord::test::Connection;
using pgcoord::test::Events;
using pgcoord::test::wait_until;

constexpr int batch = 1000;
constexpr int batches = 50;
constexpr int malformed = batch * batches / 10;

/// Each tenth message is nonsense, some of it long; the others say what would do most harm if it were
/// believed.
constexpr const char* forge_sql = R"(
  SELECT count(pg_notify('__eventsource_coordination.' || channel, payload))
  FROM generate_series($1::int, $1::int + 999) i, LATERAL (VALUES
    (0, 'leader', format('{"election":"workers","leader":"mallory","token":%s}', 9000000000000000 + i)),
    (1, 'leader', format('{"election":"workers","leader":null,"successor":"%s","token":%s}', chr(97 + i / 10 % 2), i)),
    (2, 'leader', format('{"election":"workers","leader":"b","token":%s}', 9000000000000000 + i)),
    (3, 'heartbeat', format('{"instance_id":"b","incarnation":%s,"subscriptions":["stolen"],"is_leader":true}', i)),
    (4, 'heartbeat', format('{"instance_id":"forged %s"}', i)),
    (5, 'shutdown', format('{"instance_id":"%s","intent":"graceful","in_flight_count":%s}', chr(97 + i / 10 % 2), i)),
    (6, 'member', format('{"instance_id":"b","incarnation":%s,"event":"gone"}', i % 100)),
    (7, 'member', format('{"instance_id":"forged %s","incarnation":%s,"event":"joined"}', i, i)),
    (8, 'work_assignment', format('{"target_instance_id":"a","subscriptions":["stolen"],"assignment_id":%s}', i)),
    (9, (ARRAY['leader', 'heartbeat', 'shutdown', 'member', 'work_assignment'])[1 + i / 10 % 5],
     rpad('{"nonsense' || i, CASE i % 100 WHEN 9 THEN 7900 ELSE 20 END))) forged (kind, channel, payload)
  WHERE kind = i % 10)";

class Forged : public pgcoord::test::GroupTest {
 public:
  static void SetUpTestSuite() {
    start_server({"track_functions = all"});
    server().connect().exec("CREATE ROLE mallory LOGIN");
  }

 protected:
  /// In the middle of everything, for about five seconds.
  std::jthread flood() const {
    return std::jthread([conninfo = server().conninfo(database()) + " user=mallory"] {
      Connection mallory(conninfo);
      auto next = std::chrono::steady_clock::now();
      for (int i = 0; i < batches; ++i) {
        mallory.exec(forge_sql, {std::to_string(i * batch)});
        std::this_thread::sleep_until(next += 100ms);
      }
    });
  }
  long long calls(const std::string& function) {
    return std::stoll(watcher_
                          ->value("SELECT coalesce(sum(calls), 0) FROM pg_stat_user_functions"
                                  " WHERE schemaname = 'coord' AND funcname = $1",
                                  {function})
                          .value());
  }
  /// How long ago the member that was silent for longest was heard, in seconds.
  double silence() {
    return std::stod(watcher_
                         ->value("SELECT extract(epoch FROM max(clock_timestamp() - last_heartbeat_at))"
                                 " FROM coord.peers")
                         .value());
  }
  static long resident_kib() {
    std::ifstream status("/proc/self/status");
    for (std::string line; std::getline(status, line);)
      if (line.starts_with("VmRSS:")) return std::stol(line.substr(6));
    return 0;
  }
  void SetUp() override {
    GroupTest::SetUp();
    watcher_ = std::make_unique<Connection>(connect());
  }

  std::unique_ptr<Connection> watcher_;
};

void expect_nothing_told(const pgcoord::test::Heard& heard, const Events& events) {
  EXPECT_EQ(events.count<Disconnected>() + events.count<Lost>() + events.count<NotMember>(), 0);
  EXPECT_EQ(events.count<Failed>(), 0);
  EXPECT_EQ(events.count<WorkAssigned>(), 0);
  EXPECT_EQ(events.count<DrainRequested>(), 0);
  for (const char* forged :
       {"shutdown", "timeout", "removed", "orphans", "drain", "forged", "work", "stolen"})
    EXPECT_EQ(heard.all().find(forged), std::string::npos) << forged << " in " << heard.all();
}

TEST_F(Forged, G9_ten_thousand_a_second_change_nothing_and_cost_little) {
  Instance a(options("a", {"orders"}));
  ASSERT_TRUE(a.leads());
  Instance b(options("b", {"bills"}));
  b.elector.campaign();
  ASSERT_TRUE(a.sees("b", PeerStatus::healthy) && b.sees("a", PeerStatus::healthy));
  const Events events_of_a(a.session);
  const Events events_of_b(b.session);
  const auto token = a.elector.token();
  const long long heartbeats = calls("heartbeat");
  const long long reads = calls("_session_alive");

  const auto begin = std::chrono::steady_clock::now();
  auto flooding = flood();
  double longest_silence = 0;
  long first_size = 0;
  while (a.session.malformed_notifications() < malformed || b.session.malformed_notifications() < malformed) {
    ASSERT_LT(std::chrono::steady_clock::now() - begin, 60s);
    ASSERT_TRUE(a.elector.is_leader());
    ASSERT_FALSE(b.elector.is_leader());
    ASSERT_EQ(a.coordinator.peer_status("b"), PeerStatus::healthy);
    ASSERT_EQ(b.coordinator.known_peers().size(), 1U);
    longest_silence = std::max(longest_silence, silence());
    if (first_size == 0 && a.session.malformed_notifications() > malformed / 5) first_size = resident_kib();
    std::this_thread::sleep_for(10ms);
  }
  flooding.join();
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;

  EXPECT_EQ(a.session.malformed_notifications(), std::uint64_t{malformed}) << "every one is counted";
  EXPECT_EQ(a.elector.token(), token);
  EXPECT_LT(longest_silence, 2.7) << "a third of the timeout is 1.7 s";
  EXPECT_LT(resident_kib() - first_size, 32 * 1024) << "KiB more than after a fifth of the messages";
  expect_nothing_told(a.heard, events_of_a);
  expect_nothing_told(b.heard, events_of_b);

  // Both sessions together: looks for each other, and for the leadership that they are said to have.
  ASSERT_TRUE(wait_until([&] { return calls("heartbeat") > heartbeats; }));
  const double seconds = took.count() + 2;
  EXPECT_LE(static_cast<double>(calls("heartbeat") - heartbeats), 2 * (20 + 10 * seconds + 10));
  RecordProperty("messages_per_second", static_cast<int>(batch * batches / took.count()));
  RecordProperty("heartbeats", static_cast<int>(calls("heartbeat") - heartbeats));
  RecordProperty("session_tests", static_cast<int>(calls("_session_alive") - reads));

  // What is true is seen as soon as ever.
  b.coordinator.set_subscriptions({"bills", "mail"});
  EXPECT_TRUE(
      wait_until([&] { return a.coordinator.known_peers().at("b").subscriptions().size() == 2; }, 2s));
  a.elector.release();
  EXPECT_TRUE(wait_until([&] { return b.elector.is_leader(); }, 2s));
}

}  // namespace
