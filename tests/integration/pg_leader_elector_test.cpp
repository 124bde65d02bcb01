// PgLeaderElector on a real server: what every elector must do, and what only this one can.
#include <gmock/gmock.h>

#include "support/client.hpp"
#include "support/leader_elector_conformance.hpp"

namespace {

using namespace std::chrono_literals;
using pgcoord::PgLeaderElector;
using pgcoord::Session;
using pgcoord::test::HeardChanges;
using pgcoord::test::options_for;
using pgcoord::test::shared_server;
using pgcoord::test::wait_until;

class PgWorld {
 public:
  pgcoord::LeaderElector& us() { return us_; }
  pgcoord::LeaderElector* rival() { return &rival_; }

 private:
  static std::string fresh(const std::string& stem) {
    static int count = 0;
    return stem + std::to_string(++count);
  }
  std::string election_ = fresh("election ");
  Session first_{options_for(fresh("us "))};
  Session second_{options_for(fresh("rival "))};
  PgLeaderElector us_{first_, election_};
  PgLeaderElector rival_{second_, election_};
};

}  // namespace

namespace pgcoord::test {
INSTANTIATE_TYPED_TEST_SUITE_P(PgLeaderElector, LeaderElectorConformance, PgWorld);
}

TEST(PgLeaderElector, hands_over_to_the_next_candidate_when_the_session_closes) {
  Session first(options_for("a"));
  Session second(options_for("b"));
  PgLeaderElector a(first, "closing");
  PgLeaderElector b(second, "closing");
  a.campaign();
  ASSERT_TRUE(wait_until([&] { return a.is_leader(); }));
  const auto token = a.token();
  b.campaign();
  ASSERT_TRUE(wait_until([&] {
    return shared_server().connect().value(
               "SELECT candidates::text FROM coord.elections WHERE election = 'closing'") == "1";
  }));
  first.close();
  EXPECT_FALSE(a.is_leader());
  EXPECT_TRUE(wait_until([&] { return b.is_leader(); }, 500ms));
  EXPECT_GT(b.token(), token);
}

TEST(PgLeaderElector, hears_of_every_kind_of_loss_and_leads_again) {
  Session session(options_for("c"));
  PgLeaderElector elector(session, "loss");
  HeardChanges heard;
  elector.on_leader_change(heard.callback());
  elector.campaign();
  ASSERT_TRUE(wait_until([&] { return elector.is_leader(); }));
  const auto token = elector.token();
  shared_server().connect().exec("SELECT pg_terminate_backend($1::int)",
                                 {std::to_string(session.server()->backend_pid)});
  EXPECT_TRUE(heard.become({true, false, true}));
  EXPECT_EQ(elector.last_loss(), pgcoord::LossCause::disconnected);
  EXPECT_GT(elector.token(), token);
}
