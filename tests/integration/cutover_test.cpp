// The example cutover against a real server: races, deaths, a lost lock, a newer term. Events flow all the
// time; whatever happens, each that was accepted is where routing points.
#include <gmock/gmock.h>

#include <atomic>
#include <future>
#include <thread>

#include "cutover/cutover.hpp"
#include "cutover/pg_routing.hpp"
#include "cutover/pg_term.hpp"
#include "support/lock_server.hpp"
#include "support/fault_test.hpp"
#include "support/process.hpp"

namespace {

using namespace std::chrono_literals;
using namespace cutover;
using namespace pgcoord::test;
using testing::AnyOf;
using testing::HasSubstr;

const std::string tenant = "550e8400-e29b-41d4-a716-446655440000";

/// A program that accepts events, and a replicator that can be held up.
class Traffic {
 public:
  explicit Traffic(const std::string& conninfo)
      : writer_([this, conninfo](const std::stop_token& stop) {
          for (PgRouting routing(conninfo); !stop.stop_requested();) {
            if (routing.accept(tenant, accepted_ + 1)) ++accepted_;
          }
        }),
        replicator_([this, conninfo](const std::stop_token& stop) {
          for (PgRouting routing(conninfo); !stop.stop_requested();) {
            held_up_ ? std::this_thread::sleep_for(1ms) : routing.copy(tenant);
          }
        }) {}

  void hold_up(bool held_up = true) { held_up_ = held_up; }
  bool goes_on() const {
    const auto before = accepted_.load();
    return wait_until([&] { return accepted_ > before + 2; }, 10s);
  }

 private:
  std::atomic<std::int64_t> accepted_{0};
  std::atomic<bool> held_up_{false};
  std::jthread writer_;
  std::jthread replicator_;
};

/// All that one operator's process has.
struct Operator {
  Operator(const std::string& name, CutoverOptions options)
      : locks(lock_options(name)),
        session(options_for(name)),
        routing(shared_server().conninfo()),
        cutover(locks, PgTerm::begin(session, 2s), routing, std::move(options)) {}

  pgcoord::PgLockManager locks;
  pgcoord::Session session;
  PgRouting routing;
  Cutover cutover;
};

CutoverOptions patient() {
  CutoverOptions options;
  options.pause_budget = 20s;
  return options;
}

class CutoverOnServer : public testing::Test {
 protected:
  void SetUp() override {
    routing_.set_up(tenant);
    traffic_.emplace(shared_server().conninfo());
    ASSERT_TRUE(traffic_->goes_on());
  }
  void TearDown() override {
    EXPECT_TRUE(traffic_->goes_on()) << "writes rest for ever";
    traffic_.reset();
    EXPECT_EQ(routing_.missing(tenant), 0) << "routing points at a store that lacks events";
    routing_.drop();
  }

  RoutingState state() { return routing_.state(tenant); }
  /// The example's program.
  static std::unique_ptr<Child> program(const std::string& die_at = {}) {
    const char* folder = std::getenv("PGCOORD_EXAMPLES");
    std::vector<std::string> all{
        std::string(folder ? folder : "PGCOORD_EXAMPLES is not set") + "/pgcoord_cutover",
        shared_server().conninfo(), tenant, "2000"};
    if (!die_at.empty()) all.push_back(die_at);
    return std::make_unique<Child>(all);
  }
  static int code_of(Child& child) { return child.wait(30s).value().code.value_or(-1); }

