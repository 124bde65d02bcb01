// pgcoord members, orphans, assignments.
#include <nlohmann/json.hpp>

#include "integration/tool.hpp"

namespace {

using namespace pgcoord::test;
using nlohmann::json;
using testing::ContainsRegex;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::MatchesRegex;

class ToolMembers : public ToolTest {
 protected:
  static json parsed(const std::string& what, Words words = {}) {
    words.insert(words.end(), {"--output", "json"});
    return json::parse(shown(what, words));
  }
  static std::vector<std::string> names(const json& members) {
    std::vector<std::string> out;
    for (const auto& member : members) out.push_back(member.at("instance_id"));
    return out;
  }
  static Connection member_with(const std::string& id, const std::string& subscriptions) {
    Connection session = connect();
    session.exec("SELECT coord.join($1, $2, $3::text[])", {id, election(), subscriptions});
    return session;
  }
};

TEST_F(ToolMembers, ToldHowTheyAre) {
  Connection first = member("m1", "looked at");
  Connection second = member("m2");
  first.exec("SELECT coord.campaign($1)", {election()});
  EXPECT_THAT(shown("members"),
              ContainsRegex("looked at +m1 +healthy +yes +[0-9.]+s +00:00:15 +- +- +0 +0 "));
  EXPECT_THAT(shown("members"), ContainsRegex("default +m2 +healthy +no "));
  EXPECT_THAT(
      shown("members", {"--group", "looked at", "--output", "tsv"}),
      MatchesRegex(
          "group\tinstance\tstatus\tleads\theard\ttimeout\tintent\tleft\tin_flight\tload\tpid\taddress\n"
          "looked at\tm1\thealthy\tyes\t[0-9]+\\.[0-9]s\t00:00:15\t\t\t0\t0\t[0-9]+\t127.0.0.1\n"));
  EXPECT_EQ(parsed("members", {"--group", "none"}), json::array());
}

TEST_F(ToolMembers, ColumnsAreAligned) {
  Connection first = member("a name that is longer than the title", election());
  Connection second = member("x", election());
  std::istringstream lines(shown("members", {"--group", election()}));
  std::string header;
  std::getline(lines, header);
  std::size_t rows = 0;
  for (std::string line; std::getline(lines, line); ++rows) {
    EXPECT_EQ(line.find("healthy"), header.find("STATUS"));
    EXPECT_EQ(line.find("127.0.0.1"), header.find("ADDRESS"));
  }
  EXPECT_EQ(rows, 2U);
}

TEST_F(ToolMembers, ANoticeIsShownWithTheTimeThatIsLeft) {
  Connection session = member("going", election());
  session.exec("SELECT coord.announce_shutdown('preemption', '100 s')");
  EXPECT_THAT(
      shown("members", {"--group", election()}),
      ContainsRegex("going +draining +no +[0-9.]+s +00:00:15 +preemption +(100\\.0|9[0-9]\\.[0-9])s "));
  const json one = parsed("members", {"--group", election()}).at(0);
  EXPECT_EQ(one.at("shutdown_intent"), "preemption");
  EXPECT_GT(one.at("remaining_seconds").get<double>(), 50);
  EXPECT_LE(one.at("remaining_seconds").get<double>(), 100);
  EXPECT_LT(one.at("heartbeat_age_seconds").get<double>(), 30);
}

TEST_F(ToolMembers, StatusFilters) {
  Connection healthy = member("h", election());
  Connection going = member("d", election());
  going.exec("SELECT coord.announce_shutdown('graceful', '100 s')");
  Connection over = member("t", election());
  over.exec("SELECT coord.announce_shutdown('graceful', '0 s')");
  const auto with = [](const std::string& statuses) {
    return names(parsed("members", {"--group", election(), "--status", statuses}));
  };
  EXPECT_THAT(with("draining"), ElementsAre("d"));
  EXPECT_THAT(with("healthy,terminated"), ElementsAre("h", "t"));
  EXPECT_THAT(with("stale"), testing::IsEmpty());
}

TEST_F(ToolMembers, OrphansAreWhatNobodyHealthyHas) {
  Connection going = member_with("going", "{one,two}");
  Connection staying = member_with("staying", "{two}");
  EXPECT_EQ(shown("orphans", {"--group", election(), "--output", "tsv"}),
            "group\tsubscription\tinstance\tstatus\tavailable_at\n");
  going.exec("SELECT coord.announce_shutdown('graceful', '100 s')");
  EXPECT_THAT(shown("orphans", {"--group", election(), "--output", "tsv"}),
              MatchesRegex("[^\n]*\n" + election() + "\tone\tgoing\tdraining\t20[^\t]+\n"));
  EXPECT_EQ(parsed("orphans", {"--group", election()}).at(0).at("subscription"), "one");
}

TEST_F(ToolMembers, AssignmentsAreWhatLeadersGaveOut) {
  Connection leader = member_with("boss", "{}");
  Connection worker = member_with("worker", "{}");
  const std::string token = *leader.value("SELECT token FROM coord.campaign($1)", {election()});
  for (const char* target : {"worker", "boss"}) {
    leader.exec("SELECT coord.assign($1, '{one,two}', $2, $3, 4)", {target, election(), token});
  }
  EXPECT_THAT(shown("assignments", {"worker", "--group", election(), "--output", "tsv"}),
              MatchesRegex(
                  "id\tgroup\ttarget\tsource\tsubscriptions\tpriority\telection\ttoken\tat\n[0-9]+\t" +
                  election() + "\tworker\tboss\tone, two\t4\t" + election() + "\t" + token + "\t20[^\n]*\n"));
  EXPECT_EQ(parsed("assignments", {"--group", election()}).size(), 2U);
}

}  // namespace
