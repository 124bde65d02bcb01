// What a leader believes, and until when.
#include "support/core_script.hpp"

namespace {

using namespace std::chrono_literals;
using namespace pgcoord;
using pgcoord::test::CoreScript;

TEST(CoreLeading, a_grant_makes_leader_until_the_timeout_after_the_heartbeat_was_sent) {
  CoreScript script;
  script.lead("e", 7);
  const auto elected = script.take<Elected>();
  ASSERT_EQ(elected.size(), 1U);
  EXPECT_EQ(elected.front().token, Token{7});
  script.pass(15s - 1ns);
  EXPECT_TRUE(script.leads("e"));
  script.pass(1ns);
  EXPECT_FALSE(script.leads("e"));
  const auto lost = script.take<Lost>();
  ASSERT_EQ(lost.size(), 1U);
  EXPECT_EQ(lost.front().cause, LossCause::expired);
}

TEST(CoreLeading, G4_the_deadline_counts_from_before_the_request) {
  CoreScript script;
  script.lead("e", 7);
  script.pass(5s);
  const auto heartbeat = script.expect(Statement::heartbeat);
  script.pass(3s);  // the answer was slow
  script.answer(heartbeat, CoreScript::ours("e", 7));
  script.pass(12s - 1ns);
  EXPECT_TRUE(script.leads("e"));
  script.pass(1ns);
  EXPECT_FALSE(script.leads("e"));
}

TEST(CoreLeading, heartbeats_every_third_of_the_timeout) {
  CoreScript script;
  script.lead("e", 7);
  for (int round = 0; round < 4; ++round) {
    EXPECT_EQ(script.core.deadline(), script.now + 5s);
    script.pass(5s - 1ns);
    EXPECT_TRUE(script.idle());
    script.pass(1ns);
    script.heartbeat({CoreScript::row("e", "me", 7, true)});
    EXPECT_TRUE(script.leads("e"));
  }
  EXPECT_TRUE(script.take<Lost>().empty());
}

TEST(CoreLeading, a_reply_after_the_deadline_does_not_bring_the_term_back) {
  CoreScript script([] {
    auto options = CoreScript::options_for();
    options.answer_timeout = 7500ms;
    return options;
  }());
  script.lead("e", 7);
  script.pass(14s);
  const auto heartbeat = script.expect(Statement::heartbeat);
  script.pass(2s);
  EXPECT_EQ(script.take<Lost>().size(), 1U);
  script.answer(heartbeat, CoreScript::ours("e", 7));
  EXPECT_FALSE(script.leads("e"));
  EXPECT_TRUE(script.take<Elected>().empty());
  script.answer(script.expect(Statement::resign));
  script.answer(script.expect(Statement::campaign), CoreScript::ours("e", 8));
  EXPECT_TRUE(script.leads("e"));
  EXPECT_EQ(script.take<Elected>().front().token, Token{8});
}

TEST(CoreLeading, a_term_that_a_reader_saw_expire_is_over) {
  CoreScript script;
  script.lead("e", 7);
  script.pass(5s);
  const auto heartbeat = script.expect(Statement::heartbeat);
  // A reader with a fresher clock than the core's.
  EXPECT_FALSE(script.core.cell("e")->is_leader(script.now + 11s));
  script.answer(heartbeat, CoreScript::ours("e", 7));
  EXPECT_FALSE(script.leads("e"));
  EXPECT_EQ(script.take<Lost>().size(), 1U);
  script.expect(Statement::resign);
}

TEST(CoreLeading, a_suspended_machine_wakes_up_as_a_former_leader) {
  CoreScript script;
  script.lead("e", 7);
  script.pass(8h);
  EXPECT_FALSE(script.leads("e"));
  ASSERT_EQ(script.take<Lost>().size(), 1U);
  // Nothing is confirmed from memory: first a heartbeat, then the hand-over, then a new campaign.
  script.answer(script.expect(Statement::heartbeat), {});
  script.answer(script.expect(Statement::campaign), CoreScript::ours("e", 9));
  EXPECT_TRUE(script.leads("e"));
}

TEST(CoreLeading, field_case_46_one_failed_heartbeat_is_no_loss) {
  CoreScript script;
  script.lead("e", 7);
  script.take<Event>();
  script.pass(5s);
  script.fail(script.expect(Statement::heartbeat), "57014");
  EXPECT_TRUE(script.leads("e"));
  EXPECT_EQ(script.take<Failed>().size(), 1U);
  const auto retry = script.core.deadline();
  ASSERT_TRUE(retry);
  EXPECT_LE(*retry - script.now, 1s);
  script.now = *retry;
  script.heartbeat({CoreScript::row("e", "me", 7, true)});
  const auto events = script.take<Event>();
  EXPECT_TRUE(events.empty());
  EXPECT_TRUE(script.leads("e"));
}

TEST(CoreLeading, field_case_44_errors_of_every_heartbeat_end_the_lead_in_time) {
  CoreScript script;
  script.lead("e", 7);
  const auto begin = script.now;
  while (script.leads("e") && script.now < begin + 1min) {
    script.now = *script.core.deadline();
    script.core.tick(script.now);
    if (auto next = script.action()) {
      const auto& command = std::get<Execute>(*next);
      if (command.statement == Statement::heartbeat) script.fail(command, "42501");
    }
  }
  EXPECT_EQ(script.now - begin, 15s);
  EXPECT_EQ(script.take<Lost>().size(), 1U);
}

TEST(CoreLeading, the_servers_word_that_the_term_is_over_ends_it) {
  CoreScript script;
  script.lead("e", 7);
  script.pass(5s);
  script.heartbeat({});
  EXPECT_FALSE(script.leads("e"));
  EXPECT_EQ(script.take<Lost>().front().cause, LossCause::superseded);
  script.expect(Statement::campaign);  // the wish stands
}

TEST(CoreLeading, a_lost_connection_ends_the_lead_at_once) {
  CoreScript script;
  script.lead("e", 7);
  script.core.disconnected({"08006", "gone", {}, {}}, script.now);
  EXPECT_FALSE(script.leads("e"));
  EXPECT_EQ(script.take<Lost>().front().cause, LossCause::disconnected);
}

TEST(CoreLeading, PC001_means_join_again_and_campaign_again) {
  CoreScript script;
  script.lead("e", 7);
  script.take<Event>();
  script.pass(5s);
  script.fail(script.expect(Statement::heartbeat), "PC001");
  EXPECT_FALSE(script.leads("e"));
  const auto events = script.take<Event>();
  ASSERT_EQ(events.size(), 2U);
  EXPECT_EQ(std::get<Lost>(events[0]).cause, LossCause::not_member);
  EXPECT_TRUE(std::holds_alternative<NotMember>(events[1]));
  script.answer(script.expect(Statement::join));
  script.heartbeat();
  script.expect(Statement::campaign);
}

TEST(CoreLeading, a_withheld_heartbeat_costs_the_lead_by_the_deadline) {
  auto options = CoreScript::options_for();
  options.healthy = [] { return true; };  // only asked for by the core
  CoreScript script(options);
  const auto say = [&](bool well) {
    const auto action = script.action();
    ASSERT_TRUE(action && std::holds_alternative<AskHealth>(*action));
    script.core.health(well, script.now);
  };
  script.core.campaign("e", 0, script.now);
  script.connect();
  script.answer(script.expect(Statement::listen));
  script.answer(script.expect(Statement::join));
  say(true);
  script.heartbeat();
  script.answer(script.expect(Statement::campaign), CoreScript::ours("e", 7));
  ASSERT_TRUE(script.leads("e"));
  for (int second = 5; second < 15; ++second) {
    script.pass(second == 5 ? 5s : 1s);
    say(false);
    EXPECT_TRUE(script.idle());
  }
  EXPECT_TRUE(script.leads("e"));
  script.pass(1s);
  EXPECT_FALSE(script.leads("e"));
  EXPECT_EQ(script.take<Lost>().front().cause, LossCause::unhealthy);
}

TEST(CoreLeading, release_turns_false_before_the_server_is_told) {
  CoreScript script;
  script.lead("e", 7);
  const auto request = script.core.release("e", script.now);
  EXPECT_FALSE(script.leads("e"));
  EXPECT_EQ(script.take<Lost>().front().cause, LossCause::resigned);
  Reply done;
  done.flag = true;
  script.answer(script.expect(Statement::resign), done);
  const auto completions = script.core.take_completions();
  ASSERT_EQ(completions.size(), 1U);
  EXPECT_EQ(completions.front().request, request);
  EXPECT_TRUE(completions.front().reply.flag);
  EXPECT_TRUE(script.idle());  // no new campaign
}

TEST(CoreLeading, a_failed_resign_is_tried_again_and_never_believed_as_leading) {
  CoreScript script;
  script.lead("e", 7);
  script.core.release("e", script.now);
  script.fail(script.expect(Statement::resign), "55P03");
  EXPECT_EQ(script.core.take_completions().front().reply.failure->sqlstate, "55P03");
  script.now = *script.core.deadline();
  script.answer(script.expect(Statement::resign));
  EXPECT_FALSE(script.leads("e"));
}

}  // namespace