  PgRouting routing_{shared_server().conninfo()};
  std::optional<Traffic> traffic_;
  Observer observer_;
};

TEST_F(CutoverOnServer, moves_a_tenant_whose_events_flow) {
  Operator anna("anna", patient());
  const auto result = anna.cutover.execute(tenant);
  EXPECT_EQ(result.outcome, Outcome::switched) << result.message;
  EXPECT_EQ(state(), RoutingState::migrated);
  EXPECT_THAT(anna.cutover.readiness(tenant).reason, HasSubstr("already"));
}

TEST_F(CutoverOnServer, a_target_that_lags_is_not_switched_to) {
  traffic_->hold_up();
  ASSERT_TRUE(traffic_->goes_on());
  CutoverOptions options;
  options.pause_budget = 50ms;
  options.ready_lag = 1'000'000;
  Operator anna("anna", options);
  const auto result = anna.cutover.execute(tenant);
  EXPECT_EQ(result.outcome, Outcome::rolled_back);
  EXPECT_EQ(state(), RoutingState::dual_write);
}

TEST_F(CutoverOnServer, of_many_at_once_one_switches) {
  std::vector<std::unique_ptr<Child>> racers;
  for (int i = 0; i < 4; ++i) racers.push_back(program());
  int switched = 0;
  for (auto& racer : racers) switched += code_of(*racer) == 0;
  EXPECT_EQ(switched, 1);
  EXPECT_EQ(state(), RoutingState::migrated);
}

TEST_F(CutoverOnServer, the_second_of_two_is_refused_and_the_first_untouched) {
  Operator ben("ben", patient());
  auto options = patient();
  options.on_step = [&](Step step) {
    if (step != Step::route) return;
    EXPECT_THAT(ben.cutover.readiness(tenant).reason, HasSubstr("lock"));
    const auto second = ben.cutover.execute(tenant);
    EXPECT_EQ(second.outcome, Outcome::refused);
    EXPECT_THAT(second.message, HasSubstr("Failed to acquire cutover lock"));
  };
  Operator anna("anna", options);
  EXPECT_EQ(anna.cutover.execute(tenant).outcome, Outcome::switched);
}

class CutoverKilled : public CutoverOnServer, public testing::WithParamInterface<const char*> {};

TEST_P(CutoverKilled, leaves_nothing_to_repair) {
  const auto child = program(GetParam());
  EXPECT_EQ(child->wait(30s).value().signal, SIGKILL);
  EXPECT_TRUE(traffic_->goes_on());
  const bool was_switched = std::string("resume") == GetParam();
  EXPECT_EQ(state(), was_switched ? RoutingState::migrated : RoutingState::dual_write);
  Operator next("next", patient());
  ASSERT_TRUE(wait_until([&] { return observer_.holders("cutover:" + tenant) == 0; }, 10s));
  const auto result = next.cutover.execute(tenant);
  EXPECT_EQ(result.outcome, was_switched ? Outcome::refused : Outcome::switched) << result.message;
  EXPECT_EQ(state(), RoutingState::migrated);
}

INSTANTIATE_TEST_SUITE_P(Before, CutoverKilled, testing::Values("term", "pause", "check", "route", "resume"),
                         [](const auto& info) { return std::string(info.param); });

TEST_F(CutoverOnServer, a_lock_lost_in_the_middle_rolls_back) {
  auto options = patient();
  Operator* self = nullptr;
  options.on_step = [&](Step step) {
    if (step != Step::route) return;
    observer_.terminate("cutover:" + tenant);
    EXPECT_TRUE(wait_until([&] { return !self->locks.is_held("cutover:" + tenant); }, 10s));
  };
  Operator anna("anna", options);
  self = &anna;
  const auto result = anna.cutover.execute(tenant);
  EXPECT_EQ(result.outcome, Outcome::rolled_back);
  EXPECT_THAT(result.message, HasSubstr("lock was lost"));
  EXPECT_EQ(state(), RoutingState::dual_write);
}

TEST_F(CutoverOnServer, who_has_the_lock_waits_for_the_term_of_one_who_lost_it) {
  Operator ben("ben", patient());
  auto options = patient();
  options.on_step = [&](Step step) {
    if (step != Step::route) return;
    observer_.terminate("cutover:" + tenant);
    const auto second = ben.cutover.execute(tenant);
    EXPECT_EQ(second.outcome, Outcome::refused);
    EXPECT_THAT(second.message, HasSubstr("has not ended"));
  };
  Operator anna("anna", options);
  EXPECT_EQ(anna.cutover.execute(tenant).outcome, Outcome::rolled_back);
  EXPECT_EQ(ben.cutover.execute(tenant).outcome, Outcome::switched);
}

/// Anna has seen that the target has everything, and then lost all her connections but one. The next cutover
/// found the target behind, and rolled back.
TEST_F(CutoverOnServer, a_stale_switch_is_fenced_off) {
  auto anna = shared_server().connect();
  anna.exec("SELECT coord.join('anna')");
  const auto token =
      std::stoll(anna.value("SELECT token FROM coord.campaign($1)", {"cutover:" + tenant}).value());
  PgRouting hers(shared_server().conninfo());
  hers.pause(tenant, token, 5s);
  ASSERT_TRUE(wait_until([&] { return hers.lag(tenant) == 0; }));
  traffic_->hold_up();
  ASSERT_TRUE(terminate(observer_, anna.backend_pid()));

  CutoverOptions options;
  options.pause_budget = 50ms;
  options.on_step = [&](Step step) {
    if (step != Step::pause) return;
    EXPECT_TRUE(traffic_->goes_on());
  };
  Operator ben("ben", options);
  EXPECT_EQ(ben.cutover.execute(tenant).outcome, Outcome::rolled_back);
  ASSERT_TRUE(traffic_->goes_on());
  try {
    hers.switch_to_target(tenant, token);
    ADD_FAILURE() << "a stale token was accepted";
  } catch (const pgcoord::Error& error) {
    EXPECT_EQ(error.sqlstate(), "PC002");
  }
  EXPECT_EQ(state(), RoutingState::dual_write);
}

TEST_F(CutoverOnServer, a_pause_ends_by_itself_also_when_the_clock_goes_back) {
  Operator anna("anna", patient());
  const auto term = PgTerm::begin(anna.session, 5s)("cutover:" + tenant);
  ASSERT_TRUE(term);
  anna.routing.pause(tenant, term->token(), 20ms);
  EXPECT_TRUE(traffic_->goes_on());
  // An hour back: the pause that was is in the future again.
  observer_.exec(
      "UPDATE routing SET paused_until = clock_timestamp() + interval '1 hour' WHERE paused_by IS NOT NULL");
  EXPECT_FALSE(anna.routing.switch_to_target(tenant, term->token()));
}

}  // namespace
