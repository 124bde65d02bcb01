// Names through the client: alike ones are told apart, odd ones come back as they are, others are refused as
// the server does.
#include <gtest/gtest.h>

#include <map>
#include <mutex>

#include "support/client.hpp"
#include "support/registry.hpp"

namespace {

using namespace std::chrono_literals;
using namespace pgcoord;
using pgcoord::test::Connection;
using pgcoord::test::options_for;
using pgcoord::test::shared_server;
using pgcoord::test::wait_until;

/// Which leaders an observer was told of, by election.
class Told {
 public:
  void watch(PgLeaderElector& elector) {
    elector.observe([this, name = elector.election()](const auto& leader) {
      const std::lock_guard lock(mutex_);
      told_[name].push_back(leader.value_or(""));
    });
  }
  std::vector<std::string> of(const std::string& election) const {
    const std::lock_guard lock(mutex_);
    const auto found = told_.find(election);
    return found == told_.end() ? std::vector<std::string>{} : found->second;
  }

 private:
  mutable std::mutex mutex_;
  std::map<std::string, std::vector<std::string>> told_;
};

/// Each is led and given up once, by one session; another one, which observes them all, hears that of each.
void expect_told_apart(const std::string& who, const std::vector<std::string>& names) {
  Session watcher(options_for("watcher of " + who));
  Session actor(options_for("actor of " + who));
  Told told;
  std::vector<std::unique_ptr<PgLeaderElector>> watching;
  std::vector<std::unique_ptr<PgLeaderElector>> acting;
  for (const auto& name : names) {
    watching.push_back(std::make_unique<PgLeaderElector>(watcher, name));
    acting.push_back(std::make_unique<PgLeaderElector>(actor, name));
    told.watch(*watching.back());
  }
  watcher.require_ready(10s);
  Connection root = shared_server().connect();
  for (std::size_t i = 0; i < names.size(); ++i) {
    ASSERT_TRUE(acting[i]->try_acquire()) << names[i];
    EXPECT_EQ(acting[i]->election(), names[i]);
    EXPECT_EQ(pgcoord::test::leader_of(root, names[i]), "actor of " + who);
    EXPECT_EQ(pgcoord::test::fence_state(root, names[i], acting[i]->token()->value), "00000");
    EXPECT_TRUE(wait_until([&] { return watching[i]->current_leader() == "actor of " + who; }, 2s))
        << names[i];
    EXPECT_TRUE(acting[i]->resign());
    EXPECT_TRUE(wait_until([&] { return told.of(names[i]).size() == 2; }, 2s)) << names[i];
  }
  for (const auto& name : names)
    EXPECT_EQ(told.of(name), (std::vector<std::string>{"actor of " + who, ""}))
        << name << ", and nothing of others";
}

TEST(ObserveNames, field_case_23_alike_ones_are_told_apart) {
  expect_told_apart("alike",
                    {"Orders-EU", "orders-eu", std::string(79, 'n') + "1", std::string(79, 'n') + "2",
                     "with \"quotes\" and blanks", "with \"quotes\" and  blanks"});
}

TEST(ObserveNames, field_case_37_odd_ones_come_back_byte_for_byte) {
  expect_told_apart("odd", {"'", "\"", "\\", "$$", "%s %n", "x'); DROP TABLE coord._election; --",
                            "\xF0\x9F\x98\x80", "e\xCC\x81", "\xC3\xA9", "NULL", "{a,b}", " "});
}

TEST(ObserveNames, field_cases_23_and_37_others_are_refused_here_and_there) {
  Session session(options_for("refused"));
  Connection root = shared_server().connect();
  root.exec("SELECT coord.join('refused by the server')");
  for (const auto& name : {std::string(), std::string(201, 'x'), std::string("a\nb"), std::string("a\tb"),
                           std::string("\x7f")}) {
    try {
      const PgLeaderElector elector(session, name);
      ADD_FAILURE() << name << " was taken";
    } catch (const Error& error) {
      EXPECT_EQ(error.sqlstate(), "22023") << name;
    }
    for (const char* call : {"SELECT coord.campaign($1)", "SELECT coord.leader($1)"}) {
      try {
        root.exec(call, {name});
        ADD_FAILURE() << call << " took " << name;
      } catch (const pgcoord::test::SqlError& error) {
        EXPECT_EQ(error.sqlstate(), "22023") << call;
      }
    }
  }
}

}  // namespace
