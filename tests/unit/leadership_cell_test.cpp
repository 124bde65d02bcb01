#include "pgcoord/leadership_cell.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <thread>

namespace {

using namespace std::chrono_literals;
using pgcoord::Instant;
using pgcoord::LeadershipCell;
using pgcoord::Token;

constexpr Instant start{1h};

TEST(LeadershipCell, leads_until_the_deadline) {
  LeadershipCell cell;
  EXPECT_FALSE(cell.is_leader(start));
  cell.grant(Token{7}, start + 10s);
  EXPECT_TRUE(cell.is_leader(start + 10s - 1ns));
  EXPECT_EQ(cell.token(start), Token{7});
  EXPECT_FALSE(cell.is_leader(start + 10s));
  EXPECT_EQ(cell.token(start), std::nullopt);
}

TEST(LeadershipCell, an_expiry_that_was_seen_cannot_be_undone) {
  LeadershipCell cell;
  cell.grant(Token{7}, start + 10s);
  EXPECT_FALSE(cell.is_leader(start + 11s));
  EXPECT_FALSE(cell.extend(start + 20s));
  EXPECT_FALSE(cell.is_leader(start + 12s));
  cell.grant(Token{8}, start + 20s);
  EXPECT_TRUE(cell.is_leader(start + 12s));
}

TEST(LeadershipCell, an_unseen_expiry_can_still_be_extended) {
  LeadershipCell cell;
  cell.grant(Token{7}, start + 10s);
  EXPECT_TRUE(cell.extend(start + 20s));
  EXPECT_TRUE(cell.is_leader(start + 12s));
}

TEST(LeadershipCell, is_false_in_a_child_of_fork) {
  LeadershipCell cell;
  cell.grant(Token{7}, start + 10s);
  const pid_t child = fork();
  if (child == 0) _exit(cell.is_leader(start) || cell.token(start) ? 1 : 0);
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_TRUE(cell.is_leader(start));
}

TEST(LeadershipCell, a_reader_never_sees_no_and_then_yes_for_one_term) {
  for (int round = 0; round < 300; ++round) {
    LeadershipCell cell;
    cell.grant(Token{7}, start + 10s);
    std::atomic<bool> extended{false};
    bool seen_no = false;
    bool yes_after_no = false;
    {
      const std::jthread writer([&] { extended = cell.extend(start + 20s); });
      for (int i = 0; i < 50; ++i) {
        const bool leads = cell.is_leader(start + 11s);
        yes_after_no = yes_after_no || (seen_no && leads);
        seen_no = seen_no || !leads;
      }
    }
    EXPECT_FALSE(yes_after_no);
    EXPECT_EQ(extended, cell.is_leader(start + 11s));
  }
}

TEST(LeadershipCell, token_splits_into_epoch_and_term) {
  const Token token{(std::int64_t{3} << 40) | 17};
  EXPECT_EQ(token.epoch(), 3);
  EXPECT_EQ(token.term(), 17);
  EXPECT_GT((Token{std::int64_t{4} << 40}), token);
}

}  // namespace
