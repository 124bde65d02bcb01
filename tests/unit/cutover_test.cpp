// The example's sequence, with locks in memory and a routing that does what the test says.
#include "cutover/cutover.hpp"

#include <gmock/gmock.h>

#include <vector>

#include "pgcoord/error.hpp"
#include "pgcoord/in_memory_lock_manager.hpp"
#include "pgcoord/lock_key.hpp"
#include "pgcoord/shared_lock_state.hpp"

namespace {

using namespace std::chrono_literals;
using namespace cutover;
using pgcoord::Error;
using pgcoord::InMemoryLockManager;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

const std::string tenant = "550e8400-e29b-41d4-a716-446655440000";
const std::string key = pgcoord::migration_lock_key(tenant, "cutover");

/// Keeps what it is told, and fails where the test wants it to.
class ScriptedRouting final : public Routing {
 public:
  RoutingState state(const std::string&) override { return act("state"), state_; }
  std::int64_t lag(const std::string&) override { return act("lag"), lag_; }
  void pause(const std::string&, std::int64_t, pgcoord::Duration) override { write("pause"); }
  bool switch_to_target(const std::string&, std::int64_t) override {
    if (answer_is_lost_) state_ = RoutingState::migrated;
    write("switch");
    if (pause_over_) return false;
    state_ = RoutingState::migrated;
    return true;
  }
  void resume(const std::string&, std::int64_t) override { write("resume"); }

  RoutingState state_ = RoutingState::dual_write;
  std::int64_t lag_ = 0;
  bool pause_over_ = false;
  bool answer_is_lost_ = false;
  /// SQLSTATE by call.
  std::map<std::string, std::string> failing_;
  std::vector<std::string> writes_;

 private:
  void write(const std::string& what) {
    writes_.push_back(what);
    act(what);
  }
  void act(const std::string& what) {
    if (failing_.contains(what)) throw Error(failing_[what], what + " failed");
  }
};

struct FakeTerm final : Term {
  explicit FakeTerm(std::vector<std::string>& log) : log_(log) {}
  ~FakeTerm() override { log_.emplace_back("term ended"); }
  [[nodiscard]] std::int64_t token() const override { return 7; }

  std::vector<std::string>& log_;
};

class CutoverSequence : public testing::Test {
 protected:
  Cutover make(CutoverOptions options = {}) {
    auto begin = [this](const std::string& election) -> std::unique_ptr<Term> {
      elections_.push_back(election);
      return term_free_ ? std::make_unique<FakeTerm>(elections_) : nullptr;
    };
    return {us_, begin, routing_, std::move(options)};
  }
  CutoverResult run(CutoverOptions options = {}) { return make(std::move(options)).execute(tenant); }
  /// Runs it, and does that before one step.
  CutoverResult run_with(Step when, const std::function<void()>& act) {
    CutoverOptions options;
    options.on_step = [when, act](Step step) {
      if (step == when) act();
    };
    return run(options);
  }

