#include "bankfull/app/background_work.hpp"

#include <atomic>
#include <gtest/gtest.h>
#include <memory>
#include <stdexcept>
#include <thread>
#include <vector>

namespace bankfull {
namespace {

TEST(BackgroundWork, IsDoneInOrderByAnotherThread) {
  std::vector<int> done;
  std::thread::id who;
  BackgroundWork work;
  for (int n = 0; n < 100; ++n) {
    work.add([&done, &who, n] {
      done.push_back(n);
      who = std::this_thread::get_id();
    });
  }
  work.finish();
  ASSERT_EQ(done.size(), 100U);
  EXPECT_EQ(done.front(), 0);
  EXPECT_EQ(done.back(), 99);
  EXPECT_NE(who, std::this_thread::get_id());
}

TEST(BackgroundWork, IsDoneBeforeItIsDestroyed) {
  std::atomic<int> done = 0;
  {
    BackgroundWork work;
    for (int n = 0; n < 10; ++n) {
      work.add([&done] { ++done; });
    }
  }
  EXPECT_EQ(done, 10);
}

TEST(BackgroundWork, ReportsWhatItThrewAndDropsTheRest) {
  bool is_dropped = true;
  const auto held = std::make_shared<int>(1);
  BackgroundWork work;
  std::atomic<bool> may_begin = false;
  work.add([&may_begin] {
    while (!may_begin) {
      std::this_thread::yield();
    }
    throw std::runtime_error("broken");
  });
  work.add([&is_dropped, held] { is_dropped = false; });
  may_begin = true;
  EXPECT_THROW(work.finish(), std::runtime_error);
  EXPECT_THROW(work.add([] {}), std::runtime_error);
  EXPECT_TRUE(is_dropped);
  EXPECT_EQ(held.use_count(), 1) << "what was dropped is let go";
}

}  // namespace
}  // namespace bankfull
