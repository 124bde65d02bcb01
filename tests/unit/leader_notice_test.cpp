#include "pgcoord/leader_notice.hpp"

#include <gtest/gtest.h>

namespace {

using pgcoord::parse_leader_notice;

TEST(LeaderNotice, reads_a_hand_over) {
  const auto notice = parse_leader_notice(
      R"({"election":"e","leader":"b","epoch":1,"term":5,"token":1099511627781,"previous":"a",)"
      R"("cause":"session_end","at":"2026-01-01T00:00:00+00:00","event_id":9,"new key":[]})");
  ASSERT_TRUE(notice);
  EXPECT_EQ(notice->election, "e");
  EXPECT_EQ(notice->leader, "b");
  EXPECT_EQ(notice->token.epoch(), 1);
  EXPECT_EQ(notice->token.term(), 5);
  EXPECT_EQ(notice->previous, "a");
  EXPECT_EQ(notice->cause, "session_end");
  EXPECT_EQ(notice->event_id, 9);
}

TEST(LeaderNotice, reads_an_announced_successor) {
  const auto notice =
      parse_leader_notice(R"({"election":"e","leader":null,"successor":"b","event_id":null})");
  ASSERT_TRUE(notice);
  EXPECT_EQ(notice->leader, std::nullopt);
  EXPECT_EQ(notice->successor, "b");
  EXPECT_EQ(notice->event_id, std::nullopt);
}

TEST(LeaderNotice, refuses_what_it_is_not) {
  for (const char* payload :
       {"", " ", "1", "\"e\"", "[]", "{}", "{\"election\":\"\",\"leader\":null}", "{\"election\":\"e\"}",
        "{\"election\":\"e\",\"leader\":[]}", "{\"election\":\"e\",\"leader\":null,\"token\":\"7\"}",
        "{\"election\":\"e\",\"leader\":null,\"token\":1.5}",
        "{\"election\":\"e\",\"leader\":null,\"token\":18446744073709551615}",
        "{\"election\":\"e\",\"leader\":null} trailing", "{\"election\":\"\xc3\x28\"}"}) {
    EXPECT_FALSE(parse_leader_notice(payload)) << payload;
  }
}

TEST(LeaderNotice, survives_deep_nesting) { EXPECT_FALSE(parse_leader_notice(std::string(7999, '['))); }

}  // namespace
