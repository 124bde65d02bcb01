// Named locks and a hot standby: a lock there would exclude nobody on the primary.
#include <gtest/gtest.h>

#include "fault_test.hpp"
#include "wait.hpp"

namespace {

using namespace pgcoord::test;

class LockStandby : public FaultTest {
 protected:
  void SetUp() override {
    FaultTest::SetUp();
    holder_ = std::make_unique<Connection>(connect());
    ASSERT_EQ(holder_->value("SELECT coord.try_lock('k')"), "t");
    standby_ = server().add_standby({});
    server().wait_replayed(*standby_);
  }
  void TearDown() override {
    holder_.reset();
    standby_.reset();
    FaultTest::TearDown();
  }
  Connection on_standby() const { return standby_->connect(database()); }

  std::unique_ptr<Connection> holder_;
  std::unique_ptr<Server> standby_;
};

TEST_F(LockStandby, field_case_118_refused_before_anything_is_taken) {
  Connection session = on_standby();
  for (const char* call :
       {"SELECT coord.try_lock('k')", "SELECT coord.try_lock('free')", "CALL coord.lock('k')",
        "CALL coord.lock('free', '0')", "CALL coord.lock('k', '1 day')"})
    EXPECT_EQ(session.sqlstate_of(call), "25006") << call;
  session.exec("BEGIN");
  EXPECT_EQ(session.sqlstate_of("CALL coord.lock('free')"), "25006");
  session.exec("ROLLBACK");
  EXPECT_EQ(session.exec("SELECT * FROM pg_locks WHERE locktype IN ('userlock', 'advisory')"), Rows{});
  EXPECT_EQ(session.value("SELECT coord.unlock('k')"), "f");
  EXPECT_EQ(session.value("SELECT coord.unlock_all()"), "0");
  EXPECT_EQ(session.value("SELECT coord.lock_key('k1')"), "7690443832738788232");
  EXPECT_EQ(session.exec("SELECT * FROM coord.locks"), Rows{}) << "locks of the primary are not seen here";
}

TEST_F(LockStandby, a_promoted_standby_knows_the_names_and_holds_nothing) {
  standby_->promote();
  Connection session = on_standby();
  EXPECT_EQ(session.value("SELECT count(*) FROM coord._lock WHERE key = 'k'"), "1");
  EXPECT_EQ(session.value("SELECT coord.try_lock('k')"), "t");
  EXPECT_EQ(session.value("SELECT key FROM coord.locks"), "k");
}

}  // namespace
