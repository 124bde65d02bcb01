// Connecting, losing the connection, the wrong server, two of one name.
#include "support/core_script.hpp"

namespace {

using namespace std::chrono_literals;
using namespace pgcoord;
using pgcoord::test::CoreScript;

const Failure gone{"08006", "gone", {}, {}};

Duration wait_after_failure(CoreScript& script) {
  const auto open = script.action();
  EXPECT_TRUE(open && std::holds_alternative<OpenConnection>(*open));
  script.core.disconnected(gone, script.now);
  const auto wait = *script.core.deadline() - script.now;
  script.pass(wait);
  return wait;
}

TEST(CoreConnection, listens_before_it_joins_and_joins_before_it_reads) {
  CoreScript script;
  script.core.observe("e", script.now);
  script.connect();
  const auto listen = script.expect(Statement::listen);
  EXPECT_EQ(listen.parameters.front(), "channel");
  EXPECT_TRUE(script.idle());  // one statement at a time
  script.answer(listen);
  const auto join = script.expect(Statement::join);
  EXPECT_EQ(join.parameters, (Parameters{"me", "default", "{}", "{}", "15.000000"}));
  script.answer(join);
  script.heartbeat();
  script.expect(Statement::leader);
}

TEST(CoreConnection, waits_double_with_jitter_from_a_tenth_to_five_seconds) {
  CoreScript script;
  Duration bound = 100ms;
  for (int attempt = 0; attempt < 12; ++attempt) {
    const auto wait = wait_after_failure(script);
    EXPECT_GE(wait, bound / 2);
    EXPECT_LE(wait, bound);
    bound = std::min<Duration>(bound * 2, 5s);
  }
}

TEST(CoreConnection, two_clients_do_not_come_back_together) {
  CoreScript one(CoreScript::options_for(), 1);
  CoreScript two(CoreScript::options_for(), 2);
  int same = 0;
  for (int attempt = 0; attempt < 8; ++attempt) {
    if (wait_after_failure(one) == wait_after_failure(two)) ++same;
  }
  EXPECT_EQ(same, 0);
}

TEST(CoreConnection, a_confirmed_heartbeat_resets_the_wait) {
  CoreScript script;
  for (int attempt = 0; attempt < 6; ++attempt) wait_after_failure(script);
  script.join();
  script.core.disconnected(gone, script.now);
  EXPECT_LE(*script.core.deadline() - script.now, 100ms);
}

TEST(CoreConnection, reads_again_after_a_gap_and_says_so_once) {
  CoreScript script;
  script.core.observe("e", script.now);
  script.join();
  script.answer(script.expect(Statement::leader), CoreScript::rows({CoreScript::row("e", "a", 1, false)}));
  EXPECT_EQ(script.take<Resync>().size(), 1U);
  script.core.disconnected(gone, script.now);
  EXPECT_EQ(script.take<Disconnected>().size(), 1U);
  script.now = *script.core.deadline();
  script.join();
  EXPECT_TRUE(script.take<Resync>().empty());  // not before everything was read
  script.answer(script.expect(Statement::leader), CoreScript::rows({CoreScript::row("e", "b", 4, false)}));
  const auto events = script.take<Event>();
  ASSERT_EQ(events.size(), 2U);
  EXPECT_EQ(std::get<LeaderChanged>(events[0]).leader, "b");
  const auto& observed = std::get<Resync>(events[1]).observed;
  ASSERT_EQ(observed.size(), 1U);
  EXPECT_EQ(observed[0].leader, "b");
  EXPECT_EQ(observed[0].token, Token{4});
}

TEST(CoreConnection, field_case_119_the_first_25006_ends_the_connection_and_skips_the_host) {
  CoreScript script;
  script.lead("e", 7);
  script.pass(5s);
  script.fail(script.expect(Statement::heartbeat), "25006");
  EXPECT_FALSE(script.leads("e"));
  const auto close = script.action();
  ASSERT_TRUE(close && std::holds_alternative<CloseConnection>(*close));
  EXPECT_EQ(std::get<CloseConnection>(*close).reason.sqlstate, "25006");
  script.now = *script.core.deadline();
  const auto open = script.action();
  ASSERT_TRUE(open && std::holds_alternative<OpenConnection>(*open));
  EXPECT_TRUE(std::get<OpenConnection>(*open).skip_last_host);
}

TEST(CoreConnection, field_case_53_a_name_in_use_is_reported_and_tried_again) {
  CoreScript script;
  script.connect();
  script.answer(script.expect(Statement::listen));
  Duration bound = 100ms;
  for (int attempt = 0; attempt < 8; ++attempt) {
    script.fail(script.expect(Statement::join), "PC003");
    EXPECT_EQ(script.take<InstanceInUse>().size(), 1U);
    const auto wait = *script.core.deadline() - script.now;
    EXPECT_GE(wait, bound / 2);
    EXPECT_LE(wait, bound);
    bound = std::min<Duration>(bound * 2, 5s);
    script.pass(wait);
  }
  EXPECT_FALSE(script.core.is_ready());
  script.answer(script.expect(Statement::join));
  script.heartbeat();
  EXPECT_TRUE(script.core.is_ready());
}

TEST(CoreConnection, a_statement_without_an_answer_ends_the_connection) {
  CoreScript script;
  script.lead("e", 7);
  script.pass(5s);
  script.expect(Statement::heartbeat);
  EXPECT_EQ(script.core.deadline(), script.now + 7500ms);
  script.pass(7500ms - 1ns);
  EXPECT_TRUE(script.idle());
  script.pass(1ns);
  const auto close = script.action();
  ASSERT_TRUE(close && std::holds_alternative<CloseConnection>(*close));
  EXPECT_FALSE(script.leads("e"));
}

TEST(CoreConnection, a_reply_to_what_an_earlier_connection_was_asked_is_ignored) {
  CoreScript script;
  script.lead("e", 7);
  script.pass(5s);
  const auto old = script.expect(Statement::heartbeat);
  script.core.disconnected(gone, script.now);
  script.take<Event>();
  script.answer(old, CoreScript::ours("e", 7));
  EXPECT_FALSE(script.leads("e"));
  EXPECT_TRUE(script.take<Event>().empty());
}

TEST(CoreConnection, waiting_requests_learn_that_the_connection_went) {
  CoreScript script;
  script.join();
  const auto request = script.core.try_acquire("e", script.now);
  script.expect(Statement::try_acquire);
  script.core.disconnected(gone, script.now);
  const auto completions = script.core.take_completions();
  ASSERT_EQ(completions.size(), 1U);
  EXPECT_EQ(completions[0].request, request);
  EXPECT_EQ(completions[0].reply.failure, gone);
}

TEST(CoreConnection, closing_gives_up_the_lead_leaves_and_ends) {
  CoreScript script;
  script.lead("e", 7);
  script.core.close(script.now);
  EXPECT_FALSE(script.leads("e"));
  EXPECT_EQ(script.take<Lost>().front().cause, LossCause::closed);
  script.answer(script.expect(Statement::leave));
  EXPECT_TRUE(std::holds_alternative<CloseConnection>(*script.action()));
  EXPECT_TRUE(script.core.closed());
  script.core.try_acquire("e", script.now);
  EXPECT_EQ(script.core.take_completions().front().reply.failure->sqlstate, "55000");
}

TEST(CoreConnection, closing_while_connecting_gives_the_attempt_up) {
  CoreScript script;
  script.action();
  script.core.close(script.now);
  EXPECT_TRUE(std::holds_alternative<CloseConnection>(*script.action()));
  EXPECT_TRUE(script.core.closed());
}

TEST(CoreConnection, an_observer_neither_joins_nor_heartbeats) {
  auto options = CoreScript::options_for();
  options.participation = Participation::observer;
  CoreScript script(options);
  script.core.observe("e", script.now);
  script.connect();
  script.answer(script.expect(Statement::listen));
  EXPECT_TRUE(script.core.is_ready());
  script.answer(script.expect(Statement::leader), CoreScript::rows({CoreScript::row("e", "a", 1, false)}));
  EXPECT_EQ(script.take<Resync>().size(), 1U);
  script.pass(5s);
  script.expect(Statement::ping);
}

}  // namespace
