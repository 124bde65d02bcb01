// A wait for a named lock that ends in an error at the moment of the grant. The server leaves a lock that was
// waited for on behalf of the session to it, error or not.
#include <gtest/gtest.h>
#include <signal.h>

#include <memory>
#include <thread>

#include "fault_test.hpp"
#include "wait.hpp"

namespace {

using namespace std::chrono_literals;
using namespace pgcoord::test;
using std::chrono::steady_clock;

/// What ends the wait of a session that sleeps through the grant.
struct End {
  const char* name;
  const char* setting;
  const char* call;
  const char* sqlstate;
  friend std::ostream& operator<<(std::ostream& out, const End& end) { return out << end.name; }
};

class LockGrant : public FaultTest, public testing::WithParamInterface<End> {
 protected:
  void SetUp() override {
    FaultTest::SetUp();
    holder_ = std::make_unique<Connection>(connect());
  }
  void TearDown() override {
    holder_.reset();
    FaultTest::TearDown();
  }

  /// The waiter's backend is stopped while it waits, granted the lock, told to give up, and woken.
  void grant_and_end(Connection& waiter, bool in_block) {
    const auto begin = steady_clock::now();
    if (in_block) waiter.exec("BEGIN");
    waiter.send(GetParam().call);
    ASSERT_TRUE(wait_until([&] { return waits_for(*holder_, waiter.backend_pid(), "advisory"); }));
    server().signal(waiter.backend_pid(), SIGSTOP);
    EXPECT_EQ(holder_->value("SELECT coord.unlock('k')"), "t");
    EXPECT_EQ(holder_->value("SELECT granted FROM pg_locks WHERE locktype = 'advisory' AND pid = $1",
                             {std::to_string(waiter.backend_pid())}),
              "t")
        << "the grant must come first";
    if (std::string(GetParam().name) == "cancel") {
      EXPECT_EQ(holder_->value("SELECT pg_cancel_backend($1)", {std::to_string(waiter.backend_pid())}), "t");
    } else {
      std::this_thread::sleep_until(begin + over);
    }
    server().signal(waiter.backend_pid(), SIGCONT);
  }

  static constexpr auto over = 1'200ms;  // each bound below is one second
  std::unique_ptr<Connection> holder_;
};

TEST_P(LockGrant, W5_an_error_at_that_moment_leaves_no_lock) {
  for (const bool in_block : {false, true}) {
    SCOPED_TRACE(in_block);
    ASSERT_EQ(holder_->value("SELECT coord.try_lock('k')"), "t");
    Connection waiter = connect();
    if (*GetParam().setting) waiter.exec(GetParam().setting);
    grant_and_end(waiter, in_block);
    try {
      waiter.finish();
      FAIL() << "it was not told to give up";
    } catch (const SqlError& error) {
      EXPECT_EQ(error.sqlstate(), GetParam().sqlstate);
    }
    if (in_block) waiter.exec("ROLLBACK");
    EXPECT_EQ(
        holder_->exec("SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND pid <> pg_backend_pid()"),
        Rows{});
    EXPECT_EQ(holder_->value("SELECT coord.try_lock('k')"), "t") << "nobody holds it";
    EXPECT_EQ(holder_->value("SELECT coord.unlock('k')"), "t");
    // And the session that gave up can have it as ever.
    waiter.exec("RESET ALL");
    waiter.exec("CALL coord.lock('k')");
    EXPECT_EQ(holder_->value("SELECT coord.try_lock('k')"), "f");
    EXPECT_EQ(waiter.value("SELECT coord.unlock('k')"), "t");
  }
}

INSTANTIATE_TEST_SUITE_P(Ended, LockGrant,
                         testing::Values(End{"cancel", "", "CALL coord.lock('k')", "57014"},
                                         End{"wait", "", "CALL coord.lock('k', '1 s')", "55P03"},
                                         End{"lock_timeout", "SET lock_timeout = '1s'",
                                             "CALL coord.lock('k')", "55P03"},
                                         End{"statement_timeout", "SET statement_timeout = '1s'",
                                             "CALL coord.lock('k')", "57014"}),
                         [](const auto& info) { return info.param.name; });

}  // namespace
