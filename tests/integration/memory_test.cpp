// Sessions that live long: nothing piles up in their memory, or in the registry.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>

#include "fault_test.hpp"
#include "process.hpp"

namespace {

using namespace std::chrono_literals;
using namespace pgcoord::test;

class Memory : public FaultTest {
 protected:
  /// Kilobytes of its own that a process keeps in memory.
  static long resident(int pid) {
    std::ifstream status{"/proc/" + std::to_string(pid) + "/status"};
    for (std::string word; status >> word;)
      if (word == "RssAnon:") return status >> word, std::stol(word);
    throw std::runtime_error{"no such process"};
  }

  static std::int64_t contexts(Connection& session) {
    return std::stoll(session.value("SELECT sum(total_bytes) FROM pg_backend_memory_contexts").value());
  }

  /// Runs `round` some times to warm up, then many times; the session must not have grown by a megabyte.
  template <typename Round>
  static void expect_flat(Connection& session, int rounds, Round round) {
    for (int i = 0; i < rounds / 10; ++i) round(i);
    contexts(session);
    const std::int64_t bytes = contexts(session);
    const long kilobytes = resident(session.backend_pid());
    for (int i = 0; i < rounds; ++i) round(i);
    EXPECT_LT(contexts(session) - bytes, 256 * 1024);
    EXPECT_LT(resident(session.backend_pid()) - kilobytes, 1024);
  }
};

TEST_F(Memory, G7_a_thousand_memberships_leave_nothing) {
  Connection session = connect();
  expect_flat(session, 1000, [&](int round) {
    session.exec("SELECT coord.join('a'); ");
    session.exec("SELECT coord.campaign('x" + std::to_string(round % 10) + "')");
    if (round % 3 == 0) session.exec("SELECT coord.withdraw('x0')");
    ASSERT_EQ(session.value("SELECT coord.leave()"), "t");
  });
  for (const char* table : {"_member", "_beat", "_candidate"})
    EXPECT_EQ(session.value(std::string{"SELECT count(*) FROM coord."} + table), "0") << table;
  EXPECT_EQ(session.value("SELECT count(*) FROM coord._election WHERE leader_incarnation IS NOT NULL"), "0");
}

TEST_F(Memory, G7_members_that_die_and_come_back_leave_nothing) {
  Connection root = connect();
  for (int round = 0; round < 20; ++round) {
    Connection session = member("a");
    campaign(session, "x");
    ASSERT_TRUE(terminate(root, session.backend_pid()));
  }
  EXPECT_EQ(root.value("SELECT count(*) FROM coord._member"), "1");
  EXPECT_EQ(root.value("SELECT count(*) FROM coord._beat"), "1");
  EXPECT_EQ(root.value("SELECT count(*) FROM coord._candidate"), "0");
}

struct Mistake {
  const char* name;
  const char* call;
  const char* state;
  friend std::ostream& operator<<(std::ostream& out, const Mistake& mistake) { return out << mistake.call; }
};

class FailingCalls : public Memory, public testing::WithParamInterface<Mistake> {};

TEST_P(FailingCalls, G7_field_cases_91_and_92_leave_no_memory_and_no_harm) {
  Connection other = member("b");
  campaign(other, "theirs");
  other.exec("SELECT coord.try_lock('held')");
  Connection session = member("a");
  const std::string token = std::to_string(campaign(session, "mine").token);
  const std::string call = GetParam().call;
  expect_flat(session, 2000, [&](int) {
    ASSERT_EQ(session.sqlstate_of(call), GetParam().state);
    if (call.starts_with("BEGIN")) session.exec("ROLLBACK");
  });
  // Caught inside the server, where only a subtransaction ends.
  if (call.starts_with("SELECT"))
    expect_flat(session, 20, [&](int) {
      session.exec("DO $do$ BEGIN FOR i IN 1..900 LOOP BEGIN EXECUTE $call$" + call +
                   "$call$; EXCEPTION WHEN OTHERS THEN NULL; END; END LOOP; END $do$");
    });
  EXPECT_EQ(heartbeat(session).size(), 1U);
  EXPECT_EQ(fence_state(session, "mine", std::stoll(token)), "00000");
  EXPECT_FALSE(campaign(session, "theirs").is_leader);
  EXPECT_TRUE(resign(session, "mine"));
  EXPECT_TRUE(terminate(other, session.backend_pid(), 1s));
}

// Something wrong to do with each call.
const Mistake mistakes[] = {
    {"join_bad_name", "SELECT coord.join(E'a\\nb')", "22023"},
    {"join_bad_timeout", "SELECT coord.join('a', heartbeat_timeout => '0 s')", "22023"},
    {"join_second_name", "SELECT coord.join('c')", "PC003"},
    {"join_in_block", "BEGIN; SELECT coord.join('a')", "25001"},
    {"heartbeat_null", "SELECT coord.heartbeat('{NULL}')", "22004"},
    {"campaign_empty", "SELECT coord.campaign('')", "22023"},
    {"campaign_null", "SELECT coord.campaign(NULL)", "22004"},
    {"campaign_in_a_pair", "SELECT coord.campaign('new'), 1 / 0", "22012"},
    {"fence_unknown", "SELECT coord.fence('nothing', 1)", "PC002"},
    {"fence_stale", "SELECT coord.fence('mine', 1)", "PC002"},
    {"fence_then_error",
     "SELECT coord.fence(election, token), 1 / 0 FROM coord.elections WHERE election = 'mine'", "22012"},
    {"read_only", "BEGIN READ ONLY; SELECT coord.resign('mine')", "25001"},
    {"leader_null", "SELECT coord.leader(NULL)", "22004"},
    {"join_taken_name", "SELECT coord.join('b')", "PC003"},
    {"try_acquire_empty", "SELECT coord.try_acquire('')", "22023"},
    {"resign_empty", "SELECT coord.resign('')", "22023"},
    {"withdraw_empty", "SELECT coord.withdraw('')", "22023"},
    {"depose_in_a_pair", "SELECT coord.depose('theirs'), 1 / (random() * 0)::int", "22012"},
    {"announce_unknown_intent", "SELECT coord.announce_shutdown('suddenly')", "22023"},
    {"drain_nobody", "SELECT coord.drain('nobody')", "PC001"},
    {"remove_the_living", "SELECT coord.remove_member('b')", "PC003"},
    {"assign_stale", "SELECT coord.assign('b', '{s}', 'mine', 1)", "PC002"},
    {"assign_to_nobody", "SELECT coord.assign('nobody', '{s}', election, token) FROM coord.leader('mine')",
     "PC001"},
    {"guard_no_table", "SELECT coord.guard_table('nowhere', 'mine')", "42P01"},
    {"grant_unknown_level", "SELECT coord.grant_access('postgres', 'owner')", "22023"},
    {"try_lock_null", "SELECT coord.try_lock(NULL)", "22004"},
    {"try_lock_in_a_pair", "SELECT coord.try_lock('k'), 1 / (random() * 0)::int", "22012"},
    {"lock_bad_wait", "CALL coord.lock('k', '-1 s')", "22023"},
    {"unlock_null", "SELECT coord.unlock(NULL)", "22004"},
    {"sweep_in_block", "BEGIN; SELECT coord.sweep()", "25001"},
    {"lock_held_elsewhere", "CALL coord.lock('held', '0')", "55P03"},
    {"lock_timeout", "SET LOCAL lock_timeout = 1; CALL coord.lock('held')", "55P03"},
    {"lock_cancelled", "SET LOCAL statement_timeout = 1; CALL coord.lock('held')", "57014"},
    {"leave_in_block", "BEGIN; SELECT coord.leave()", "25001"},
    {"unguard_null", "SELECT coord.unguard_table(NULL)", "22004"},
    {"unguard_no_table", "SELECT coord.unguard_table('nowhere')", "42P01"},
    {"unlock_all_in_a_pair", "SELECT coord.unlock_all(), 1 / (random() * 0)::int", "22012"},
    {"lock_key_in_a_pair", "SELECT coord.lock_key('k' || random()), 1 / (random() * 0)::int", "22012"},
    {"migration_lock_key_no_uuid", "SELECT coord.migration_lock_key(('tenant' || random())::uuid)", "22P02"}};

INSTANTIATE_TEST_SUITE_P(Of, FailingCalls, testing::ValuesIn(mistakes),
                         [](const auto& info) { return info.param.name; });

TEST_F(Memory, field_case_91_every_call_has_its_mistake) {
  Connection session = connect();
  const Rows calls = session.exec(
      "SELECT DISTINCT proname FROM pg_proc WHERE pronamespace = 'coord'::regnamespace AND proname !~ '^_'");
  EXPECT_GE(calls.size(), 20U);
  for (const auto& row : calls) {
    const std::string call = "coord." + row[0].value() + "(";
    EXPECT_TRUE(std::any_of(
        std::begin(mistakes), std::end(mistakes),
        [&](const Mistake& mistake) { return std::string{mistake.call}.find(call) != std::string::npos; }))
        << call << "…) is never called wrongly";
  }
}

}  // namespace