  std::shared_ptr<pgcoord::SharedLockState> locks_ = std::make_shared<pgcoord::SharedLockState>();
  InMemoryLockManager us_{locks_};
  InMemoryLockManager rival_{locks_};
  ScriptedRouting routing_;
  bool term_free_ = true;
  std::vector<std::string> elections_;
};

TEST_F(CutoverSequence, T157_half_a_second_for_the_lock_by_default) {
  EXPECT_EQ(make().options().lock_timeout, 500ms);
}

TEST_F(CutoverSequence, T158_another_lock_timeout_is_kept_and_used) {
  CutoverOptions options;
  options.lock_timeout = 20ms;
  EXPECT_EQ(make(options).options().lock_timeout, 20ms);
  const auto held = rival_.acquire(key);
  EXPECT_THAT(run(options).message, HasSubstr("Timeout after 0.02s"));
}

TEST_F(CutoverSequence, T159_without_the_lock_nothing_is_written) {
  const auto held = rival_.acquire(key);
  CutoverOptions options;
  options.lock_timeout = 0ms;
  const auto result = run(options);
  EXPECT_EQ(result.outcome, Outcome::refused);
  EXPECT_EQ(result.paused, pgcoord::Duration::zero());
  EXPECT_THAT(result.message, AllOf(HasSubstr("Failed to acquire cutover lock"), HasSubstr(key)));
  EXPECT_THAT(routing_.writes_, IsEmpty());
  EXPECT_THAT(elections_, IsEmpty());
}

TEST_F(CutoverSequence, T160_the_second_of_two_is_refused_for_the_lock) {
  CutoverResult second;
  const auto first = run_with(Step::route, [&] {
    CutoverOptions options;
    options.lock_timeout = 0ms;
    Cutover other(
        rival_, [](const std::string&) { return nullptr; }, routing_, options);
    second = other.execute(tenant);
  });
  EXPECT_EQ(first.outcome, Outcome::switched);
  EXPECT_EQ(second.outcome, Outcome::refused);
  EXPECT_THAT(second.message, HasSubstr("lock"));
}

TEST_F(CutoverSequence, T161_the_probe_says_that_the_lock_is_held_and_takes_nothing) {
  EXPECT_TRUE(make().readiness(tenant).ready);
  EXPECT_EQ(us_.held_lock_count(), 0U);
  const auto held = rival_.acquire(key);
  const auto readiness = make().readiness(tenant);
  EXPECT_FALSE(readiness.ready);
  EXPECT_EQ(readiness.reason, "Cutover lock is already held by another process");
  EXPECT_THAT(routing_.writes_, IsEmpty());
}

TEST_F(CutoverSequence, W14_a_probe_that_cannot_ask_says_no_and_does_not_throw) {
  routing_.failing_["state"] = "08006";
  EXPECT_THAT(make().readiness(tenant).reason, HasSubstr("state failed"));
}

TEST_F(CutoverSequence, the_probe_looks_at_state_and_lag_first) {
  routing_.lag_ = 101;
  EXPECT_THAT(make().readiness(tenant).reason, HasSubstr("101 events"));
  routing_.state_ = RoutingState::normal;
  EXPECT_FALSE(make().readiness(tenant).ready);
  routing_.state_ = RoutingState::migrated;
  EXPECT_THAT(make().readiness(tenant).reason, HasSubstr("already"));
}

TEST_F(CutoverSequence, goes_step_by_step_and_gives_everything_back) {
  std::vector<Step> steps;
  CutoverOptions options;
  options.on_step = [&](Step step) {
    steps.push_back(step);
    EXPECT_TRUE(us_.is_held(key));
  };
  EXPECT_EQ(run(options).outcome, Outcome::switched);
  EXPECT_THAT(steps, ElementsAre(Step::term, Step::pause, Step::check, Step::route, Step::resume));
  EXPECT_THAT(routing_.writes_, ElementsAre("pause", "switch", "resume"));
  EXPECT_THAT(elections_, ElementsAre(key, "term ended"));
  EXPECT_EQ(us_.held_lock_count(), 0U);
}

TEST_F(CutoverSequence, a_tenant_that_is_not_ready_is_not_paused) {
  routing_.state_ = RoutingState::migrated;
  EXPECT_EQ(run().outcome, Outcome::refused);
  EXPECT_THAT(routing_.writes_, IsEmpty());
}

TEST_F(CutoverSequence, a_term_that_has_not_ended_refuses_the_next) {
  term_free_ = false;
  const auto result = run();
  EXPECT_EQ(result.outcome, Outcome::refused);
  EXPECT_THAT(result.message, HasSubstr("has not ended"));
  EXPECT_THAT(routing_.writes_, IsEmpty());
}

TEST_F(CutoverSequence, a_target_that_does_not_catch_up_in_the_budget_rolls_back) {
  routing_.lag_ = 3;
  CutoverOptions options;
  options.pause_budget = 10ms;
  const auto result = run(options);
  EXPECT_EQ(result.outcome, Outcome::rolled_back);
  EXPECT_THAT(result.message, HasSubstr("3 events"));
  EXPECT_THAT(routing_.writes_, ElementsAre("pause", "resume"));
  EXPECT_GE(result.paused, 10ms);
}

TEST_F(CutoverSequence, a_pause_that_is_over_rolls_back) {
  routing_.pause_over_ = true;
  EXPECT_EQ(run().outcome, Outcome::rolled_back);
}

TEST_F(CutoverSequence, a_lock_lost_in_the_middle_rolls_back) {
  const auto result = run_with(Step::route, [&] { locks_->lose(key); });
  EXPECT_EQ(result.outcome, Outcome::rolled_back);
  EXPECT_THAT(result.message, HasSubstr("lock was lost"));
  EXPECT_THAT(routing_.writes_, ElementsAre("pause", "resume"));
}

TEST_F(CutoverSequence, every_step_that_fails_rolls_back) {
  for (const Step step : {Step::pause, Step::check, Step::route}) {
    routing_.writes_.clear();
    const auto result = run_with(step, [] { throw std::runtime_error("no more"); });
    EXPECT_EQ(result.outcome, Outcome::rolled_back);
    EXPECT_EQ(result.message, "no more");
    EXPECT_THAT(routing_.writes_, testing::Not(testing::Contains("switch")));
    EXPECT_EQ(routing_.writes_.back(), "resume");
  }
}

TEST_F(CutoverSequence, what_fails_after_the_switch_takes_nothing_back) {
  routing_.failing_["resume"] = "08006";
  EXPECT_EQ(run().outcome, Outcome::switched);
}

TEST_F(CutoverSequence, a_switch_whose_answer_is_lost_is_looked_up) {
  routing_.failing_["switch"] = "08006";
  EXPECT_EQ(run().outcome, Outcome::rolled_back);
  routing_.answer_is_lost_ = true;
  EXPECT_EQ(run().outcome, Outcome::switched);
}

TEST_F(CutoverSequence, who_cannot_ask_says_so) {
  const auto result = run_with(Step::route, [&] {
    for (const auto* call : {"switch", "resume", "state"}) routing_.failing_[call] = "08006";
  });
  EXPECT_EQ(result.outcome, Outcome::unknown);
  EXPECT_THAT(result.message, AllOf(HasSubstr("switch failed"), HasSubstr("state failed")));
}

TEST_F(CutoverSequence, the_server_unheard_is_no_rollback_but_a_newer_term_is) {
  const auto cut = run_with(Step::route, [&] {
    for (const auto* call : {"switch", "resume"}) routing_.failing_[call] = "08006";
  });
  EXPECT_EQ(cut.outcome, Outcome::unknown) << "the switch may still be on its way";
  const auto fenced = run_with(Step::route, [&] {
    for (const auto* call : {"switch", "resume"}) routing_.failing_[call] = "PC002";
  });
  EXPECT_EQ(fenced.outcome, Outcome::rolled_back);
}

}  // namespace
