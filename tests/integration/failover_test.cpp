// The server itself fails over: programs with a list of hosts follow, and what they write stays in order.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iostream>

#include "support/client.hpp"
#include "support/fenced_program.hpp"
#include "support/registry.hpp"
#include "support/relay.hpp"

namespace {

using namespace std::chrono_literals;
using namespace pgcoord;
using namespace pgcoord::test;

constexpr std::int64_t any_token = 0;

std::string hosts(int first, int second) {
  return "host=127.0.0.1,127.0.0.1 port=" + std::to_string(first) + "," + std::to_string(second) +
         " dbname=postgres user=postgres";
}

/// A primary, its standby, and two programs that know both.
class Failover : public testing::Test {
 protected:
  void SetUp() override {
    primary_ = std::make_unique<Server>(Server::Settings{"track_commit_timestamp = on"});
    primary_->install();
    primary_->connect().exec(FencedProgram::table);
    standby_ = primary_->add_standby();
  }
  void TearDown() override {
    for (const auto* server : {standby_.get(), primary_.get()})
      for (const char* trouble : {"PANIC", "TRAP:", "XX000", "was terminated by signal"})
        EXPECT_THAT(server->log(), testing::Not(testing::HasSubstr(trouble)));
  }

  void start_programs() {
    for (const char* name : {"a", "b"})
      programs_.push_back(std::make_unique<FencedProgram>(name, hosts(primary_->port(), standby_->port())));
    ASSERT_TRUE(writes(20, any_token));
  }
  void make_synchronous() {
    primary_->connect().exec("ALTER SYSTEM SET synchronous_standby_names = '*'");
    primary_->reload();
    ASSERT_TRUE(wait_until([&] {
      return primary_->connect().exec("SELECT FROM pg_stat_replication WHERE sync_state = 'sync'").size() ==
             1;
    }));
  }
  /// From here on the standby gets nothing more.
  void cut_replication() {
    Connection there = standby_->connect();
    there.exec("ALTER SYSTEM SET primary_conninfo = ''");
    standby_->reload();
    ASSERT_TRUE(wait_until([&] { return there.exec("SELECT FROM pg_stat_wal_receiver").empty(); }));
  }
  /// Makes what was `server` a standby of `primary`.
  static void demote(Server& server, const Server& primary) {
    server.configure(
        {"primary_conninfo = 'host=127.0.0.1 user=postgres port=" + std::to_string(primary.port()) + "'",
         "recovery_target_timeline = latest"});
    std::ofstream{server.folder() / "data" / "standby.signal"};
    server.start();
  }

  std::vector<FencedWrite> acknowledged() const {
    std::vector<FencedWrite> all;
    for (const auto& program : programs_)
      for (auto& write : program->acknowledged()) all.push_back(std::move(write));
    return all;
  }
  std::int64_t highest_token() const {
    std::int64_t highest = 0;
    for (const auto& write : acknowledged()) highest = std::max(highest, write.token);
    return highest;
  }
  /// Waits for so many under a newer token.
  bool writes(int count, std::int64_t above) const {
    const auto enough = [&] {
      const auto all = acknowledged();
      return std::count_if(all.begin(), all.end(), [&](const auto& w) { return w.token > above; }) >= count;
    };
    const bool done = wait_until(enough, 30s);
    EXPECT_TRUE(done) << "no " << count << " writes above token " << above;
    return done;
  }
  Instant first_above(std::int64_t token) const {
    auto first = Instant::max();
    for (const auto& write : acknowledged())
      if (write.token > token) first = std::min(first, write.acknowledged);
    return first;
  }

  /// Ends the primary as told, promotes the standby, and waits for the programs to go on there.
  void fail_over(Server::Mode mode, const std::string& what) {
    const auto begin = BootClock::now();
    primary_->stop(mode);
    const auto before = highest_token();
    standby_->promote();
    const auto promoted = BootClock::now();
    ASSERT_TRUE(writes(20, before));
    const auto ms = [](Duration duration) {
      return std::to_string(std::chrono::duration_cast<std::chrono::milliseconds>(duration).count()) + " ms";
    };
    std::cout << "[ MEASURED ] " << what << ": first write " << ms(first_above(before) - begin)
              << " after the old primary was told to stop, promoted after " << ms(promoted - begin) << '\n';
  }
  void expect_order_kept(const Server& server) const {
    EXPECT_THAT(overtaken(acknowledged()), testing::IsEmpty());
    Connection root = server.connect();
    EXPECT_EQ(root.value("SELECT count(*) FROM written WHERE pg_xact_commit_timestamp(xmin) IS NULL"), "0");
    EXPECT_THAT(overtaken_rows(root), testing::IsEmpty());
    EXPECT_THAT(faults_of_journal(root), testing::IsEmpty());
  }
  void expect_nothing_lost(const Server& server) const {
    Connection root = server.connect();
    EXPECT_EQ(missing(root, acknowledged()).size(), 0U);
  }

