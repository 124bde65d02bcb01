// Random lock calls by a few sessions; after every step the server's table of locks says what a model says
// that knows nothing of SQL.
#include <gtest/gtest.h>

#include <cstdlib>
#include <random>

#include "fault_test.hpp"
#include "lock_program.hpp"

namespace {

using namespace pgcoord::test;

long setting(const char* name, long otherwise) {
  const char* const text = std::getenv(name);
  return text && *text ? std::atol(text) : otherwise;
}

class LockPrograms : public FaultTest {
 public:
  static void SetUpTestSuite() { start_server({"deadlock_timeout = 1h", "autovacuum = off"}); }

 protected:
  static constexpr std::size_t sessions = 6;
  static constexpr int keys = 3;

  void SetUp() override {
    FaultTest::SetUp();
    allow_in_log("connection to client lost");
  }

  void run(long seed, long steps) {
    std::cout << "PGCOORD_SEED=" << seed << std::endl;
    random_.seed(static_cast<std::mt19937::result_type>(seed));
    LockProgram program{server().conninfo(database()), keys};
    long done = 0;
    for (; done < steps && !HasFailure(); ++done) {
      while (program.idle().size() + program.waiting().size() < sessions) program.open();
      step(program);
      if (!HasFailure()) program.settle();
      if (!HasFailure()) program.compare();
    }
    if (!HasFailure()) return;
    ADD_FAILURE() << "seed " << seed << ", step " << done << ", after";
    for (const std::string& line : program.last_steps()) std::cout << "  " << line << '\n';
  }

 private:
  int pick(int below) { return std::uniform_int_distribution<int>{0, below - 1}(random_); }
  int one_of(const std::vector<int>& some) {
    return some.at(static_cast<std::size_t>(pick(static_cast<int>(some.size()))));
  }
  /// Somebody is always idle: a circle of waits is ended at once.
  int anybody(const LockProgram& program) {
    const auto waiting = program.waiting();
    return one_of(pick(2) == 0 || waiting.empty() ? program.idle() : waiting);
  }

  void step(LockProgram& program) {
    const int dice = pick(100);
    const int session = one_of(program.idle());
    if (dice < 5 && !program.waiting().empty()) return program.cancel(one_of(program.waiting()));
    if (dice < 7) return program.terminate(anybody(program));
    if (dice < 9) return sever(program);
    if (dice < 30 || (program.model().is_aborted(session) && pick(2) == 0))
      return block_step(program, session);
    if (dice < 65) return lock_step(program, session, 1 + pick(keys));
    if (dice < 75) return unlock_step(program, session, 1 + pick(keys));
    for (const auto& place : program.model().places())
      if (place.granted && !program.model().is_waiting(place.session) && pick(2) == 0)
        return unlock_step(program, place.session, place.key);
  }

  void lock_step(LockProgram& program, int session, int key);
  void unlock_step(LockProgram& program, int session, int key);
  void block_step(LockProgram& program, int session);
  void sever(LockProgram& program) {
    const int session = anybody(program);
    if (!program.is_lost(session)) program.sever(session);
  }

