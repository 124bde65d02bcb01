// Notifications: a reason to look, never the truth.
#include "support/core_script.hpp"

namespace {

using namespace std::chrono_literals;
using namespace pgcoord;
using pgcoord::test::CoreScript;

TEST(CoreNotice, fail_over_who_is_named_looks_at_once_and_leads) {
  CoreScript script;
  script.queue("e");
  script.announce("e", "me", 8);
  EXPECT_FALSE(script.leads("e"));  // the announcement alone is nothing
  script.pass(10ms);
  script.heartbeat({CoreScript::row("e", "me", 8, true)});
  EXPECT_TRUE(script.leads("e"));
  EXPECT_EQ(script.take<Elected>().front().token, Token{8});
}

TEST(CoreNotice, G5_a_lost_notification_costs_no_more_than_a_heartbeat) {
  CoreScript script;
  script.queue("e");
  bool swept = false;
  while (!script.leads("e") && script.now < Instant(1h) + 6s) {
    script.now = *script.core.deadline();
    const auto command = script.statement();
    swept = swept || command.statement == Statement::sweep;
    Reply reply = CoreScript::ours("e", 8);
    reply.wait = 10s;
    script.answer(command, reply);
  }
  EXPECT_TRUE(script.leads("e"));
  EXPECT_TRUE(swept);
}

TEST(CoreNotice, a_forged_one_costs_a_look_and_changes_nothing) {
  CoreScript script;
  script.queue("e");
  script.pass(10ms);
  script.announce("e", "me", 999);
  script.heartbeat({});
  EXPECT_FALSE(script.leads("e"));
  EXPECT_TRUE(script.take<Elected>().empty());
  EXPECT_EQ(script.core.current_leader("e", script.now), "other");
}

TEST(CoreNotice, a_flood_of_forged_ones_costs_one_look_in_ten_milliseconds) {
  CoreScript script;
  script.queue("e");
  int looks = 0;
  for (int i = 0; i < 1000; ++i) {
    script.pass(100us);
    script.announce("e", "me", 1000 + i);
    script.announce("e", nullptr, 0, "me");
    while (const auto next = script.action()) {
      ++looks;
      script.answer(std::get<Execute>(*next), CoreScript::rows({}));
    }
  }
  EXPECT_GE(looks, 2);
  EXPECT_LE(looks, 32);  // 100 ms: at most ten heartbeats and ten campaigns, a sweep, the reads
}

TEST(CoreNotice, a_flood_that_says_we_lost_does_not_make_a_leader_lose) {
  CoreScript script;
  script.lead("e", 7);
  for (int i = 0; i < 50; ++i) {
    script.pass(1ms);
    script.announce("e", "mallory", 1000 + i);
    while (const auto next = script.action()) {
      script.answer(std::get<Execute>(*next), CoreScript::ours("e", 7));
    }
  }
  EXPECT_TRUE(script.leads("e"));
  EXPECT_TRUE(script.take<Lost>().empty());
}

TEST(CoreNotice, malformed_ones_are_counted_and_ignored) {
  CoreScript script;
  script.queue("e");
  for (const char* payload : {"", "null", "[]", "{", "{\"election\":1}", "{\"election\":\"e\"}",
                              "{\"election\":\"e\",\"leader\":3}", "\xff\xfe"}) {
    script.core.notified("channel", payload, script.now);
  }
  EXPECT_EQ(script.core.malformed_notifications(), 8U);
  script.core.notified("another channel", "{", script.now);
  EXPECT_EQ(script.core.malformed_notifications(), 8U);
  EXPECT_TRUE(script.idle());
}

TEST(CoreNotice, two_hundred_candidates_who_is_not_named_does_nothing) {
  int statements = 0;
  for (int i = 0; i < 199; ++i) {
    CoreScript script(CoreScript::options_for("candidate " + std::to_string(i)), i);
    script.queue("e");
    script.announce("e", "the next one", 8);
    while (script.action()) ++statements;
  }
  EXPECT_EQ(statements, 0);
}

TEST(CoreNotice, an_observer_of_the_election_reads_at_once) {
  CoreScript script;
  script.queue("e");
  script.core.observe("e", script.now);
  script.announce("e", "b", 8);
  script.answer(script.expect(Statement::leader), CoreScript::rows({CoreScript::row("e", "b", 8, false)}));
  const auto changed = script.take<LeaderChanged>();
  ASSERT_EQ(changed.size(), 1U);
  EXPECT_EQ(changed[0].leader, "b");
}

TEST(CoreNotice, asking_for_an_outdated_leader_reads_it) {
  CoreScript script;
  script.queue("e");
  script.announce("e", "b", 8);
  EXPECT_TRUE(script.idle());
  EXPECT_EQ(script.core.current_leader("e", script.now), "other");
  script.answer(script.expect(Statement::leader), CoreScript::rows({CoreScript::row("e", "b", 8, false)}));
  EXPECT_EQ(script.core.current_leader("e", script.now), "b");
  EXPECT_TRUE(script.idle());
}

TEST(CoreNotice, what_nobody_asks_for_is_read_with_the_next_heartbeat) {
  CoreScript script;
  script.queue("e");
  script.announce("e", "b", 8);
  script.pass(5s);
  script.heartbeat();
  script.answer(script.expect(Statement::leader), CoreScript::rows({CoreScript::row("e", "b", 8, false)}));
  EXPECT_EQ(script.core.current_leader("e", script.now), "b");
}

TEST(CoreNotice, one_that_comes_during_a_read_is_not_swallowed_by_its_answer) {
  CoreScript script;
  script.core.observe("e", script.now);
  script.join();
  const auto read = script.expect(Statement::leader);
  script.announce("e", "b", 8);
  script.answer(read, CoreScript::rows({CoreScript::row("e", "a", 1, false)}));
  script.pass(10ms);
  script.answer(script.expect(Statement::leader), CoreScript::rows({CoreScript::row("e", "b", 8, false)}));
  EXPECT_EQ(script.core.current_leader("e", script.now), "b");
}

TEST(CoreNotice, one_that_comes_before_the_reply_it_belongs_to_costs_nothing) {
  CoreScript script;
  script.core.campaign("e", 0, script.now);
  script.join();
  const auto campaign = script.expect(Statement::campaign);
  script.announce("e", "me", 7);
  script.answer(campaign, CoreScript::ours("e", 7));
  EXPECT_TRUE(script.leads("e"));
  script.pass(1s);
  EXPECT_TRUE(script.idle());
}

TEST(CoreNotice, the_named_successor_campaigns_at_once) {
  CoreScript script;
  script.queue("e");
  script.pass(10ms);
  script.announce("e", nullptr, 1, "me");
  script.answer(script.expect(Statement::campaign), CoreScript::ours("e", 8));
  EXPECT_TRUE(script.leads("e"));
}

TEST(CoreNotice, the_others_campaign_after_a_jittered_second) {
  std::vector<Duration> waits;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    CoreScript script(CoreScript::options_for(), seed);
    script.queue("e");
    script.announce("e", nullptr, 1, "somebody else");
    const auto begin = script.now;
    Reply swept;
    swept.wait = 10s;
    while (true) {
      script.now = *script.core.deadline();
      const auto command = script.statement();
      if (command.statement == Statement::campaign) break;
      script.answer(command, swept);
    }
    waits.push_back(script.now - begin);
    EXPECT_GE(waits.back(), 1s);
    EXPECT_LE(waits.back(), 1500ms);
  }
  EXPECT_NE(waits.front(), waits.back());
}

TEST(CoreNotice, the_others_stay_quiet_if_the_successor_made_it) {
  CoreScript script;
  script.queue("e");
  script.announce("e", nullptr, 1, "somebody else");
  script.announce("e", "somebody else", 8);
  const auto begin = script.now;
  Reply swept;
  swept.wait = 10s;
  while (script.now < begin + 4s) {
    script.now = *script.core.deadline();
    const auto command = script.statement();
    EXPECT_NE(command.statement, Statement::campaign);
    script.answer(command, swept);
  }
}

}  // namespace
