// Work that is assigned to this session, and by it.
#include "support/peer_script.hpp"

namespace {

using namespace std::chrono_literals;
using namespace pgcoord;
using pgcoord::test::PeerScript;

std::vector<std::int64_t> told(PeerScript& script) {
  std::vector<std::int64_t> ids;
  for (const auto& work : script.take<WorkAssigned>()) ids.push_back(*work.assignment.assignment_id);
  return ids;
}

void ring(PeerScript& script, const std::string& target = "me") {
  script.ring("work", {{"target_instance_id", target}, {"subscriptions", {"forged"}}});
}

Execute expect_read(PeerScript& script, const std::string& incarnation, const std::string& after) {
  const auto command = script.expect(Statement::assignments);
  EXPECT_EQ(command.parameters, (Parameters{"default", "me", incarnation, after}));
  return command;
}

TEST(CoreAssignment, a_bell_is_followed_by_a_read_from_where_the_last_ended) {
  PeerScript script;
  script.watch({});
  ring(script);
  EXPECT_TRUE(told(script).empty());  // the payload is nothing
  script.answer(expect_read(script, "1", "0"), PeerScript::work({3, 5}));
  EXPECT_EQ(told(script), (std::vector<std::int64_t>{3, 5}));
  script.pass(10ms);
  ring(script);
  script.answer(expect_read(script, "1", "5"), PeerScript::work({6}));
  EXPECT_EQ(told(script), (std::vector<std::int64_t>{6}));
}

TEST(CoreAssignment, none_is_told_twice) {
  PeerScript script;
  script.watch({});
  ring(script);
  script.answer(expect_read(script, "1", "0"), PeerScript::work({3, 3, 2, 5}));
  EXPECT_EQ(told(script), (std::vector<std::int64_t>{3, 5}));
}

TEST(CoreAssignment, W25_work_for_others_is_not_read) {
  PeerScript script;
  script.watch({});
  ring(script, "other");
  EXPECT_TRUE(script.idle());
}

TEST(CoreAssignment, many_bells_are_one_read_and_one_during_it_is_another) {
  PeerScript script;
  script.watch({});
  for (int i = 0; i < 50; ++i) ring(script);
  const auto out = expect_read(script, "1", "0");
  for (int i = 0; i < 50; ++i) ring(script);
  script.answer(out, PeerScript::work({1}));
  EXPECT_TRUE(script.idle());
  script.pass(10ms);
  script.answer(expect_read(script, "1", "1"), PeerScript::work({2}));
  EXPECT_EQ(told(script), (std::vector<std::int64_t>{1, 2}));
}

TEST(CoreAssignment, every_incarnation_begins_anew) {
  PeerScript script;
  script.watch({});
  ring(script);
  script.answer(expect_read(script, "1", "0"), PeerScript::work({8}));
  script.core.disconnected({"08006", "gone", {}, {}}, script.now);
  script.pass(10s);
  script.connect();
  script.answer(script.expect(Statement::listen));
  Reply joined;
  joined.incarnation = 2;
  script.answer(script.expect(Statement::join), joined);
  script.heartbeat();
  script.answer_listen();
  script.answer(script.expect(Statement::peers));
  script.answer(expect_read(script, "2", "0"), PeerScript::work({9}));
  EXPECT_EQ(told(script), (std::vector<std::int64_t>{8, 9}));
}

TEST(CoreAssignment, G5_without_any_bell_it_is_found_by_the_read_of_everything) {
  PeerScript script;
  script.watch({});
  const int reads = script.live(100s, Statement::assignments);
  EXPECT_GE(reads, 6);
}

TEST(CoreAssignment, a_read_that_fails_is_tried_again) {
  PeerScript script;
  script.watch({});
  ring(script);
  script.fail(expect_read(script, "1", "0"), "55P03");
  EXPECT_TRUE(script.idle());
  script.now = *script.core.deadline();
  script.answer(expect_read(script, "1", "0"), PeerScript::work({1}));
  EXPECT_EQ(told(script), (std::vector<std::int64_t>{1}));
}

TEST(CoreAssignment, a_leader_assigns_with_its_token) {
  PeerScript script;
  script.join();
  const auto request = script.core.assign("b", {"orders", "a \"b\""}, "e", Token{7}, 3, script.now);
  const auto command = script.expect(Statement::assign);
  EXPECT_EQ(command.parameters, (Parameters{"b", "{\"orders\",\"a \\\"b\\\"\"}", "e", "7", "3"}));
  Reply reply;
  reply.assignment_id = 42;
  script.answer(command, reply);
  const auto done = script.core.take_completions();
  ASSERT_EQ(done.size(), 1U);
  EXPECT_EQ(done[0].request, request);
  EXPECT_EQ(done[0].reply.assignment_id, 42);
}

// PC001 is said of the target as well as of the caller.
TEST(CoreAssignment, a_target_that_is_gone_does_not_cost_our_own_membership) {
  PeerScript script;
  script.lead("e", 7);
  script.core.assign("b", {"orders"}, "e", Token{7}, 0, script.now);
  script.fail(script.expect(Statement::assign), "PC001");
  EXPECT_EQ(script.core.take_completions().at(0).reply.failure->sqlstate, "PC001");
  EXPECT_TRUE(script.leads("e"));
  script.heartbeat({PeerScript::row("e", "me", 7, true)});
  EXPECT_TRUE(script.leads("e"));
  EXPECT_TRUE(script.take<NotMember>().empty());
}

TEST(CoreAssignment, a_caller_that_is_gone_finds_out) {
  PeerScript script;
  script.lead("e", 7);
  script.core.assign("b", {"orders"}, "e", Token{7}, 0, script.now);
  script.fail(script.expect(Statement::assign), "PC001");
  script.fail(script.expect(Statement::heartbeat), "PC001");
  EXPECT_FALSE(script.leads("e"));
  EXPECT_EQ(script.take<NotMember>().size(), 1U);
}

}  // namespace
