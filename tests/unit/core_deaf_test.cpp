// Notifications that do not come, because LISTEN is refused or the bell was not rung: nothing but time is
// lost.
#include "support/peer_script.hpp"

namespace {

using namespace std::chrono_literals;
using namespace pgcoord;
using pgcoord::test::CoreScript;
using pgcoord::test::PeerScript;

constexpr const char* lost_status = "58P01";  // the queue refers to a commit log that was removed

/// Lives on for so long; `answer` answers each statement.
template <typename Script, typename Answer>
void live(Script& script, Duration duration, Answer answer) {
  const auto end = script.now + duration;
  while (script.core.deadline() && *script.core.deadline() <= end) {
    script.now = std::max(script.now, *script.core.deadline());
    const auto next = script.action();
    if (next) answer(std::get<Execute>(*next));
  }
  script.now = end;
}

TEST(CoreDeaf, field_case_34_a_refused_listen_costs_neither_membership_nor_lead) {
  CoreScript script;
  script.core.campaign("e", 0, script.now);
  script.connect();
  script.fail(script.expect(Statement::listen), lost_status);
  script.answer(script.expect(Statement::join));
  script.heartbeat();
  script.answer(script.expect(Statement::campaign), CoreScript::ours("e", 7));
  EXPECT_TRUE(script.leads("e"));
  EXPECT_TRUE(script.core.is_ready());
  const auto events = script.take<Event>();
  int failures = 0;
  for (const auto& event : events) {
    EXPECT_FALSE(std::holds_alternative<Disconnected>(event));
    const auto* failed = std::get_if<Failed>(&event);
    if (!failed) continue;
    ++failures;
    EXPECT_EQ(failed->action, "listen");
    EXPECT_EQ(failed->reason.sqlstate, lost_status);
  }
  EXPECT_EQ(failures, 1);
}

TEST(CoreDeaf, field_case_34_is_tried_again_with_growing_waits_while_leaders_are_read_with_each_heartbeat) {
  CoreScript script;
  script.core.observe("e", script.now);
  int listens = 0;
  int reads = 0;
  int heartbeats = 0;
  script.connect();
  live(script, 2min, [&](const Execute& command) {
    listens += command.statement == Statement::listen ? 1 : 0;
    reads += command.statement == Statement::leader ? 1 : 0;
    heartbeats += command.statement == Statement::heartbeat ? 1 : 0;
    if (command.statement == Statement::listen) return script.fail(command, lost_status);
    if (command.statement != Statement::leader) return script.answer(command);
    script.answer(command, CoreScript::rows({CoreScript::row("e", "b", 1 + reads, false)}));
  });
  EXPECT_GE(listens, 5);
  EXPECT_LE(listens, 12);
  EXPECT_GE(heartbeats, 24);
  EXPECT_GE(reads, heartbeats - 1);
  EXPECT_EQ(script.take<LeaderChanged>().size(), static_cast<std::size_t>(reads));
}

TEST(CoreDeaf, field_case_34_when_it_works_everything_is_read_again_and_told) {
  CoreScript script;
  script.core.observe("e", script.now);
  script.connect();
  script.fail(script.expect(Statement::listen), lost_status);
  script.answer(script.expect(Statement::join));
  script.heartbeat();
  script.answer(script.expect(Statement::leader), CoreScript::rows({CoreScript::row("e", "a", 1, false)}));
  EXPECT_EQ(script.take<Resync>().size(), 1U);
  script.now = *script.core.deadline();
  script.answer(script.expect(Statement::listen));
  EXPECT_TRUE(script.take<Resync>().empty()) << "before everything was read";
  script.answer(script.expect(Statement::leader), CoreScript::rows({CoreScript::row("e", "b", 2, false)}));
  const auto resync = script.take<Resync>();
  ASSERT_EQ(resync.size(), 1U);
  EXPECT_EQ(resync[0].observed.at(0).leader, "b");
  script.announce("e", "c", 3);
  script.pass(10ms);
  script.expect(Statement::leader);
}

TEST(CoreDeaf, field_case_34_peers_and_work_are_read_with_each_heartbeat) {
  PeerScript script;
  script.core.watch_peers(script.now);
  script.connect();
  int peers = 0;
  int work = 0;
  bool refuse = true;
  const auto answer = [&](const Execute& command) {
    peers += command.statement == Statement::peers ? 1 : 0;
    work += command.statement == Statement::assignments ? 1 : 0;
    if (refuse && command.statement == Statement::listen) return script.fail(command, lost_status);
    script.answer(command, PeerScript::peers({PeerScript::noticed("b", 1h)}));
  };
  live(script, 1min, answer);
  EXPECT_GE(peers, 11);
  EXPECT_GE(work, 11);
  EXPECT_EQ(script.take<Resync>().size(), 1U);
  refuse = false;
  live(script, 31s, answer);
  EXPECT_EQ(script.take<Resync>().size(), 1U);
  peers = 0;
  live(script, 1min, answer);
  EXPECT_LE(peers, 6) << "it hears again, and need not look so often";
}

TEST(CoreDeaf, a_server_that_became_read_only_is_left_all_the_same) {
  CoreScript script;
  script.connect();
  script.fail(script.expect(Statement::listen), "25006");
  EXPECT_TRUE(std::holds_alternative<CloseConnection>(*script.action()));
}

TEST(CoreDeaf, G5_a_change_that_nobody_announced_is_read_within_the_pause) {
  CoreScript script;
  script.core.observe("e", script.now);
  script.join();
  script.answer(script.expect(Statement::leader), CoreScript::rows({CoreScript::row("e", "a", 1, false)}));
  script.take<Event>();
  int reads = 0;
  live(script, 100s, [&](const Execute& command) {
    if (command.statement != Statement::leader) return script.answer(command);
    ++reads;
    script.answer(command, CoreScript::rows({CoreScript::row("e", "b", 2, false)}));
  });
  EXPECT_EQ(script.take<LeaderChanged>().size(), 1U);
  EXPECT_GE(reads, 5);
  EXPECT_LE(reads, 8);
}

TEST(CoreDeaf, G5_of_an_election_that_nobody_follows_nothing_is_read) {
  CoreScript script;
  script.lead("led", 7);
  EXPECT_FALSE(script.core.cell("unknown")->is_leader(script.now));
  int reads = 0;
  live(script, 100s, [&](const Execute& command) {
    reads += command.statement == Statement::leader ? 1 : 0;
    script.answer(command, CoreScript::ours("led", 7));
  });
  EXPECT_TRUE(script.leads("led"));
  EXPECT_EQ(reads, 0);
}

}  // namespace
