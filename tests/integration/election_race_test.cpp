// Many sessions want the same thing at the same moment.
#include <gtest/gtest.h>

#include <atomic>
#include <latch>
#include <thread>

#include "fault_test.hpp"

namespace {

using namespace std::chrono_literals;
using namespace pgcoord::test;
using std::chrono::steady_clock;

class ElectionRace : public FaultTest {
 protected:
  std::vector<Connection> members(int count) const {
    std::vector<Connection> sessions;
    for (int i = 0; i < count; ++i) sessions.push_back(member("m" + std::to_string(i), "60 s"));
    return sessions;
  }
};

TEST_F(ElectionRace, G1_forty_sessions_race_for_a_new_election) {
  std::vector<Connection> sessions = members(40);
  for (int round = 0; round < 5; ++round) {
    const std::string election = "x" + std::to_string(round);
    for (Connection& session : sessions) session.send("SELECT * FROM coord.campaign($1)", {election});
    std::vector<std::string> leaders;
    for (std::size_t i = 0; i < sessions.size(); ++i)
      if (sessions[i].finish().at(0).at(2) == "t") leaders.push_back("m" + std::to_string(i));
    ASSERT_EQ(leaders.size(), 1U);
    EXPECT_EQ(leader_of(sessions[0], election), leaders[0]);
    EXPECT_EQ(sessions[0].value("SELECT candidates FROM coord.elections WHERE election = $1", {election}),
              "39");
  }
}

TEST_F(ElectionRace, G1_forty_sessions_resign_and_die_in_turn) {
  std::vector<Connection> sessions = members(40);
  for (Connection& session : sessions) campaign(session, "x");
  Connection root = connect();
  std::int64_t token = newest_token(root, "x");
  while (!sessions.empty()) {
    if (sessions.size() % 2 == 0)
      EXPECT_TRUE(resign(sessions.front(), "x"));
    else
      EXPECT_TRUE(terminate(root, sessions.front().backend_pid()));
    sessions.erase(sessions.begin());
    if (sessions.empty()) break;
    ASSERT_EQ(heartbeat(sessions.front()).size(), 1U) << "the queue is not first come, first served";
    ASSERT_GT(newest_token(root, "x"), token);
    token = newest_token(root, "x");
  }
}

TEST_F(ElectionRace, G1_one_name_is_given_to_one_of_many) {
  std::vector<Connection> sessions;
  for (int i = 0; i < 20; ++i) sessions.push_back(connect());
  for (Connection& session : sessions) session.send("SELECT coord.join('same')");
  int members = 0;
  for (Connection& session : sessions) {
    try {
      session.finish();
      ++members;
    } catch (const SqlError& error) {
      EXPECT_EQ(error.sqlstate(), "PC003") << error.what();
    }
  }
  EXPECT_EQ(members, 1);
}

TEST_F(ElectionRace, field_case_52_serializable_by_default_is_no_reason_to_fail) {
  connect().exec("ALTER DATABASE " + database() + " SET default_transaction_isolation = 'serializable'");
  std::vector<Connection> sessions = members(8);
  std::atomic<int> beats = 0;
  std::atomic<int> again = 0;
  std::latch start{8};
  const auto beat = [&](Connection& session, const std::string& own) {
    start.arrive_and_wait();
    const auto end = steady_clock::now() + 3s;
    while (steady_clock::now() < end) {
      for (const std::string call : {"SELECT coord.heartbeat()", "SELECT coord.sweep()",
                                     "SELECT coord.heartbeat(in_flight_count => 3)"}) {
        const std::string state = session.sqlstate_of(call);
        ++beats;
        if (state != "00000") return void(ADD_FAILURE() << call << ": " << state);
      }
      // Here somebody else's new election may be in the way: then it says so, and a second attempt works.
      if (session.sqlstate_of("SELECT coord.campaign('" + own + "')") == "40001") ++again;
    }
  };
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < sessions.size(); ++i)
    threads.emplace_back(beat, std::ref(sessions[i]), "x" + std::to_string(i));
  for (std::thread& thread : threads) thread.join();
  EXPECT_GT(beats, 100);
  EXPECT_LT(again, beats / 10);
  Connection root = connect();
  EXPECT_EQ(root.value("SELECT count(*) FROM coord.elections WHERE leader IS NOT NULL"), "8");
}

}  // namespace
