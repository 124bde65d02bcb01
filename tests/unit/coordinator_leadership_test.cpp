#include "coordinator_fixture.hpp"

// What needs a leader: assigning work, handing over.

namespace pgcoord::test {
namespace {

using testing::ElementsAre;

std::string refusal(WorkRedistributionCoordinator& me) {
  try {
    (void)me.create_work_assignment("a", {"orders"});
    return {};
  } catch (const Error& error) {
    return error.sqlstate();
  }
}

TEST_F(Coordinator, T81_handoff_without_elector_is_false) { EXPECT_FALSE(me->initiate_leadership_handoff()); }

TEST_F(Coordinator, T82_handoff_of_a_follower_is_false) {
  ScriptedElector elector;
  elector.leads = false;
  me = make(&elector);
  EXPECT_FALSE(me->initiate_leadership_handoff());
  EXPECT_EQ(elector.releases, 0);
}

TEST_F(Coordinator, T83_handoff_of_a_leader) {
  const auto state = std::make_shared<SharedLeaderState>();
  InMemoryLeaderElector elector("me", state);
  elector.try_acquire();
  me = make(&elector);
  EXPECT_TRUE(me->initiate_leadership_handoff());
  EXPECT_FALSE(elector.is_leader());
  EXPECT_EQ(state->current_leader(), std::nullopt);
  EXPECT_FALSE(me->initiate_leadership_handoff()) << "only once";
  EXPECT_FALSE(me->is_shutting_down());
}

TEST_F(Coordinator, T170_a_leader_assigns) {
  ScriptedElector elector;
  me = make(&elector);
  const auto made = me->create_work_assignment("a", {"orders", "billing"}, 5);
  EXPECT_EQ(made.target_instance_id, "a");
  EXPECT_THAT(made.subscriptions, ElementsAre("orders", "billing"));
  EXPECT_EQ(made.source_instance_id, "me");
  EXPECT_EQ(made.assigned_at, time.utc());
  EXPECT_EQ(made.priority, 5);
  EXPECT_EQ(made.target_incarnation, std::nullopt);
  EXPECT_EQ(elector.renewals, 1);
}

TEST_F(Coordinator, T171_without_elector_anyone_assigns) {
  EXPECT_EQ(me->create_work_assignment("a", {"orders"}).priority, 0);
}

TEST_F(Coordinator, T172_a_lapsed_lead_assigns_nothing) {
  ScriptedElector elector;
  me = make(&elector);
  elector.renews = false;
  EXPECT_EQ(refusal(*me), sqlstate::not_leader);
  elector.renews = true;
  elector.leads = false;
  EXPECT_EQ(refusal(*me), sqlstate::not_leader);
  elector.leads = true;
  elector.throws_on_renew = true;
  EXPECT_EQ(refusal(*me), sqlstate::not_leader);
  EXPECT_EQ(errors, 1);
}

TEST_F(Coordinator, T173_handoff_of_a_proven_leader) {
  ScriptedElector elector;
  me = make(&elector);
  EXPECT_TRUE(me->initiate_leadership_handoff());
  EXPECT_EQ(elector.renewals, 1);
  EXPECT_EQ(elector.releases, 1);
}

TEST_F(Coordinator, T174_handoff_of_a_lapsed_lead_is_false) {
  ScriptedElector elector;
  me = make(&elector);
  elector.renews = false;
  EXPECT_FALSE(me->initiate_leadership_handoff());
  elector.throws_on_renew = true;
  EXPECT_FALSE(me->initiate_leadership_handoff());
  EXPECT_EQ(elector.releases, 0);
  EXPECT_EQ(errors, 1);
}

TEST_F(Coordinator, W29_a_handoff_that_failed_is_false) {
  ScriptedElector elector;
  me = make(&elector);
  elector.throws_on_release = true;
  EXPECT_FALSE(me->initiate_leadership_handoff());
  EXPECT_EQ(errors, 1);
  elector.leads = true;
  elector.throws_on_release = false;
  elector.keeps_on_release = true;
  EXPECT_FALSE(me->initiate_leadership_handoff()) << "it leads still";
}

TEST(LeadershipLease, T175_none_is_true) { EXPECT_TRUE(verify_leadership_lease(nullptr)); }

TEST(LeadershipLease, T176_leader_is_true) {
  ScriptedElector elector;
  EXPECT_TRUE(verify_leadership_lease(&elector));
}

TEST(LeadershipLease, T177_follower_is_false) {
  ScriptedElector elector;
  elector.leads = false;
  EXPECT_FALSE(verify_leadership_lease(&elector));
}

TEST(LeadershipLease, T178_lapsed_is_false) {
  ScriptedElector elector;
  elector.renews = false;
  EXPECT_FALSE(verify_leadership_lease(&elector));
}

TEST(LeadershipLease, T179_exception_is_false) {
  ScriptedElector elector;
  elector.throws_on_renew = true;
  int errors = 0;
  EXPECT_FALSE(verify_leadership_lease(&elector, [&](std::exception_ptr) {
    ++errors;
    throw 1;
  }));
  EXPECT_FALSE(verify_leadership_lease(&elector));
  EXPECT_EQ(errors, 1);
}

TEST_F(Coordinator, without_elector_its_own_lease_is_false) {
  EXPECT_FALSE(me->verify_leadership_lease());
  ScriptedElector elector;
  me = make(&elector);
  EXPECT_TRUE(me->verify_leadership_lease());
}

TEST_F(Coordinator, an_assignment_names_the_life_of_its_target) {
  me->handle_heartbeat(beat("a", {}, 6));
  me->set_incarnation(4);
  EXPECT_EQ(me->create_work_assignment("a", {"orders"}).target_incarnation, 6);
  EXPECT_EQ(me->create_work_assignment("me", {"orders"}).target_incarnation, 4);
}

TEST_F(Coordinator, an_assignment_of_nothing_or_to_nobody_is_refused) {
  EXPECT_THROW((void)me->create_work_assignment("a", {}), Error);
  EXPECT_THROW((void)me->create_work_assignment("", {"orders"}), Error);
}

}  // namespace
}  // namespace pgcoord::test