  std::mt19937 random_;
};

void LockPrograms::lock_step(LockProgram& program, int session, int key) {
  LockModel& model = program.model();
  const std::string name = LockProgram::name(key);
  const std::string number = LockProgram::number(key);
  switch (pick(12)) {
    case 0:
    case 1:
      return program.ask(session, "SELECT coord.try_lock(" + name + ")", model.try_lock(session, key));
    case 2:
      return program.ask(session, "CALL coord.lock(" + name + ", '0')", model.lock_at_once(session, key));
    case 3:
      return program.ask(session, "CALL coord.lock(" + name + ", '30 ms')", model.lock_at_once(session, key));
    case 4:
      return program.ask(session, "SELECT 1 / CASE WHEN coord.try_lock(" + name + ") THEN 0 ELSE 0 END",
                         model.fail(session, key));
    case 5:
      return program.ask(session, "SELECT pg_try_advisory_lock(" + number + ")",
                         model.try_plain(session, key));
    case 6:
      return program.ask(session, "SELECT pg_try_advisory_xact_lock(" + number + ")",
                         model.try_in_transaction(session, key));
    case 7:
      return program.wait_for(session, key, LockModel::Kind::plain, "");
    default:
      return program.wait_for(session, key, LockModel::Kind::named, pick(2) == 0 ? "NULL" : "'1 min'");
  }
}

void LockPrograms::unlock_step(LockProgram& program, int session, int key) {
  LockModel& model = program.model();
  switch (pick(12)) {
    case 0:
    case 1:
      return program.ask(session, "SELECT coord.unlock_all()", model.unlock_all(session));
    case 2:
      return program.ask(session, "SELECT pg_advisory_unlock_all()", model.unlock_all_plain(session));
    case 3:
      return program.ask(session, "DISCARD ALL", model.discard(session));
    case 4:
    case 5:
      if (!model.holds_for_session(session, key)) return;  // the server would warn
      return program.ask(session, "SELECT pg_advisory_unlock(" + LockProgram::number(key) + ")",
                         model.unlock_plain(session, key));
    default:
      return program.ask(session, "SELECT coord.unlock(" + LockProgram::name(key) + ")",
                         model.unlock(session, key));
  }
}

void LockPrograms::block_step(LockProgram& program, int session) {
  LockModel& model = program.model();
  if (!model.in_block(session)) {
    const bool keeps = pick(5) == 0;
    return program.ask(session, keeps ? "BEGIN ISOLATION LEVEL REPEATABLE READ" : "BEGIN",
                       model.begin(session, keeps));
  }
  switch (pick(4)) {
    case 0:
      return program.ask(session, "COMMIT", model.commit(session));
    case 1:
      return program.ask(session, "ROLLBACK", model.rollback(session));
    case 2:
      if (!model.has_savepoint(session)) return;
      return program.ask(session, "RELEASE s", model.release_savepoint(session));
    default:
      if (model.has_savepoint(session))
        return program.ask(session, "ROLLBACK TO s", model.rollback_to(session));
      program.ask(session, "SAVEPOINT s", model.savepoint(session));
  }
}

TEST_F(LockPrograms, a_lock_of_the_transaction_is_not_taken_for_one_of_the_session) {
  LockProgram program{server().conninfo(database()), keys};
  LockModel& model = program.model();
  const int session = program.open();
  const std::string name = LockProgram::name(1);
  const auto have_it_for_the_transaction = [&] {
    program.ask(session, "SELECT coord.try_lock(" + name + ")", model.try_lock(session, 1));
    program.ask(session, "SELECT pg_advisory_unlock_all()", model.unlock_all_plain(session));
    program.ask(session, "BEGIN", model.begin(session, false));
    program.ask(session, "SELECT pg_try_advisory_xact_lock(" + LockProgram::number(1) + ")",
                model.try_in_transaction(session, 1));
  };
  have_it_for_the_transaction();
  program.ask(session, "SELECT coord.try_lock(" + name + ")", model.try_lock(session, 1));
  program.ask(session, "COMMIT", model.commit(session));
  EXPECT_TRUE(model.holds_for_session(session, 1));
  program.compare();
  have_it_for_the_transaction();
  program.ask(session, "SELECT coord.unlock(" + name + ")", model.unlock(session, 1));
  program.compare();
}

TEST_F(LockPrograms, the_table_of_locks_is_the_model_s_after_every_step) {
  const long steps = setting("PGCOORD_STEPS", 200);
  const long given = setting("PGCOORD_SEED", 0);
  if (given != 0) return run(given, steps);
  std::random_device device;
  for (int i = 0; i < 4 && !HasFailure(); ++i) run(static_cast<long>(device()), steps);
}

}  // namespace
