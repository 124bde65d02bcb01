// The client under a role of its own: with the one grant that is documented, without it, and when it is taken
// away.
#include <gtest/gtest.h>

#include "pgcoord/pg_lock_manager.hpp"
#include "support/client.hpp"
#include "support/group.hpp"
#include "support/lock_calls.hpp"

namespace {

using namespace std::chrono_literals;
using namespace pgcoord;
using namespace pgcoord::test;

class GrantedRights : public FaultTest {
 protected:
  void SetUp() override {
    FaultTest::SetUp();
    root_ = std::make_unique<Connection>(connect());
    root_->exec("CREATE ROLE plain LOGIN");
  }
  void TearDown() override {
    root_->exec("DROP OWNED BY plain; DROP ROLE plain");
    root_.reset();
    FaultTest::TearDown();
  }
  Connection& root() { return *root_; }
  std::string as_plain() const { return server().conninfo(database()) + " user=plain"; }
  SessionOptions options(const std::string& name, const std::string& conninfo) const {
    auto made = options_for(name, server());
    made.conninfo = conninfo;
    made.heartbeat_timeout = 2s;
    return made;
  }

 private:
  std::unique_ptr<Connection> root_;
};

TEST_F(GrantedRights, field_case_110_one_grant_is_enough_for_everything_that_a_member_does) {
  root().exec("SELECT coord.grant_access('plain', 'member')");
  Session session(options("a", as_plain()));
  PgLeaderElector elector(session, "x");
  PgCoordinator coordinator(session, &elector);
  Heard heard(coordinator);
  coordinator.watch();
  ASSERT_TRUE(elector.try_acquire());
  ASSERT_TRUE(coordinator.wait_until_read(10s));
  Session other(options("b", as_plain()));
  other.require_ready(10s);
  ASSERT_TRUE(wait_until([&] { return coordinator.peer_status("b") == PeerStatus::healthy; }));
  EXPECT_GT(coordinator.assign("b", {"orders"}).assignment_id, 0);
  Connection writer{as_plain()};
  EXPECT_EQ(fence_state(writer, "x", elector.token()->value), "00000");
  coordinator.announce_shutdown(ShutdownIntent::graceful, 20s);
  EXPECT_TRUE(elector.renew());
  EXPECT_TRUE(elector.resign());
  LockOptions locking;
  locking.conninfo = as_plain();
  locking.holder_id = "a";
  PgLockManager locks(locking);
  EXPECT_TRUE(locks.acquire("k", 5s).is_held());
}

TEST_F(GrantedRights, field_case_110_without_it_the_client_says_what_is_missing) {
  Session session(options("a", as_plain()));
  try {
    session.require_ready(2s);
    ADD_FAILURE() << "ready";
  } catch (const Error& error) {
    EXPECT_EQ(error.sqlstate(), "42501");
  }
  LockOptions locking;
  locking.conninfo = as_plain();
  PgLockManager locks(locking);
  EXPECT_EQ(lock_error_of([&] { static_cast<void>(locks.try_acquire("k")); }).sqlstate(), "42501");
}

TEST_F(GrantedRights, field_case_44_renewals_that_all_fail_cost_the_lead_in_time_and_it_competes_again) {
  const std::string heartbeats = "EXECUTE ON FUNCTION coord.heartbeat(text[], int, float8, boolean)";
  root().exec("SELECT coord.grant_access('plain', 'member')");
  Session session(options("a", as_plain()));
  PgLeaderElector elector(session, "x");
  elector.campaign();
  ASSERT_TRUE(wait_until([&] { return elector.is_leader(); }));
  const auto token = elector.token();
  Session rival(options("b", server().conninfo(database())));
  PgLeaderElector other(rival, "x");
  other.campaign();
  ASSERT_TRUE(wait_until([&] { return root().value("SELECT candidates FROM coord.elections") == "1"; }));

  root().exec("REVOKE " + heartbeats + " FROM plain");
  EXPECT_TRUE(wait_until([&] { return !elector.is_leader(); }, 2200ms)) << "longer than its timeout";
  EXPECT_FALSE(other.is_leader()) << "two leaders";
  EXPECT_TRUE(wait_until([&] { return elector.last_loss() == LossCause::expired; })) << "told a little later";
  EXPECT_EQ(session.last_failure()->sqlstate, "42501");
  EXPECT_TRUE(wait_until([&] { return other.is_leader(); }, 2s));
  EXPECT_GT(other.token(), token);
  EXPECT_EQ(fence_state(root(), "x", token->value), "PC002");
  EXPECT_FALSE(elector.is_leader());

  root().exec("GRANT " + heartbeats + " TO plain");
  ASSERT_TRUE(wait_until([&] {  // it stands in the queue again
    return root().value(
               "SELECT count(*) FROM coord.peers p JOIN coord.candidates c USING (instance_id)"
               " WHERE p.instance_id = 'a' AND p.status = 'healthy'") == "1";
  }));
  const auto second = other.token();
  other.release();
  EXPECT_TRUE(wait_until([&] { return elector.is_leader(); }));
  EXPECT_GT(elector.token(), second);
}

}  // namespace
