// A client that leads over TLS, and children of fork() that hold its session's handles.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "support/client.hpp"
#include "support/fault_test.hpp"
#include "support/forked.hpp"
#include "support/process.hpp"
#include "support/workshop.hpp"

namespace {

using namespace std::chrono_literals;
using namespace pgcoord;
using pgcoord::test::Events;
using pgcoord::test::exit_code;
using pgcoord::test::FaultTest;
using pgcoord::test::in_child;
using pgcoord::test::options_for;
using pgcoord::test::wait_until;

bool openssl_here() {
  pgcoord::test::Child asked({"openssl", "version"});
  return asked.wait(20s).value_or(pgcoord::test::Ending{}).ok();
}

/// A key and a certificate for itself, and the settings that make a server use them.
pgcoord::test::Server::Settings tls_settings() {
  const auto folder = pgcoord::test::Workshop::instance().new_folder("tls");
  const std::string key = folder / "server.key";
  const std::string certificate = folder / "server.crt";
  pgcoord::test::run({"openssl", "req", "-x509", "-nodes", "-newkey", "rsa:2048", "-days", "2", "-subj",
                      "/CN=localhost", "-keyout", key, "-out", certificate});
  chmod(key.c_str(), S_IRUSR | S_IWUSR);  // else the server refuses it
  return {"ssl = on", "ssl_key_file = '" + key + "'", "ssl_cert_file = '" + certificate + "'"};
}

class Tls : public FaultTest {
 public:
  static void SetUpTestSuite() {
    if (openssl_here()) start_server(tls_settings());
  }

 protected:
  void SetUp() override {
    if (!openssl_here()) GTEST_SKIP() << "no openssl program, so no certificate";
    FaultTest::SetUp();
    session_ = std::make_unique<Session>(over_tls("parent"));
    elector_ = std::make_unique<PgLeaderElector>(*session_, "e");
    ASSERT_TRUE(elector_->try_acquire());
    token_ = elector_->token();
    backend_ = session_->server()->backend_pid;
  }

  void TearDown() override {
    elector_.reset();
    session_.reset();
    if (openssl_here()) FaultTest::TearDown();
  }

  SessionOptions over_tls(const std::string& name) const {
    auto options = options_for(name, server());
    options.conninfo = server().conninfo(database()) + " sslmode=require";
    return options;
  }

  bool encrypted(int backend) const {
    return connect().value("SELECT ssl FROM pg_stat_ssl WHERE pid = $1::int", {std::to_string(backend)}) ==
           "t";
  }

  /// That the term and the session are the ones of before, and a change is heard.
  void expect_untouched(const Events& heard) {
    EXPECT_TRUE(elector_->renew());
    EXPECT_EQ(elector_->token(), token_);
    EXPECT_EQ(session_->server()->backend_pid, backend_);
    expect_hears();
    EXPECT_EQ(heard.count<Disconnected>(), 0);
    EXPECT_TRUE(encrypted(backend_));
  }

  void expect_hears() {
    Events told(*session_);
    ASSERT_EQ(connect().value("SELECT coord.depose('e')"), "t");
    EXPECT_TRUE(wait_until([&] { return told.count<Lost>() > 0; })) << "nobody told that it was deposed";
  }

  std::unique_ptr<Session> session_;
  std::unique_ptr<PgLeaderElector> elector_;
  std::optional<Token> token_;
  int backend_ = 0;
};

TEST_F(Tls, elects_beats_and_is_told) {
  const Events heard(*session_);
  auto root = connect();
  const std::string last = "SELECT last_heartbeat_at FROM coord.peers WHERE instance_id = 'parent'";
  for (int beats = 0; beats < 2; ++beats) {
    const auto before = root.value(last);
    EXPECT_TRUE(wait_until([&] { return root.value(last) != before; })) << "no heartbeat";
  }
  EXPECT_TRUE(elector_->is_leader());
  expect_untouched(heard);
}

TEST_F(Tls, field_case_85_a_child_of_fork_destroys_what_it_inherited) {
  const Events heard(*session_);
  const pid_t child = in_child([&] {
    elector_.reset();
    session_.reset();
    return 0;
  });
  EXPECT_EQ(exit_code(child), 0);
  expect_untouched(heard);
}

TEST_F(Tls, field_case_85_a_child_of_fork_gets_no_answers) {
  const Events heard(*session_);
  const auto refused = [](const auto& call) {
    try {
      call();
      return false;
    } catch (const Error& error) {
      return error.sqlstate() == sqlstate::not_usable;
    }
  };
  const pid_t child = in_child([&] {
    if (elector_->is_leader() || elector_->token() || elector_->current_leader()) return 1;
    if (!refused([&] { elector_->renew(); })) return 2;
    if (!refused([&] { elector_->release(); })) return 3;
    return refused([&] { session_->close(); }) ? 0 : 4;
  });
  EXPECT_EQ(exit_code(child), 0);
  expect_untouched(heard);
}

TEST_F(Tls, field_case_85_a_daemon_connects_anew) {
  const Events heard(*session_);
  const pid_t child = in_child([&] {
    setsid();
    return exit_code(in_child([&] {
      elector_.reset();
      session_.reset();
      Session own(over_tls("daemon"));
      PgLeaderElector elector(own, "of the daemon");
      if (!elector.try_acquire() || !elector.renew()) return 1;
      return encrypted(own.server()->backend_pid) ? 0 : 2;
    }));
  });
  EXPECT_EQ(exit_code(child), 0);
  expect_untouched(heard);
}

TEST_F(Tls, field_case_85_a_lock_stays_the_parent_s) {
  LockOptions options;
  options.conninfo = over_tls("").conninfo;
  auto manager = std::make_unique<PgLockManager>(options);
  auto guard = std::make_unique<LockGuard>(manager->acquire("k"));
  const pid_t child = in_child([&] {
    if (guard->is_held()) return 1;
    guard.reset();
    manager.reset();
    return 0;
  });
  EXPECT_EQ(exit_code(child), 0);
  EXPECT_TRUE(encrypted(std::stoi(connect().value("SELECT session_pid FROM coord.locks").value_or("0"))));
  EXPECT_EQ(guard->release(), LockRelease::released);
}

}  // namespace
