// Watching peers: what a bell costs, and how little of it is believed.
#include "support/peer_script.hpp"

namespace {

using namespace std::chrono_literals;
using namespace pgcoord;
using pgcoord::test::PeerScript;

TEST(CoreBell, nobody_watches_nothing_is_listened_to_or_read) {
  PeerScript script;
  script.join();
  script.heartbeat_bell("b");
  script.ring("member", "nonsense");
  EXPECT_TRUE(script.idle());
  EXPECT_EQ(script.core.malformed_notifications(), 0U);
}

TEST(CoreBell, a_bell_makes_one_peer_be_read) {
  PeerScript script;
  script.watch({PeerScript::peer("b")});
  script.heartbeat_bell("b");
  script.read("b", {PeerScript::aged("b", 1s)});
  auto read = script.take<PeerRead>();
  ASSERT_EQ(read.size(), 1U);
  EXPECT_EQ(read[0].peer->heartbeat_age, 1s);
  script.pass(10ms);
  script.ring("shutdown", {{"instance_id", "b"}});
  script.read("b", {});
  read = script.take<PeerRead>();
  ASSERT_EQ(read.size(), 1U);
  EXPECT_FALSE(read[0].peer);
}

TEST(CoreBell, many_bells_are_one_read) {
  PeerScript script;
  script.watch({PeerScript::peer("b")});
  for (int i = 0; i < 100; ++i) script.heartbeat_bell("b");
  const auto out = script.expect(Statement::peer);
  for (int i = 0; i < 100; ++i) script.heartbeat_bell("b");
  script.answer(out, PeerScript::peers({PeerScript::peer("b")}));
  EXPECT_TRUE(script.idle());  // the ten milliseconds
  script.pass(10ms);
  script.read("b", {PeerScript::peer("b")});
  EXPECT_TRUE(script.idle());
}

TEST(CoreBell, a_few_peers_are_read_together_and_many_by_reading_all) {
  PeerScript script;
  script.watch({});
  for (int i = 0; i < 8; ++i) script.heartbeat_bell("peer" + std::to_string(i));
  const auto few = script.expect(Statement::peer);
  EXPECT_EQ(few.parameters[1]->substr(0, 16), "{\"peer0\",\"peer1\"");
  script.answer(few, PeerScript::peers({PeerScript::peer("peer0"), PeerScript::peer("peer7")}));
  EXPECT_EQ(script.take<PeerRead>().size(), 2U);  // of the others nothing was known before either
  script.pass(10ms);
  for (int i = 0; i < 9; ++i) script.heartbeat_bell("peer" + std::to_string(i));
  script.read_all({});
}

TEST(CoreBell, a_bell_that_comes_during_a_read_is_not_swallowed_by_its_answer) {
  PeerScript script;
  script.core.watch_peers(script.now);
  script.join();
  script.answer_listen();
  const auto out = script.expect(Statement::peers);
  script.member_bell("b", "gone");
  script.answer(out, PeerScript::peers({PeerScript::peer("b")}));
  script.answer(script.expect(Statement::assignments));
  script.pass(10ms);
  auto record = PeerScript::peer("b");
  record.session_alive = false;
  script.read("b", {record});
  EXPECT_FALSE(script.take<PeerRead>().back().peer->session_alive);
}

TEST(CoreBell, one_that_undoes_what_is_being_read_is_not_taken_for_old_news) {
  PeerScript script;
  script.watch({});
  script.member_bell("c", "joined", 2);
  const auto out = script.expect(Statement::peer);
  script.member_bell("c", "gone", 2);  // of a peer that is not known yet
  script.answer(out, PeerScript::peers({PeerScript::peer("c", 2)}));
  script.pass(10ms);
  script.read("c", {});
  EXPECT_FALSE(script.take<PeerRead>().back().peer);
}

TEST(CoreBell, a_member_bell_that_says_what_is_known_costs_nothing) {
  PeerScript script;
  auto dead = PeerScript::peer("dead", 3);
  dead.session_alive = false;
  auto silent = PeerScript::aged("silent", 16s);
  auto left = PeerScript::noticed("left", 5s);
  left.session_alive = false;
  script.watch({PeerScript::peer("b", 5), dead, silent, left});
  script.member_bell("b", "joined", 5);
  script.member_bell("b", "gone", 4);
  script.member_bell("b", "left", 4);
  script.member_bell("dead", "gone", 3);
  script.member_bell("silent", "silent");
  script.member_bell("left", "left");
  script.member_bell("unknown", "gone");
  script.member_bell("me", "joined");
  script.heartbeat_bell("me");
  EXPECT_TRUE(script.idle());
}

TEST(CoreBell, a_member_bell_that_says_something_new_is_looked_into) {
  for (const auto& [id, event, incarnation] : {std::tuple{"b", "joined", 6},
                                               {"b", "gone", 5},
                                               {"b", "left", 5},
                                               {"b", "silent", 5},
                                               {"b", "removed", 5},
                                               {"new", "joined", 1},
                                               {"b", "a word of a later version", 5}}) {
    PeerScript script;
    script.watch({PeerScript::peer("b", 5)});
    script.member_bell(id, event, incarnation);
    script.read(id, {});
  }
}

TEST(CoreBell, what_cannot_be_understood_is_counted_and_costs_one_read_a_second) {
  PeerScript script;
  script.watch({PeerScript::peer("b")});
  int reads = 0;
  std::uint64_t sent = 0;
  for (int i = 0; i < 3000; ++i) {
    script.pass(1ms);
    for (const char* payload : {"", "null", "[]", "{", "{}", R"({"instance_id":7})", R"({"instance_id":""})",
                                R"({"instance_id":"b","incarnation":"x"})", "\xff\xfe"}) {
      script.core.notified(i % 2 == 0 ? "member" : "heartbeat", payload, script.now);
      ++sent;
    }
    while (const auto next = script.action()) {
      const auto& command = std::get<Execute>(*next);
      reads += command.statement == Statement::peers ? 1 : 0;
      EXPECT_NE(command.statement, Statement::peer);
      script.answer(command, PeerScript::peers({PeerScript::peer("b")}));
    }
  }
  EXPECT_EQ(script.core.malformed_notifications(), sent);
  EXPECT_GE(reads, 2);
  EXPECT_LE(reads, 4);
  EXPECT_TRUE(script.take<Disconnected>().empty());
}

TEST(CoreBell, a_flood_of_forged_names_costs_a_read_in_ten_milliseconds_and_tells_nothing) {
  PeerScript script;
  script.watch({PeerScript::peer("b")});
  int reads = 0;
  for (int i = 0; i < 1000; ++i) {
    script.pass(100us);
    script.member_bell("forged" + std::to_string(i), "joined");
    script.ring("shutdown", {{"instance_id", "forger" + std::to_string(i)}, {"intent", "graceful"}});
    while (const auto next = script.action()) {
      ++reads;
      script.answer(std::get<Execute>(*next), PeerScript::peers({}));
    }
  }
  EXPECT_GE(reads, 1);
  EXPECT_LE(reads, 12);  // 100 ms; the assignments too
  EXPECT_TRUE(script.take<PeerRead>().empty());
}

}  // namespace
