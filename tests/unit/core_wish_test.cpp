// Campaigns, attempts, sweeps.
#include "support/core_script.hpp"

namespace {

using namespace std::chrono_literals;
using namespace pgcoord;
using pgcoord::test::CoreScript;

TEST(CoreWish, a_campaign_stands_across_reconnects) {
  CoreScript script;
  script.queue("e");
  script.core.disconnected({"08006", "gone", {}, {}}, script.now);
  script.now = *script.core.deadline();
  script.join();
  const auto campaign = script.expect(Statement::campaign);
  EXPECT_EQ(campaign.parameters, (Parameters{"e", "0"}));
}

TEST(CoreWish, a_queued_candidate_does_not_campaign_again) {
  CoreScript script;
  script.queue("e");
  script.core.campaign("e", 0, script.now);
  EXPECT_TRUE(script.idle());
  script.core.campaign("e", 5, script.now);
  script.pass(10ms);
  EXPECT_EQ(script.expect(Statement::campaign).parameters, (Parameters{"e", "5"}));
}

TEST(CoreWish, an_error_of_a_campaign_is_tried_again_later) {
  CoreScript script;
  script.core.campaign("e", 0, script.now);
  script.join();
  Duration bound = 100ms;
  for (int attempt = 0; attempt < 5; ++attempt) {
    script.fail(script.expect(Statement::campaign), "55P03");
    EXPECT_EQ(script.take<Failed>().front().action, "campaign");
    const auto wait = *script.core.deadline() - script.now;
    EXPECT_GE(wait, bound / 2);
    EXPECT_LE(wait, bound);
    bound *= 2;
    script.pass(wait);
  }
  script.answer(script.expect(Statement::campaign), CoreScript::ours("e", 3));
  EXPECT_TRUE(script.leads("e"));
}

TEST(CoreWish, a_withdrawn_campaign_leaves_the_queue) {
  CoreScript script;
  script.queue("e");
  script.core.withdraw("e", script.now);
  script.answer(script.expect(Statement::withdraw));
  EXPECT_TRUE(script.idle());
}

TEST(CoreWish, a_term_won_after_the_withdrawal_is_handed_back) {
  CoreScript script;
  script.core.campaign("e", 0, script.now);
  script.join();
  const auto campaign = script.expect(Statement::campaign);
  script.core.withdraw("e", script.now);
  script.answer(campaign, CoreScript::ours("e", 3));
  EXPECT_FALSE(script.leads("e"));
  script.answer(script.expect(Statement::resign));
  EXPECT_TRUE(script.take<Elected>().empty());
}

TEST(CoreWish, withdrawing_while_leading_keeps_the_term) {
  CoreScript script;
  script.lead("e", 7);
  script.core.withdraw("e", script.now);
  script.pass(5s);
  script.heartbeat({CoreScript::row("e", "me", 7, true)});
  EXPECT_TRUE(script.leads("e"));
  EXPECT_TRUE(script.idle());
}

TEST(CoreWish, one_attempt_is_one_statement) {
  CoreScript script;
  script.join();
  script.core.try_acquire("e", script.now);
  script.answer(script.expect(Statement::try_acquire),
                CoreScript::rows({CoreScript::row("e", "other", 2, false)}));
  EXPECT_FALSE(script.core.take_completions().front().reply.flag);
  EXPECT_EQ(script.core.current_leader("e", script.now), "other");
  EXPECT_TRUE(script.idle());
}

TEST(CoreWish, an_attempt_while_leading_asks_nobody) {
  CoreScript script;
  script.lead("e", 7);
  script.core.try_acquire("e", script.now);
  EXPECT_TRUE(script.core.take_completions().front().reply.flag);
  EXPECT_TRUE(script.idle());
}

TEST(CoreWish, what_an_abandoned_attempt_wins_is_handed_back) {
  CoreScript script;
  script.join();
  const auto request = script.core.try_acquire("e", script.now);
  const auto command = script.expect(Statement::try_acquire);
  EXPECT_FALSE(script.core.abandon(request, script.now));
  script.answer(command, CoreScript::ours("e", 3));
  EXPECT_FALSE(script.leads("e"));
  script.expect(Statement::resign);
  EXPECT_TRUE(script.core.take_completions().empty());
}

TEST(CoreWish, an_attempt_that_was_abandoned_unsent_is_never_sent) {
  CoreScript script;
  const auto request = script.core.try_acquire("e", script.now);
  EXPECT_TRUE(script.core.abandon(request, script.now));
  script.join();
  EXPECT_TRUE(script.idle());
}

TEST(CoreWish, candidates_sweep_when_the_server_says_plus_their_own_jitter) {
  CoreScript script;
  script.queue("e");
  const auto first = *script.core.deadline() - script.now;
  EXPECT_LE(first, 300ms);
  script.pass(first);
  Reply reply;
  reply.wait = 2s;
  script.answer(script.expect(Statement::sweep), reply);
  const auto second = *script.core.deadline() - script.now;
  EXPECT_GE(second, 2s);
  EXPECT_LE(second, 2300ms);
}

TEST(CoreWish, a_leader_and_a_bystander_do_not_sweep) {
  CoreScript leader;
  leader.lead("e", 7);
  leader.pass(4999ms);
  EXPECT_TRUE(leader.idle());
  CoreScript bystander;
  bystander.join();
  bystander.pass(4999ms);
  EXPECT_TRUE(bystander.idle());
}

TEST(CoreWish, one_heartbeat_answers_every_waiting_renewal) {
  CoreScript script;
  script.lead("e", 7);
  script.pass(1s);
  script.core.renew(script.now);
  script.core.renew(script.now);
  script.heartbeat({CoreScript::row("e", "me", 7, true)});
  EXPECT_EQ(script.core.take_completions().size(), 2U);
  EXPECT_TRUE(script.idle());
}

TEST(CoreWish, load_and_subscriptions_go_with_the_heartbeat) {
  CoreScript script;
  script.join();
  script.core.set_load(3, 0.5);
  script.core.set_subscriptions({"a\"b", "c\\d", ""});
  script.pass(5s);
  const auto heartbeat = script.expect(Statement::heartbeat);
  EXPECT_EQ(heartbeat.parameters, (Parameters{R"({"a\"b","c\\d",""})", "3", "0.5", "false"}));
  script.answer(heartbeat);
  script.pass(5s);
  EXPECT_EQ(script.expect(Statement::heartbeat).parameters[0], std::nullopt);
}

}  // namespace
