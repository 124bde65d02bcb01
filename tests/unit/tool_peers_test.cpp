// What `pgcoord watch` says of the members.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tool/peer_picture.hpp"
#include "tool/peer_watch.hpp"

namespace {

using namespace std::chrono_literals;
using namespace pgcoord::tool;
using testing::ElementsAre;
using testing::IsEmpty;

PeerRow peer(const std::string& instance, const std::string& status = "healthy",
             const std::string& incarnation = "1") {
  PeerRow row;
  row.group = "default";
  row.instance = instance;
  row.incarnation = incarnation;
  row.status = status;
  row.json = "{}";
  return row;
}

PeerRow draining(const std::string& instance, const std::string& notice, std::chrono::milliseconds left) {
  PeerRow row = peer(instance, "draining");
  row.intent = "maintenance";
  row.notice = notice;
  row.left = left;
  return row;
}

PeerRow without_session(PeerRow row) {
  row.has_session = false;
  return row;
}

/// "a joined", or "a joined<stale" when it was something before.
std::vector<std::string> words(const std::vector<PeerChange>& changes) {
  std::vector<std::string> out;
  for (const auto& change : changes) {
    out.push_back(change.peer.instance + " " + change.event +
                  (change.previous ? "<" + *change.previous : ""));
  }
  return out;
}

class ToolPeers : public testing::Test {
 protected:
  std::vector<std::string> see(std::vector<PeerRow> rows) { return words(picture_.update(std::move(rows))); }
  PeerPicture picture_;
};

TEST_F(ToolPeers, WhatIsThereAtFirstIsCurrent) {
  EXPECT_THAT(see({peer("b", "stale"), peer("a")}), ElementsAre("a current", "b current"));
  EXPECT_THAT(see({peer("b", "stale"), peer("a")}), IsEmpty());
}

TEST_F(ToolPeers, AFirstLookAtNobodyIsALookToo) {
  EXPECT_THAT(see({}), IsEmpty());
  EXPECT_THAT(see({peer("a")}), ElementsAre("a joined"));
}

TEST_F(ToolPeers, TellsEveryChangeOfStatus) {
  EXPECT_THAT(see({peer("a")}), ElementsAre("a current"));
  EXPECT_THAT(see({peer("a", "stale")}), ElementsAre("a stale<healthy"));
  EXPECT_THAT(see({peer("a")}), ElementsAre("a healthy<stale"));
  EXPECT_THAT(see({draining("a", "n1", 30s)}), ElementsAre("a draining<healthy"));
  EXPECT_THAT(see({draining("a", "n1", 20s)}), IsEmpty());
  EXPECT_THAT(see({draining("a", "n2", 60s)}), ElementsAre("a draining<draining"));
  EXPECT_THAT(see({peer("a", "terminated")}), ElementsAre("a terminated<draining"));
  EXPECT_THAT(see({without_session(peer("a", "terminated"))}), ElementsAre("a left<terminated"));
  EXPECT_THAT(see({without_session(peer("a", "terminated"))}), IsEmpty());
}

TEST_F(ToolPeers, TellsLeavingFromRemoving) {
  EXPECT_THAT(see({peer("a"), peer("b", "stale"), peer("c", "terminated")}), testing::SizeIs(3));
  EXPECT_THAT(see({}), ElementsAre("a left<healthy", "b removed<stale", "c removed<terminated"));
}

TEST_F(ToolPeers, ANewIncarnationHasJoined) {
  EXPECT_THAT(see({peer("a", "terminated")}), ElementsAre("a current"));
  EXPECT_THAT(see({peer("a", "healthy", "2")}), ElementsAre("a joined<terminated"));
  PeerRow both = draining("a", "n", 1s);
  both.incarnation = "3";
  EXPECT_THAT(see({both}), ElementsAre("a joined<healthy", "a draining<healthy"));
}

TEST_F(ToolPeers, OneNameInTwoGroupsIsTwoMembers) {
  PeerRow other = peer("a");
  other.group = "other";
  EXPECT_THAT(see({peer("a")}), ElementsAre("a current"));
  EXPECT_THAT(see({peer("a"), other}), ElementsAre("a joined"));
}

TEST_F(ToolPeers, KnowsWhenTheNextNoticeEnds) {
  EXPECT_EQ(picture_.until_next_deadline(), std::nullopt);
  see({peer("a"), draining("b", "n", 30s), draining("c", "n", 5s)});
  EXPECT_EQ(picture_.until_next_deadline(), 5s);
  see({peer("a"), peer("c", "terminated")});
  EXPECT_EQ(picture_.until_next_deadline(), std::nullopt);
}

std::string line(const std::string& event, const PeerRow& row) { return peer_line({event, row, "x"}, "now"); }

TEST(ToolPeerText, SaysItInALine) {
  EXPECT_EQ(line("current", peer("a")), "now  member a: healthy (current)\n");
  EXPECT_EQ(line("joined", peer("a")), "now  member a: joined\n");
  EXPECT_EQ(line("draining", draining("a", "n", 29'900ms)),
            "now  member a: draining, 29.9 s left (maintenance)\n");
  EXPECT_EQ(line("terminated", peer("a", "terminated")), "now  member a: terminated (its time is over)\n");
  EXPECT_EQ(line("terminated", without_session(peer("a", "terminated"))),
            "now  member a: terminated (gone)\n");
  EXPECT_EQ(line("stale", peer("a", "stale")), "now  member a: stale (silent)\n");
  EXPECT_EQ(line("stale", without_session(peer("a", "stale"))), "now  member a: stale (session gone)\n");
  EXPECT_EQ(line("healthy", peer("a")), "now  member a: healthy again\n");
  EXPECT_EQ(line("removed", peer("a", "stale")), "now  member a: removed\n");
  PeerRow other = peer("a");
  other.group = "g";
  EXPECT_EQ(line("left", other), "now  member a of g: left\n");
}

TEST(ToolPeerText, HasJsonAndTsv) {
  const PeerChange change{"draining", draining("a", "n", 1'500ms), "healthy"};
  EXPECT_EQ(peer_json(change, "\"t\""),
            "{\"event\":\"draining\",\"at\":\"t\",\"previous\":\"healthy\",\"peer\":{}}\n");
  EXPECT_EQ(peer_json({"joined", peer("a"), std::nullopt}, "\"t\""),
            "{\"event\":\"joined\",\"at\":\"t\",\"previous\":null,\"peer\":{}}\n");
  EXPECT_EQ(peer_tsv(change, "now"),
            "now\t\tdraining\thealthy\t\t\tdefault\ta\tdraining\tmaintenance\t1.5s\n");
}

}  // namespace
