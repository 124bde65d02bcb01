// A hundred members that come, go, lead, drain and fall silent at random; after every step the views say what
// a model says that knows nothing of SQL.
#include <gtest/gtest.h>

#include <cstdlib>
#include <deque>
#include <random>

#include "fault_test.hpp"
#include "peers.hpp"
#include "process.hpp"
#include "registry_model.hpp"
#include "wait.hpp"

namespace {

using namespace std::chrono_literals;
using namespace pgcoord::test;
using std::chrono::steady_clock;

long setting(const char* name, long otherwise) {
  const char* const text = std::getenv(name);
  return text && *text ? std::atol(text) : otherwise;
}

class MembershipModel : public FaultTest {
 public:
  static void SetUpTestSuite() { start_server({"max_connections = 160", "autovacuum = off"}); }

 protected:
  static constexpr int names = 100;

  void SetUp() override {
    FaultTest::SetUp();
    allow_in_log("connection to client lost");
    root_ = std::make_unique<Connection>(connect());
    sweeper_ = std::make_unique<Connection>(member("sweeper", "1 day"));
    const std::int64_t epoch = campaign(*sweeper_, "probe").epoch;
    root_->exec("SELECT coord.depose('probe')");
    root_->exec("DELETE FROM coord._election; DELETE FROM coord._change");
    model_ = std::make_unique<RegistryModel>(incarnation_of(*root_, "sweeper"), epoch);
  }
  void TearDown() override {
    sessions_.clear();
    sweeper_.reset();
    root_.reset();
    FaultTest::TearDown();
  }

  int pick(int below) { return std::uniform_int_distribution<int>{0, below - 1}(random_); }
  bool chance(int percent) { return pick(100) < percent; }
  std::string a_name() { return "m" + std::to_string(100 + pick(names)); }
  std::string an_election() { return "e" + std::to_string(pick(6)); }
  static std::string group_of(const std::string& name) { return name.back() % 2 ? "default" : "g"; }
  RegistryModel::List a_list() {
    RegistryModel::List list;
    for (int i = pick(4); i > 0; --i) list.push_back("s" + std::to_string(10 + pick(60)));
    return list;
  }
  static std::string text_of(const RegistryModel::List& list) {
    std::string text;
    for (const std::string& item : list) text += (text.empty() ? "'{" : ",") + item;
    return text.empty() ? "'{}'" : text + "}'";
  }

  /// A session that once joined, perhaps no member any more; rather often one that leads.
  int some_session() {
    if (const int leading = model_->leading_session(an_election()); leading != 0 && chance(30))
      return leading;
    if (sessions_.empty()) return 0;
    return std::next(sessions_.begin(), pick(static_cast<int>(sessions_.size())))->first;
  }

  void note(const std::string& step) {
    trace_.push_back(step);
    if (trace_.size() > 15) trace_.pop_front();
  }
  void expect(Connection& by, const std::string& statement, const std::string& wanted) {
    note(statement + "  -- " + wanted);
    std::string answer;
    try {
      answer = by.value(statement).value_or("");
    } catch (const SqlError& error) {
      answer = error.sqlstate();
    }
    EXPECT_EQ(answer, wanted) << statement;
  }
  void ask(int session, const std::string& call, const std::string& wanted) {
    expect(sessions_.at(session), "SELECT coord." + call, wanted);
  }