  std::unique_ptr<Server> primary_;
  std::unique_ptr<Server> standby_;
  std::vector<std::unique_ptr<FencedProgram>> programs_;
};

TEST(Overtaken, is_found_in_a_history) {
  const auto at = [](int ms) { return Instant{std::chrono::milliseconds{ms}}; };
  const FencedWrite older{"a", 1, 5, at(10), at(20)};
  const FencedWrite newer{"b", 1, 6, at(30), at(40)};
  const FencedWrite under_way{"a", 2, 5, at(39), at(50)};  // sent before the newer one was acknowledged
  const FencedWrite late{"a", 3, 5, at(41), at(45)};
  EXPECT_THAT(overtaken({newer, under_way, older}), testing::IsEmpty());
  EXPECT_THAT(overtaken({under_way, late, newer, older}), testing::ElementsAre("number 3 of a under 5"));
}

TEST_F(Failover, G2_G3_asynchronous_after_a_crash) {
  start_programs();
  fail_over(Server::Mode::immediate, "asynchronous, crash");
  expect_order_kept(*standby_);
}

TEST_F(Failover, G2_G3_synchronous_loses_nothing) {
  make_synchronous();
  start_programs();
  fail_over(Server::Mode::immediate, "synchronous, crash");
  expect_order_kept(*standby_);
  expect_nothing_lost(*standby_);
}

TEST_F(Failover, G2_G3_synchronous_whose_replay_was_paused_loses_nothing) {
  make_synchronous();
  start_programs();
  standby_->connect().exec("SELECT pg_wal_replay_pause()");
  const auto before = highest_token();
  programs_[programs_[0]->elector().is_leader() ? 0 : 1]->elector().release();
  ASSERT_TRUE(writes(20, before));
  fail_over(Server::Mode::immediate, "synchronous, replay behind, crash");
  expect_order_kept(*standby_);
  expect_nothing_lost(*standby_);
}

TEST_F(Failover, G2_a_lagging_standby_loses_acknowledged_writes_but_its_tokens_are_higher) {
  start_programs();
  primary_->wait_replayed(*standby_);
  cut_replication();
  const auto cut = BootClock::now();
  for (int round = 0; round < 6; ++round) {  // terms that the standby never hears of
    const auto before = highest_token();
    auto& elector = programs_[programs_[0]->elector().is_leader() ? 0 : 1]->elector();
    elector.release();
    ASSERT_TRUE(writes(5, before));
    elector.campaign();
  }
  fail_over(Server::Mode::immediate, "asynchronous, lagging, crash");
  expect_order_kept(*standby_);
  Connection root = standby_->connect();
  const auto lost = missing(root, acknowledged());
  EXPECT_GE(lost.size(), 30U) << "nothing lagged";
  for (const auto& write : lost) EXPECT_GE(write.acknowledged, cut - 1s);
}

TEST_F(Failover, G2_G3_switched_over_and_back) {
  start_programs();
  fail_over(Server::Mode::fast, "switch-over");
  demote(*primary_, *standby_);
  std::swap(primary_, standby_);
  primary_->wait_replayed(*standby_);
  fail_over(Server::Mode::fast, "switch-over, back");
  demote(*primary_, *standby_);
  expect_order_kept(*standby_);
  expect_nothing_lost(*standby_);
  EXPECT_EQ(primary_->connect().value("SELECT count(*) FROM pg_stat_activity"
                                      " WHERE application_name LIKE 'pgcoord%'"),
            "0")
      << "a program stayed with the demoted server";
}

/// As behind an address that was moved, or a pooler that remembers what its server once said.
TEST_F(Failover, field_case_119_a_demoted_server_is_left_at_the_first_25006) {
  primary_->stop();
  standby_->promote();
  demote(*primary_, *standby_);
  Relay stale{primary_->port()};
  stale.pretend_primary();
  auto options = options_for("misled", *primary_);
  options.conninfo = hosts(stale.port(), standby_->port());
  Session session(options);
  Events heard(session);
  PgLeaderElector elector(session, "x");
  elector.campaign();
  const auto begin = BootClock::now();
  ASSERT_TRUE(wait_until([&] { return elector.is_leader(); }));
  EXPECT_LT(BootClock::now() - begin, 2s);
  EXPECT_EQ(heard.count<Disconnected>(), 1);
  EXPECT_EQ(heard.first<Disconnected>()->reason.sqlstate, "25006");
  Connection root = standby_->connect();
  EXPECT_EQ(leader_of(root, "x"), "misled");
}

}  // namespace
