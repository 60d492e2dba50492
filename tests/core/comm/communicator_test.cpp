#include "bankfull/core/comm/communicator.hpp"

#include "bankfull/core/base/error.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <new>
#include <string>
#include <vector>

namespace bankfull {
namespace {

template <class Error>
std::string message_of(const std::function<void()>& act) {
  try {
    act();
  } catch (const Error& error) {
    return error.what();
  }
  return "nothing of this kind was thrown";
}

TEST(SelfCommunicator, IsTheOnlyRank) {
  const auto ranks = make_self_communicator();
  EXPECT_EQ(ranks->rank(), 0);
  EXPECT_EQ(ranks->size(), 1);
  EXPECT_TRUE(ranks->is_root());
  EXPECT_EQ(ranks->local_rank(), 0);
  EXPECT_EQ(ranks->local_size(), 1);
  EXPECT_EQ(ranks->node(), 0);
  EXPECT_TRUE(ranks->on_one_node());
  EXPECT_FALSE(ranks->takes_device_memory());
}

TEST(SelfCommunicator, ReducesToItsOwnValue) {
  const auto ranks = make_self_communicator();
  EXPECT_EQ(ranks->sum(-0.25), -0.25);
  EXPECT_EQ(ranks->sum(std::int64_t{7}), 7);
  EXPECT_EQ(ranks->max(-2.5), -2.5);
  EXPECT_TRUE(std::isnan(ranks->max(std::nan(""))));
  EXPECT_EQ(ranks->max(std::int64_t{-3}), -3);
  EXPECT_EQ(ranks->min(std::int64_t{-3}), -3);
  EXPECT_TRUE(ranks->all(true));
  EXPECT_FALSE(ranks->all(false));
}

TEST(SelfCommunicator, GathersItsOwnValues) {
  const auto ranks = make_self_communicator();
  EXPECT_EQ(ranks->all_gather(5), std::vector{5});
  EXPECT_EQ(ranks->all_gather(std::vector{1, 2}), (std::vector<std::vector<int>>{{1, 2}}));
  EXPECT_EQ(ranks->all_gather(std::vector<int>{}), std::vector<std::vector<int>>(1));
}

TEST(SelfCommunicator, ExchangesNothing) {
  const auto ranks = make_self_communicator();
  const auto exchange = ranks->prepare({}, {});
  exchange->start();
  exchange->finish();
  ranks->barrier();
  ranks->patient_barrier();
  int value = 3;
  ranks->broadcast(&value, sizeof(value), 0);
  EXPECT_EQ(value, 3);
}

TEST(SelfCommunicator, SendsAllToItself) {
  const auto ranks = make_self_communicator();
  const std::vector<int> sent{1, 2, 3};
  std::vector<int> received(sent.size());
  const std::vector<std::size_t> sizes{sent.size() * sizeof(int)};
  ranks->all_to_all(sent.data(), sizes, received.data(), sizes);
  EXPECT_EQ(received, sent);
}

TEST(SelfCommunicator, RefusesMessagesToOthers) {
  const auto ranks = make_self_communicator();
  int value = 0;
  const Message message{.rank = 1, .data = &value, .bytes = sizeof(value)};
  EXPECT_THROW(ranks->prepare({&message, 1}, {}), UsageError);
  EXPECT_THROW(ranks->prepare({}, {&message, 1}), UsageError);
  EXPECT_THROW(ranks->broadcast(&value, sizeof(value), 1), UsageError);
  EXPECT_THROW(ranks->all_to_all(nullptr, {}, nullptr, {}), UsageError);
}

TEST(SelfCommunicator, Splits) {
  const auto ranks = make_self_communicator();
  EXPECT_EQ(ranks->first(1)->size(), 1);
  EXPECT_EQ(ranks->first(0), nullptr);
  EXPECT_EQ(ranks->split(4)->size(), 1);
  EXPECT_EQ(ranks->split(-1), nullptr);
}

TEST(Agree, KeepsKindAndMessage) {
  const auto ranks = make_self_communicator();
  ranks->agree([] {});
  EXPECT_EQ(message_of<UsageError>([&] { ranks->agree([] { throw UsageError("a", "b"); }); }),
            "a; b");
  EXPECT_EQ(message_of<RuntimeFailure>([&] { ranks->agree([] { throw RuntimeFailure("c"); }); }),
            "c");
  EXPECT_EQ(message_of<RuntimeFailure>([&] { ranks->agree([] { throw std::bad_alloc(); }); }),
            "out of memory");
  EXPECT_EQ(message_of<RuntimeFailure>([&] { ranks->agree([] { throw 5; }); }),
            "an unknown failure");
}

TEST(OnRoot, RunsHere) {
  const auto ranks = make_self_communicator();
  bool ran = false;
  ranks->on_root([&] { ran = true; });
  EXPECT_TRUE(ran);
  EXPECT_THROW(ranks->on_root([] { throw UsageError("no"); }), UsageError);
}

}  // namespace
}  // namespace bankfull
