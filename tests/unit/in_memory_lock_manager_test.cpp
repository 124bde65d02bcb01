#include "pgcoord/in_memory_lock_manager.hpp"

#include "support/lock_manager_conformance.hpp"

namespace {

using namespace std::chrono_literals;
using namespace pgcoord;
using pgcoord::test::lock_error_of;
using pgcoord::test::wait_until;

class MemoryWorld {
 public:
  LockManager& us() { return us_; }
  LockManager& rival() { return rival_; }
  std::string key(int number) { return "key " + std::to_string(number); }
  int waiters(const std::string& key) { return state_->waiters(key); }

 private:
  std::shared_ptr<SharedLockState> state_ = std::make_shared<SharedLockState>();
  InMemoryLockManager us_{state_};
  InMemoryLockManager rival_{state_};
};

}  // namespace

namespace pgcoord::test {
INSTANTIATE_TYPED_TEST_SUITE_P(InMemory, LockManagerConformance, MemoryWorld);
}

namespace {

TEST(InMemoryLockManager, alone_it_contends_with_itself_only) {
  InMemoryLockManager one;
  InMemoryLockManager other;
  const auto guard = one.acquire("k");
  EXPECT_TRUE(other.try_acquire("k"));
  EXPECT_FALSE(one.try_acquire("k"));
}

TEST(InMemoryLockManager, holder_label_is_on_the_lock) {
  InMemoryLockManager manager(nullptr, "worker-1");
  EXPECT_EQ(manager.acquire("k").info().holder_id, "worker-1");
}

TEST(InMemoryLockManager, T144_timeout_is_in_the_text) {
  InMemoryLockManager manager;
  const auto guard = manager.acquire("k");
  const auto error = lock_error_of([&] { static_cast<void>(manager.acquire("k", 20ms)); });
  EXPECT_STREQ(error.what(), "Failed to acquire lock 'k': Timeout after 0.02s");
}

TEST(InMemoryLockManager, W2_a_loss_is_told_once_and_passes_the_lock_on) {
  const auto state = std::make_shared<SharedLockState>();
  InMemoryLockManager us(state);
  InMemoryLockManager rival(state);
  std::vector<std::string> lost;
  us.on_lost([&](const LockInfo& info, const Failure&) { lost.push_back(info.key); });
  auto guard = us.acquire("k");
  std::jthread waiter([&] { EXPECT_TRUE(rival.acquire("k").is_held()); });
  ASSERT_TRUE(wait_until([&] { return state->waiters("k") == 1; }));
  EXPECT_TRUE(state->lose("k"));
  waiter.join();
  EXPECT_FALSE(us.is_held("k"));
  EXPECT_FALSE(guard.is_held());
  EXPECT_EQ(lost, std::vector<std::string>{"k"});
  EXPECT_EQ(lock_error_of([&] { us.release("k"); }).failure(), LockFailure::lost);
  EXPECT_EQ(lock_error_of([&] { us.release("k"); }).failure(), LockFailure::not_held);
  EXPECT_EQ(guard.release(), LockRelease::lost);
  EXPECT_EQ(us.release_all(), 0);
  EXPECT_FALSE(state->lose("k"));
}

TEST(InMemoryLockManager, a_loss_whose_guard_is_gone_is_forgotten) {
  const auto state = std::make_shared<SharedLockState>();
  InMemoryLockManager us(state);
  {
    const auto guard = us.acquire("k");
    state->lose("k");
  }
  EXPECT_EQ(lock_error_of([&] { us.release("k"); }).failure(), LockFailure::not_held);
}

TEST(InMemoryLockManager, a_callback_may_lock_and_be_removed) {
  const auto state = std::make_shared<SharedLockState>();
  InMemoryLockManager us(state);
  std::optional<LockGuard> again;
  const auto id = us.on_lost([&](const LockInfo& info, const Failure&) { again = us.try_acquire(info.key); });
  const auto guard = us.acquire("k");
  state->lose("k");
  ASSERT_TRUE(again);
  EXPECT_TRUE(again->is_held());
  EXPECT_TRUE(us.remove_lost_callback(id));
  EXPECT_FALSE(us.remove_lost_callback(id));
  again.reset();
}

TEST(InMemoryLockManager, a_guard_may_outlive_its_manager) {
  const auto state = std::make_shared<SharedLockState>();
  auto us = std::make_unique<InMemoryLockManager>(state);
  auto guard = us->acquire("k");
  us.reset();
  EXPECT_FALSE(guard.is_held());
  EXPECT_EQ(guard.release(), LockRelease::already_released);
  EXPECT_TRUE(InMemoryLockManager(state).try_acquire("k"));
}

TEST(InMemoryLockManager, W4_W8_many_threads_never_meet_and_lose_nothing) {
  const auto state = std::make_shared<SharedLockState>();
  InMemoryLockManager manager(state);
  std::atomic<int> inside{0};
  std::atomic<int> met{0};
  const auto work = [&] {
    for (int round = 0; round < 64; ++round) {
      auto guard = manager.acquire("k");
      if (++inside != 1) ++met;
      if (!manager.is_held("k")) ++met;
      --inside;
      if (guard.release() != LockRelease::released) ++met;
    }
  };
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 16; ++i) threads.emplace_back(work);
  }
  EXPECT_EQ(met, 0);
  EXPECT_EQ(manager.held_lock_count(), 0U);
  EXPECT_TRUE(manager.try_acquire("k"));
}

}  // namespace
