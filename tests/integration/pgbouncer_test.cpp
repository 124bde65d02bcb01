// PgBouncer between a program and its server: what is refused, and what works.
#include "support/pgbouncer.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/client.hpp"
#include "support/fault_test.hpp"

namespace {

using namespace std::chrono_literals;
using namespace pgcoord;
using namespace pgcoord::test;
using testing::HasSubstr;

/// What lets a pool take our startup packet.
const std::string lets_settings_pass = "ignore_startup_parameters = options,extra_float_digits";

class PgBouncerTest : public FaultTest {
 protected:
  void SetUp() override {
    FaultTest::SetUp();
    if (!PgBouncer::installed()) GTEST_SKIP() << "pgbouncer is not installed";
  }
  SessionOptions through(const PgBouncer& pool, const std::string& name) const {
    SessionOptions options;
    options.conninfo = pool.conninfo(database());
    options.instance_id = name;
    options.heartbeat_timeout = 5s;
    return options;
  }
  Failure refusal_of(const SessionOptions& options) const {
    Session session(options);
    const bool ready = session.wait_until_ready(1s);
    EXPECT_FALSE(ready) << "not refused";
    const auto failure = ready ? Failure{} : session.last_failure().value_or(Failure{});
    session.close();
    EXPECT_EQ(connect().value("SELECT count(*) FROM coord.peers"), "0");
    return failure;
  }
  LockOptions locks_through(const PgBouncer& pool) const {
    LockOptions options;
    options.conninfo = pool.conninfo(database());
    return options;
  }
};

class PgBouncerMode : public PgBouncerTest, public testing::WithParamInterface<const char*> {};

TEST_P(PgBouncerMode, a_session_is_refused_before_it_joins) {
  const PgBouncer pool{server(), GetParam(), {lets_settings_pass}};
  const auto failure = refusal_of(through(pool, "a"));
  EXPECT_EQ(failure.sqlstate, "08P01");
  EXPECT_THAT(failure.message, HasSubstr("proxy that shares sessions"));
  EXPECT_THAT(failure.hint, HasSubstr("ProxyCheck"));
}

TEST_P(PgBouncerMode, a_session_is_refused_where_its_settings_are) {
  const PgBouncer pool{server(), GetParam()};
  const auto failure = refusal_of(through(pool, "a"));
  EXPECT_EQ(failure.sqlstate, "08P01");
  EXPECT_THAT(failure.message, HasSubstr("proxy"));
  EXPECT_THAT(failure.detail, HasSubstr("unsupported startup parameter"));
}

TEST_P(PgBouncerMode, a_lock_is_refused) {
  for (const auto& settings : {std::vector<std::string>{lets_settings_pass}, std::vector<std::string>{}}) {
    const PgBouncer pool{server(), GetParam(), settings};
    PgLockManager locks{locks_through(pool)};
    try {
      static_cast<void>(locks.try_acquire("k"));
      ADD_FAILURE() << "not refused";
    } catch (const Error& error) {
      EXPECT_EQ(error.sqlstate(), "08P01") << error.what();
    }
  }
  EXPECT_EQ(connect().value("SELECT count(*) FROM coord.locks"), "0");
}

TEST_P(PgBouncerMode, the_tool_says_so_and_ends) {
  const char* tool = std::getenv("PGCOORD_TOOL");
  ASSERT_NE(tool, nullptr);
  for (const auto& settings : {std::vector<std::string>{lets_settings_pass}, std::vector<std::string>{}}) {
    const PgBouncer pool{server(), GetParam(), settings};
    Child elect{{tool, "elect", "x", "-d", pool.conninfo(database()), "--id", "a", "--", "true"}};
    const auto ending = elect.wait(5s);
    ASSERT_TRUE(ending) << "it waits";
    EXPECT_EQ(ending->code, 69);
    EXPECT_THAT(elect.err(), HasSubstr("proxy"));
  }
}

INSTANTIATE_TEST_SUITE_P(Pools, PgBouncerMode, testing::Values("session", "transaction", "statement"),
                         [](const auto& info) { return std::string(info.param); });

TEST_F(PgBouncerTest, a_pool_of_shared_sessions_is_refused_also_where_pools_are_allowed) {
  for (const char* mode : {"transaction", "statement"}) {
    const PgBouncer pool{server(), mode, {lets_settings_pass, "server_round_robin = 1"}};
    {  // two server sessions, taken in turn
      Connection one = pool.connect(database());
      Connection other = pool.connect(database());
      one.send("SELECT pg_sleep(0.2)");
      other.send("SELECT pg_sleep(0.2)");
      one.finish();
      other.finish();
    }
    auto options = through(pool, "a");
    options.proxy_check = ProxyCheck::refuse_shared_sessions;
    const auto failure = refusal_of(options);
    EXPECT_EQ(failure.sqlstate, "08P01") << mode;
    EXPECT_THAT(failure.detail, HasSubstr("different server sessions")) << mode;
  }
}

TEST_F(PgBouncerTest, fenced_writes_go_through_a_transaction_pool) {
  const PgBouncer pool{server(), "transaction"};
  Connection root = connect();
  root.exec("CREATE TABLE written (token bigint)");
  Connection leader = member("a");
  const auto token = std::to_string(campaign(leader, "x").token);
  const std::string write =
      "BEGIN; SELECT coord.fence('x', " + token + "); INSERT INTO written VALUES (" + token + "); COMMIT";
  Connection writer = pool.connect(database());
  EXPECT_EQ(writer.sqlstate_of(write), "00000");
  EXPECT_TRUE(depose(root, "x"));
  EXPECT_EQ(writer.sqlstate_of(write), "PC002");
  writer.exec("ROLLBACK");
  EXPECT_EQ(root.value("SELECT count(*) FROM written"), "1");
}

class SessionPool : public PgBouncerTest {
 protected:
  SessionOptions allowed(const PgBouncer& pool, const std::string& name) const {
    auto options = through(pool, name);
    options.proxy_check = ProxyCheck::refuse_shared_sessions;
    return options;
  }
  bool queued(const std::string& name) const {
    return wait_until([&] {
      return connect().value("SELECT count(*) FROM coord.candidates WHERE instance_id = $1", {name}) == "1";
    });
  }
};

TEST_F(SessionPool, leads_hands_over_and_is_told) {
  const PgBouncer pool{server(), "session", {lets_settings_pass}};
  Session first(allowed(pool, "a"));
  Session second(allowed(pool, "b"));
  PgLeaderElector a(first, "x");
  PgLeaderElector b(second, "x");
  a.campaign();
  ASSERT_TRUE(wait_until([&] { return a.is_leader(); }));
  const auto token = a.token();
  b.campaign();
  ASSERT_TRUE(queued("b"));
  a.release();
  EXPECT_TRUE(wait_until([&] { return b.is_leader(); }, 1s)) << "not told";
  EXPECT_GT(b.token(), token);
}

TEST_F(SessionPool, a_killed_client_s_lead_moves_at_once) {
  const PgBouncer pool{server(), "session", {lets_settings_pass}};
  Connection victim = pool.connect(database());
  join(victim, "victim");
  ASSERT_TRUE(campaign(victim, "x").is_leader);
  Session session(allowed(pool, "heir"));
  PgLeaderElector heir(session, "x");
  heir.campaign();
  ASSERT_TRUE(queued("heir"));
  victim.sever();
  EXPECT_TRUE(wait_until([&] { return heir.is_leader(); }, 1s));
}

TEST_F(SessionPool, defaults_that_the_pool_let_through_are_overruled) {
  const PgBouncer pool{server(), "session", {lets_settings_pass}};
  for (const char* setting : {"default_transaction_isolation = 'serializable'", "statement_timeout = '300ms'",
                              "lock_timeout = '1ms'", "idle_session_timeout = '500ms'"})
    connect().exec("ALTER DATABASE " + database() + " SET " + setting);
  Session session(allowed(pool, "a"));
  Events heard(session);
  session.require_ready(10s);
  PgLeaderElector elector(session, "x");
  EXPECT_TRUE(elector.try_acquire());
  EXPECT_FALSE(wait_until([&] { return heard.count<Disconnected>() + heard.count<Failed>() > 0; }, 1s));
  EXPECT_TRUE(elector.renew());
}

TEST_F(SessionPool, locks_are_held_and_given_back) {
  const PgBouncer pool{server(), "session", {lets_settings_pass}};
  auto options = locks_through(pool);
  options.proxy_check = ProxyCheck::refuse_shared_sessions;
  PgLockManager locks{options};
  auto guard = locks.try_acquire("k");
  ASSERT_TRUE(guard);
  EXPECT_EQ(connect().value("SELECT coord.try_lock('k')"), "f");
  guard.reset();
  EXPECT_EQ(connect().value("SELECT coord.try_lock('k')"), "t");
}

}  // namespace
