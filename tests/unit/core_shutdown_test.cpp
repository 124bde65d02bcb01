// Our own shutdown notice: a wish that stands, and one that others may make for us.
#include "support/peer_script.hpp"

namespace {

using namespace std::chrono_literals;
using namespace pgcoord;
using pgcoord::test::PeerScript;

Reply announced(std::int64_t deadline) {
  Reply reply;
  reply.deadline = UtcTime(std::chrono::microseconds(deadline));
  return reply;
}

RequestId announce(PeerScript& script, Duration timeout = 30s) {
  return script.core.announce_shutdown(ShutdownIntent::preemption, timeout, 4, "{}", script.now);
}

Execute expect_announcement(PeerScript& script, const std::string& seconds) {
  const auto command = script.expect(Statement::announce_shutdown);
  EXPECT_EQ(command.parameters, (Parameters{"preemption", seconds, "4", "{}"}));
  return command;
}

/// The registry's row of this session's own member.
PeerRecord own(std::int64_t deadline, Duration remaining, std::int64_t incarnation = 1) {
  auto record = PeerScript::noticed("me", remaining, incarnation);
  record.notice->intent = ShutdownIntent::maintenance;
  record.notice->expected_completion_at = UtcTime(std::chrono::microseconds(deadline));
  return record;
}

void rejoin(PeerScript& script) {
  script.core.disconnected({"08006", "gone", {}, {}}, script.now);
  script.pass(10s);
  script.join();
}

TEST(CoreShutdown, is_announced_at_once_and_answered) {
  PeerScript script;
  script.join();
  const auto request = announce(script);
  script.answer(expect_announcement(script, "30.000000"), announced(99));
  const auto done = script.core.take_completions();
  ASSERT_EQ(done.size(), 1U);
  EXPECT_EQ(done[0].request, request);
  EXPECT_EQ(done[0].reply.deadline, announced(99).deadline);
  EXPECT_TRUE(script.idle());
}

TEST(CoreShutdown, stands_across_a_reconnect_with_the_time_that_is_left) {
  PeerScript script;
  script.join();
  announce(script);
  script.answer(expect_announcement(script, "30.000000"), announced(99));
  script.pass(2s);
  rejoin(script);
  script.answer(expect_announcement(script, "18.000000"), announced(100));
  rejoin(script);
  rejoin(script);
  EXPECT_EQ(script.core.take_completions().size(), 1U);
  expect_announcement(script, "0.000000");  // over: the new incarnation is to be so too
}

TEST(CoreShutdown, made_while_disconnected_it_is_announced_when_joined) {
  PeerScript script;
  announce(script);
  script.pass(5s);
  script.join();
  script.answer(expect_announcement(script, "25.000000"), announced(99));
  EXPECT_EQ(script.core.take_completions().size(), 1U);
}

TEST(CoreShutdown, stands_when_nobody_waits_any_more) {
  PeerScript script;
  EXPECT_TRUE(script.core.abandon(announce(script), script.now));
  script.join();
  expect_announcement(script, "30.000000");
}

TEST(CoreShutdown, a_failure_is_told_and_it_is_tried_again) {
  PeerScript script;
  script.join();
  announce(script);
  script.fail(expect_announcement(script, "30.000000"), "55P03");
  EXPECT_EQ(script.core.take_completions().at(0).reply.failure->sqlstate, "55P03");
  EXPECT_TRUE(script.idle());
  script.now = *script.core.deadline();
  EXPECT_EQ(script.statement().statement, Statement::announce_shutdown);
}

TEST(CoreShutdown, a_refusal_for_good_takes_it_back) {
  PeerScript script;
  script.join();
  announce(script, 48h);
  script.fail(expect_announcement(script, "172800.000000"), "22023");
  script.take<Event>();
  script.pass(1s);
  EXPECT_TRUE(script.idle());
  rejoin(script);
  EXPECT_TRUE(script.idle());
}

TEST(CoreShutdown, the_newer_replaces_the_older_even_while_that_is_out) {
  PeerScript script;
  script.join();
  announce(script);
  const auto out = expect_announcement(script, "30.000000");
  announce(script, 5s);
  script.answer(out, announced(99));
  script.answer(expect_announcement(script, "5.000000"), announced(50));
  EXPECT_EQ(script.core.take_completions().size(), 2U);
  EXPECT_TRUE(script.idle());
}

TEST(CoreShutdown, no_campaign_before_it_is_announced_again_and_none_after_its_end) {
  PeerScript script;
  script.core.campaign("e", 0, script.now);
  announce(script, 3s);
  script.join();
  script.answer(expect_announcement(script, "3.000000"), announced(99));
  script.answer(script.expect(Statement::campaign), PeerScript::ours("e", 7));
  script.pass(5s);
  script.heartbeat();
  EXPECT_EQ(script.take<Lost>().front().cause, LossCause::superseded);
  EXPECT_EQ(script.live(30s, Statement::campaign), 0);
}

TEST(CoreShutdown, somebody_elses_drain_is_told_once_and_stands) {
  PeerScript script;
  script.watch({});
  script.ring("shutdown", {{"instance_id", "me"}});
  script.read("me", {own(500, 20s)});
  auto requested = script.take<DrainRequested>();
  ASSERT_EQ(requested.size(), 1U);
  EXPECT_EQ(requested[0].notice.intent, ShutdownIntent::maintenance);
  EXPECT_EQ(requested[0].deadline, script.now + 20s);
  script.pass(10ms);
  script.ring("shutdown", {{"instance_id", "me"}});
  script.read("me", {own(500, 20s)});
  EXPECT_TRUE(script.take<DrainRequested>().empty());
  rejoin(script);
  const auto again = script.expect(Statement::announce_shutdown);
  EXPECT_EQ(again.parameters[0], "maintenance");
  EXPECT_EQ(again.parameters[1], "9.990000");
}

TEST(CoreShutdown, our_own_notice_is_no_request) {
  PeerScript script;
  script.watch({});
  announce(script);
  script.ring("shutdown", {{"instance_id", "me"}});
  script.answer(expect_announcement(script, "30.000000"), announced(500));
  script.read("me", {own(500, 30s)});
  EXPECT_TRUE(script.take<DrainRequested>().empty());
}

TEST(CoreShutdown, a_notice_of_another_incarnation_is_no_request) {
  PeerScript script;
  script.watch({});
  script.ring("shutdown", {{"instance_id", "me"}});
  script.read("me", {own(500, 30s, 2)});
  EXPECT_TRUE(script.take<DrainRequested>().empty());
}

// PC001 is also said to a member whose notice has run out; joining again would undo an operator's drain.
TEST(CoreShutdown, who_is_refused_for_its_notice_stays_and_campaigns_no_more) {
  PeerScript script;
  script.core.campaign("e", 0, script.now);
  script.join();
  script.fail(script.expect(Statement::campaign), "PC001");
  script.heartbeat();
  EXPECT_TRUE(script.take<NotMember>().empty());
  EXPECT_EQ(script.live(60s, Statement::campaign), 0);
  rejoin(script);
  script.expect(Statement::campaign);
}

TEST(CoreShutdown, who_is_refused_as_no_member_joins_again) {
  PeerScript script;
  script.core.campaign("e", 0, script.now);
  script.join();
  script.fail(script.expect(Statement::campaign), "PC001");
  script.fail(script.expect(Statement::heartbeat), "PC001");
  EXPECT_EQ(script.take<NotMember>().size(), 1U);
  script.expect(Statement::join);
}

}  // namespace
