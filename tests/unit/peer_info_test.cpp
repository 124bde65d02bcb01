#include "pgcoord/peer_info.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace {

using namespace std::chrono_literals;
using namespace pgcoord;
using testing::ElementsAre;
using testing::IsEmpty;

const Instant now{1h};

PeerInfo heard(Duration ago, std::vector<std::string> subscriptions = {}) {
  PeerInfo peer;
  peer.instance_id = "a";
  peer.last_heartbeat.emplace();
  peer.last_heartbeat->subscriptions = std::move(subscriptions);
  peer.heard_at = now - ago;
  return peer;
}

PeerInfo noticed(Duration remaining, std::vector<std::string> subscriptions = {}) {
  auto peer = heard(0s, {"heard"});
  peer.shutdown_notification.emplace();
  peer.shutdown_notification->subscriptions = std::move(subscriptions);
  peer.shutdown_deadline = now + remaining;
  return peer;
}

TEST(PeerInfo, T59_a_new_one_is_unknown) {
  PeerInfo peer;
  peer.instance_id = "a";
  EXPECT_FALSE(peer.last_heartbeat);
  EXPECT_FALSE(peer.shutdown_notification);
  EXPECT_EQ(peer.status(now), PeerStatus::unknown);
  EXPECT_THAT(peer.subscriptions(), IsEmpty());
}

TEST(PeerInfo, T60_fresh_heartbeat_is_healthy) {
  const auto peer = heard(0s, {"orders"});
  EXPECT_EQ(peer.status(now), PeerStatus::healthy);
  EXPECT_THAT(peer.subscriptions(), ElementsAre("orders"));
}

TEST(PeerInfo, T61_twenty_seconds_are_stale) {
  EXPECT_EQ(heard(20s).status(now), PeerStatus::stale);
  EXPECT_EQ(heard(15s).status(now), PeerStatus::healthy) << "only past the timeout";
}

TEST(PeerInfo, T62_notice_is_draining_with_the_notice_s_subscriptions) {
  const auto peer = noticed(1ns, {"noticed"});
  EXPECT_EQ(peer.status(now), PeerStatus::draining);
  EXPECT_THAT(peer.subscriptions(), ElementsAre("noticed"));
}

TEST(PeerInfo, T63_expired_notice_is_terminated) {
  EXPECT_EQ(noticed(0s).status(now), PeerStatus::terminated);
  EXPECT_EQ(noticed(-1h).status(now), PeerStatus::terminated);
}

TEST(PeerInfo, S1_a_notice_counts_before_an_old_heartbeat) {
  auto peer = noticed(10s);
  peer.heard_at = now - 1h;
  EXPECT_EQ(peer.status(now), PeerStatus::draining);
  peer.last_heartbeat.reset();
  EXPECT_EQ(peer.status(now), PeerStatus::draining);
}

TEST(PeerInfo, W1_the_configured_timeout_decides) {
  auto peer = heard(8s);
  peer.timeout = 5s;
  EXPECT_EQ(peer.status(now), PeerStatus::stale);
  peer = heard(20s);
  peer.timeout = 60s;
  EXPECT_EQ(peer.status(now), PeerStatus::healthy);
}

TEST(PeerInfo, W24_an_empty_notice_hides_nothing) {
  EXPECT_THAT(noticed(10s).subscriptions(), ElementsAre("heard"));
}

TEST(PeerInfo, one_whose_session_ended_is_stale_or_terminated_at_once) {
  auto peer = heard(0s);
  peer.gone = true;
  EXPECT_EQ(peer.status(now), PeerStatus::stale);
  peer = noticed(10s);
  peer.gone = true;
  EXPECT_EQ(peer.status(now), PeerStatus::terminated);
}

TEST(PeerStatus, words) {
  EXPECT_EQ(to_string(PeerStatus::terminated), "terminated");
  EXPECT_EQ(to_string(PeerStatus::draining), "draining");
  EXPECT_EQ(to_string(PeerStatus::unknown), "unknown");
  EXPECT_EQ(to_string(PeerStatus::stale), "stale");
  EXPECT_EQ(to_string(PeerStatus::healthy), "healthy");
}

}  // namespace
