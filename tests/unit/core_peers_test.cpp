// Watching peers: what is read, and when.
#include "support/peer_script.hpp"

namespace {

using namespace std::chrono_literals;
using namespace pgcoord;
using pgcoord::test::PeerScript;

TEST(CorePeers, everything_is_read_once_after_joining_and_listening) {
  PeerScript script;
  script.core.watch_peers(script.now);
  script.join();
  EXPECT_TRUE(script.take<Resync>().empty());
  script.answer_listen();
  script.read_all({PeerScript::peer("b"), PeerScript::peer("c")});
  const auto read = script.take<Event>();
  ASSERT_EQ(read.size(), 2U);
  EXPECT_EQ(std::get<PeersRead>(read[0]).peers.size(), 2U);
  EXPECT_EQ(std::get<PeersRead>(read[0]).read_at, script.now);
  EXPECT_TRUE(std::holds_alternative<Resync>(read[1]));
  EXPECT_TRUE(script.idle());
}

TEST(CorePeers, an_observer_reads_peers_and_no_work) {
  auto options = PeerScript::options_for("");
  options.participation = Participation::observer;
  PeerScript script(options);
  script.core.watch_peers(script.now);
  script.connect();
  script.answer(script.expect(Statement::listen));
  script.answer(script.expect(Statement::ping));
  for (int i = 0; i < 3; ++i) script.answer(script.expect(Statement::listen));
  script.answer(script.expect(Statement::peers), PeerScript::peers({PeerScript::peer("b")}));
  EXPECT_EQ(script.take<PeersRead>().size(), 1U);
  EXPECT_TRUE(script.idle());
}

TEST(CorePeers, G5_a_gap_is_followed_by_a_read_of_everything) {
  PeerScript script;
  script.watch({PeerScript::peer("b")});
  script.core.disconnected({"08006", "gone", {}, {}}, script.now);
  script.heartbeat_bell("b");
  script.pass(10s);
  script.join();
  script.answer_listen();
  script.read_all({PeerScript::peer("c")});
  const auto read = script.take<PeersRead>();
  ASSERT_EQ(read.size(), 1U);
  EXPECT_EQ(read[0].peers.front().instance_id, "c");
}

TEST(CorePeers, G5_without_any_bell_everything_is_read_within_the_timeout) {
  PeerScript script;
  script.watch({PeerScript::noticed("b", 1h)});
  const int reads = script.live(150s, Statement::peers, {PeerScript::noticed("b", 1h)});
  EXPECT_GE(reads, 10);
  EXPECT_LE(reads, 13);
}

TEST(CorePeers, who_could_be_silent_is_looked_at_before_and_after_its_time) {
  PeerScript script;
  script.watch({PeerScript::aged("b", 3s)});
  const auto read_at = script.now - 200ms;
  std::vector<Duration> looks;
  while (looks.size() < 2 && script.now < read_at + 14s) {
    script.now = *script.core.deadline();
    const auto command = script.statement();
    if (command.statement == Statement::peer) looks.push_back(script.now - read_at);
    script.answer(command, PeerScript::peers({PeerScript::aged("b", 3s + (script.now - read_at))}));
  }
  ASSERT_EQ(looks.size(), 2U);
  EXPECT_EQ(looks[0], 9500ms);
  EXPECT_EQ(looks[1], 12150ms);
  EXPECT_EQ(script.take<PeerRead>().back().peer->heartbeat_age, 15150ms);
}

TEST(CorePeers, who_is_known_to_be_silent_is_not_looked_at_again) {
  PeerScript script;
  script.watch({PeerScript::aged("b", 16s)});
  EXPECT_EQ(script.live(60s, Statement::peer, {PeerScript::aged("b", 16s)}), 0);
}

TEST(CorePeers, the_end_of_a_notice_is_looked_at) {
  PeerScript script;
  script.watch({PeerScript::noticed("b", 2s)});
  EXPECT_EQ(script.live(1900ms, Statement::peer), 0);
  EXPECT_EQ(script.live(200ms, Statement::peer, {PeerScript::noticed("b", 0s)}), 1);
  EXPECT_EQ(script.live(5s, Statement::peer), 0);
}

TEST(CorePeers, a_read_that_fails_is_tried_again_with_growing_waits) {
  PeerScript script;
  script.core.watch_peers(script.now);
  script.join();
  script.answer_listen();
  int failures = 0;
  for (const auto end = script.now + 4s; script.now < end;) {
    const auto next = script.action();
    if (!next) {
      script.now = *script.core.deadline();
    } else if (std::get<Execute>(*next).statement == Statement::peers) {
      ++failures;
      script.fail(std::get<Execute>(*next), "42501");
    } else {
      script.answer(std::get<Execute>(*next));
    }
  }
  EXPECT_GE(failures, 4);
  EXPECT_LE(failures, 9);
  EXPECT_EQ(script.take<Failed>().front().action, "peers");
  EXPECT_TRUE(script.core.is_ready());
}

TEST(CorePeers, leadership_goes_first) {
  PeerScript script;
  script.core.watch_peers(script.now);
  script.lead("e", 7);
  script.answer_listen();
  script.expect(Statement::peers);
}

TEST(CorePeers, after_the_last_watcher_nothing_is_read) {
  PeerScript script;
  script.watch({PeerScript::peer("b")});
  script.core.watch_peers(script.now);
  script.read_all({PeerScript::peer("b")});
  script.core.stop_watching_peers();
  script.pass(200ms);
  script.heartbeat_bell("b");
  script.read("b", {PeerScript::peer("b")});
  script.core.stop_watching_peers();
  script.pass(200ms);
  script.heartbeat_bell("b");
  EXPECT_EQ(script.live(60s, Statement::peers), 0);
}

TEST(CorePeers, a_member_is_removed_on_request) {
  PeerScript script;
  script.join();
  const auto request = script.core.remove_member("b", script.now);
  const auto command = script.expect(Statement::remove_member);
  EXPECT_EQ(command.parameters, (Parameters{"b", "default"}));
  Reply reply;
  reply.flag = true;
  script.answer(command, reply);
  const auto done = script.core.take_completions();
  ASSERT_EQ(done.size(), 1U);
  EXPECT_EQ(done[0].request, request);
  EXPECT_TRUE(done[0].reply.flag);
}

}  // namespace
