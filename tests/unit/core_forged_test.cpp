// What forged notifications cost: ten thousand in a second, for ten seconds.
#include <functional>
#include <map>

#include "support/peer_script.hpp"

namespace {

using namespace std::chrono_literals;
using namespace pgcoord;
using pgcoord::test::CoreScript;
using pgcoord::test::PeerScript;

using Counts = std::map<Statement, int>;

/// Forges one every 100 µs and answers what the session asks meanwhile; returns how often it asked for what.
Counts flood(CoreScript& script, const std::function<void(int)>& forge,
             const std::function<Reply(const Execute&)>& reply, int messages = 100'000) {
  Counts counts;
  for (int i = 0; i < messages; ++i) {
    script.pass(100us);
    forge(i);
    while (const auto next = script.action()) {
      const auto& command = std::get<Execute>(*next);
      ++counts[command.statement];
      script.answer(command, reply(command));
    }
  }
  return counts;
}

TEST(CoreForged, G9_a_leader_that_is_said_to_have_lost_looks_ten_times_a_second_and_leads) {
  CoreScript script;
  script.lead("e", 7);
  const auto counts = flood(
      script, [&](int i) { script.announce("e", i % 2 == 0 ? "mallory" : "me", 1000 + i); },
      [](const Execute&) { return CoreScript::ours("e", 7); });
  EXPECT_GE(counts.at(Statement::heartbeat), 50);
  EXPECT_LE(counts.at(Statement::heartbeat), 20 + 100 + 2);
  EXPECT_TRUE(script.leads("e"));
  EXPECT_TRUE(script.take<Lost>().empty());
}

TEST(CoreForged, G9_an_observer_of_many_elections_asks_fifty_times_a_second) {
  CoreScript script;
  for (int i = 0; i < 50; ++i) script.core.observe("e" + std::to_string(i), script.now);
  script.join();
  const auto nobody = [](const Execute&) { return CoreScript::rows({}); };
  flood(
      script, [](int) {}, nobody, 1000);
  script.take<Event>();
  const auto counts = flood(
      script, [&](int i) { script.announce("e" + std::to_string(i % 50), "mallory", 1000 + i); }, nobody);
  EXPECT_GE(counts.at(Statement::leader), 400);
  EXPECT_LE(counts.at(Statement::leader), 20 + 50 + 500 + 2);
  EXPECT_TRUE(script.take<LeaderChanged>().empty());
}

TEST(CoreForged, G9_a_candidate_that_is_named_successor_campaigns_fifty_times_a_second) {
  CoreScript script;
  script.queue("e");
  const auto counts = flood(
      script, [&](int) { script.announce("e", nullptr, 0, "me"); },
      [](const Execute& command) {
        Reply reply = CoreScript::rows({CoreScript::row("e", "other", 1, false)});
        if (command.statement == Statement::heartbeat) reply = CoreScript::rows({});
        reply.wait = 5s;
        return reply;
      });
  EXPECT_GE(counts.at(Statement::campaign), 100);
  EXPECT_LE(counts.at(Statement::campaign), 20 + 1 + 500 + 2);
}

TEST(CoreForged, G9_names_of_peers_are_read_ten_times_a_second_and_everything_once) {
  PeerScript script;
  script.watch({PeerScript::peer("b")});
  const auto counts = flood(
      script,
      [&](int i) {
        const auto name = "forged" + std::to_string(i);
        if (i % 2 == 0) script.member_bell(name, "joined");
        if (i % 2 == 1) script.ring("shutdown", {{"instance_id", name}, {"intent", "graceful"}});
      },
      [](const Execute& command) {
        return PeerScript::peers(command.statement == Statement::peers
                                     ? std::vector<PeerRecord>{PeerScript::peer("b")}
                                     : std::vector<PeerRecord>{});
      });
  EXPECT_GE(counts.at(Statement::peer), 50);
  EXPECT_LE(counts.at(Statement::peer), 20 + 100 + 2);
  EXPECT_GE(counts.at(Statement::peers), 5);
  EXPECT_LE(counts.at(Statement::peers), 5 + 10 + 2);
  EXPECT_LE(counts.at(Statement::assignments), 20 + 100 + 2);
  EXPECT_LE(counts.at(Statement::heartbeat), 3) << "in the time of two";
  EXPECT_TRUE(script.take<Disconnected>().empty());
}

TEST(CoreForged, G9_work_that_nobody_assigned_is_looked_for_ten_times_a_second) {
  PeerScript script;
  script.watch({});
  const auto counts = flood(
      script,
      [&](int i) {
        script.ring("work", {{"target_instance_id", "me"}, {"assignment_id", i}, {"subscriptions", {"x"}}});
      },
      [](const Execute&) { return Reply{}; });
  EXPECT_GE(counts.at(Statement::assignments), 50);
  EXPECT_LE(counts.at(Statement::assignments), 20 + 100 + 2);
  EXPECT_TRUE(script.take<WorkAssigned>().empty());
}

TEST(CoreForged, G5_what_happens_meanwhile_is_seen_soon) {
  PeerScript script;
  script.watch({PeerScript::peer("b")});
  bool gone = false;
  Instant happened;
  std::optional<Instant> seen;
  const auto record = [&] {
    auto b = PeerScript::peer("b");
    b.session_alive = !gone;
    return b;
  };
  flood(
      script,
      [&](int i) {
        script.member_bell("forged" + std::to_string(i % 3), "joined");
        if (i != 40'000) return;
        gone = true;
        happened = script.now;
        script.member_bell("b", "gone");
      },
      [&](const Execute& command) {
        const bool of_b = command.statement == Statement::peers ||
                          (command.statement == Statement::peer &&
                           command.parameters[1]->find("\"b\"") != std::string::npos);
        if (of_b && gone && !seen) seen = script.now;
        return of_b ? PeerScript::peers({record()}) : PeerScript::peers({});
      },
      60'000);
  ASSERT_TRUE(seen);
  EXPECT_LE(*seen - happened, 101ms);
}

}  // namespace