  /// Rather one that is absent.
  std::string a_newcomer() {
    std::string name = a_name();
    for (int tries = 0; tries < 3 && model_->session_of(name) != 0; ++tries) name = a_name();
    return name;
  }
  void join(const std::string& name) {
    const auto list = a_list();
    const int present = model_->session_of(name);
    int session = chance(20) ? some_session() : present;
    if (session == 0 || (session != present && model_->is_member(session)) || chance(20))
      sessions_.emplace(session = ++last_session_, connect());
    const std::string wanted = model_->join(session, name, group_of(name), list);
    ask(session,
        "join('" + name + "', '" + group_of(name) + "', " + text_of(list) + ", heartbeat_timeout => '12 h')",
        wanted);
    if (!model_->is_member(session)) sessions_.erase(session);
  }
  void beat(int session) {
    const auto list = a_list();
    expect(sessions_.at(session),
           "SELECT '' FROM (SELECT count(*) FROM coord.heartbeat(" + text_of(list) + ")) beat",
           model_->heartbeat(session, list));
  }
  void leave(int session) {
    ask(session, "leave()", model_->leave(session));
    if (chance(70)) sessions_.erase(session);
  }
  void discard(int session) {
    note("DISCARD ALL");
    sessions_.at(session).exec("DISCARD ALL");
    model_->leave(session);
  }
  void die(int session) {
    const int pid = sessions_.at(session).backend_pid();
    note("session " + std::to_string(pid) + " ends");
    if (chance(50))
      sessions_.at(session).sever();
    else
      root_->exec("SELECT pg_terminate_backend($1::int)", {std::to_string(pid)});
    EXPECT_TRUE(wait_until([&] { return !process_alive(pid); }, 5s));
    model_->end_session(session);
    sessions_.erase(session);
  }
  void fall_silent() {
    const std::string name = a_name();
    if (model_->session_of(name) == 0) return;
    note(name + " falls silent");
    root_->exec(
        "UPDATE coord._beat SET last_heartbeat_at = last_heartbeat_at - interval '2 days' WHERE"
        " incarnation = (SELECT incarnation FROM coord._member WHERE instance_id = $1)",
        {name});
    model_->fall_silent(name);
  }
  void announce(int session) {
    const bool at_once = chance(40);
    const int count = pick(9);
    ask(session,
        std::string{"announce_shutdown('graceful', '"} + (at_once ? "0 s" : "1 day") + "', " +
            std::to_string(count) + ") IS NOT NULL",
        model_->announce(session, at_once, count));
  }
  void drain() {
    const std::string name = a_name();
    const bool at_once = chance(40);
    expect(*root_,
           "SELECT coord.drain('" + name + "', '" + group_of(name) + "', drain_timeout => '" +
               (at_once ? "0 s" : "1 day") + "') IS NOT NULL",
           model_->drain(name, at_once));
  }
  void remove() {
    const std::string name = a_name();
    expect(*root_, "SELECT coord.remove_member('" + name + "', '" + group_of(name) + "')",
           model_->remove(name));
  }
  void contend(int session) {
    const std::string election = an_election();
    const bool queued = chance(70);
    const int priority = pick(3);
    expect(sessions_.at(session),
           "SELECT concat_ws('|', leader, is_leader, term) FROM coord." +
               (queued ? "campaign('" + election + "', " + std::to_string(priority) + ")"
                       : "try_acquire('" + election + "')"),
           model_->campaign(session, election, queued ? std::optional<int>{priority} : std::nullopt));
  }
  void give_up(int session) {
    const std::string election = an_election();
    if (chance(50))
      ask(session, "resign('" + election + "')", model_->resign(session, election));
    else
      ask(session, "withdraw('" + election + "')", model_->withdraw(session, election));
  }
  void assign() {
    const std::string election = an_election();
    const int leader = chance(80) ? model_->leading_session(election) : some_session();
    if (leader == 0) return;
    const std::string target = a_name();
    const int age = chance(90) ? 0 : 1;
    const std::string token = std::to_string(model_->token(election, age));
    ask(leader, "assign('" + target + "', '{s}', '" + election + "', " + token + ")",
        model_->assign(leader, target, election, age));
  }

  void step() {
    const int dice = pick(100);
    const int session = some_session();
    if (dice < 24 || session == 0) return join(a_newcomer());
    if (dice < 32) return beat(session);
    if (dice < 35) return leave(session);
    if (dice < 37) return discard(session);
    if (dice < 42) return die(session);
    if (dice < 47) return fall_silent();
    if (dice < 52) return announce(session);
    if (dice < 56) return drain();
    if (dice < 61) return remove();
    if (dice < 79) return contend(session);
    if (dice < 87) return give_up(session);
    return assign();
  }
  void compare() {
    sweep(*sweeper_);
    model_->sweep();
    EXPECT_EQ(difference(root_->exec(model_->peers_query), model_->peers()), "") << "coord.peers";
    EXPECT_EQ(difference(root_->exec(model_->orphans_query), model_->orphans()), "")
        << "coord.orphaned_subscriptions";
    EXPECT_EQ(difference(root_->exec(model_->elections_query), model_->elections()), "") << "coord.elections";
    EXPECT_EQ(difference(root_->exec(model_->assignments_query), model_->assignments()), "")
        << "coord.assignments";
  }
  std::mt19937 random_;
  std::deque<std::string> trace_;

 private:
  std::unique_ptr<Connection> root_;
  std::unique_ptr<Connection> sweeper_;
  std::unique_ptr<RegistryModel> model_;
  std::map<int, Connection> sessions_;
  int last_session_ = 0;
};

TEST_F(MembershipModel, views_and_leaders_are_the_model_s_after_every_step) {
  const auto seed = setting("PGCOORD_MODEL_SEED", static_cast<long>(std::random_device{}()));
  const auto end = steady_clock::now() + std::chrono::seconds{setting("PGCOORD_MODEL_SECONDS", 20)};
  std::cout << "PGCOORD_MODEL_SEED=" << seed << std::endl;
  random_.seed(static_cast<std::mt19937::result_type>(seed));
  for (int number = 0; number < names; ++number) join("m" + std::to_string(100 + number));
  long steps = 0;
  for (; steady_clock::now() < end && !HasFailure(); ++steps) {
    step();
    compare();
  }
  if (HasFailure()) ADD_FAILURE() << "step " << steps << ", after\n" << testing::PrintToString(trace_);
  std::cout << steps << " steps" << std::endl;
}

}  // namespace
