#include "pgcoord/callback_list.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

namespace {

using pgcoord::CallbackList;
using testing::ElementsAre;

TEST(CallbackList, tells_changes_in_the_order_they_were_posted) {
  CallbackList<int> list;
  std::vector<int> heard;
  list.add([&](int value) { heard.push_back(value); });
  list.post(1);
  list.post(2);
  list.deliver();
  EXPECT_THAT(heard, ElementsAre(1, 2));
}

TEST(CallbackList, a_change_made_in_a_callback_is_told_after_the_round) {
  CallbackList<int> list;
  std::vector<int> heard;
  list.add([&](int value) {
    heard.push_back(value);
    if (value > 1) return;
    list.post(value + 1);
    list.deliver();
  });
  list.add([&](int value) { heard.push_back(10 * value); });
  list.post(1);
  list.deliver();
  EXPECT_THAT(heard, ElementsAre(1, 10, 2, 20));
}

TEST(CallbackList, one_that_is_removed_in_the_round_is_not_started) {
  CallbackList<int> list;
  std::vector<int> heard;
  pgcoord::CallbackId second{};
  list.add([&](int) { list.remove(second); });
  second = list.add([&](int value) { heard.push_back(value); });
  list.post(1);
  list.deliver();
  EXPECT_TRUE(heard.empty());
}

TEST(CallbackList, exceptions_of_callbacks_and_of_their_handler_stop_nothing) {
  CallbackList<int> list;
  int told = 0;
  int reported = 0;
  list.add([](int) { throw 1; });
  list.add([&](int) { ++told; });
  list.post(1);
  list.deliver([&](std::exception_ptr) {
    ++reported;
    throw 2;
  });
  EXPECT_EQ(told, 1);
  EXPECT_EQ(reported, 1);
}

TEST(CallbackList, threads_that_post_and_deliver_lose_nothing) {
  CallbackList<int> list;
  std::atomic<int> told{0};
  list.add([&](int) { ++told; });
  const auto work = [&] {
    for (int i = 0; i < 1000; ++i) {
      list.post(i);
      list.deliver();
      list.remove(list.add([](int) {}));
    }
  };
  {
    const std::jthread one(work);
    const std::jthread two(work);
  }
  list.deliver();
  EXPECT_EQ(told, 2000);
}

}  // namespace
