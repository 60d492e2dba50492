#include "bankfull/core/base/dynamic_library.hpp"

#include "bankfull/core/base/error.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace bankfull {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

struct Mathematics : DynamicLibrary {
  Mathematics() : DynamicLibrary("libm.so.6") {}
  DynamicFunction<double(double)> cosine{*this, "cos"};
  DynamicFunction<double(double, double)> power{*this, "pow"};
};

struct NewerMathematics : DynamicLibrary {
  NewerMathematics() : DynamicLibrary("libm.so.6") {}
  DynamicFunction<double(double)> first{*this, "bankfull_first"};
  DynamicFunction<double(double)> second{*this, "bankfull_second"};
  DynamicFunction<double(double)> cosine{*this, "cos"};
};

struct Nowhere : DynamicLibrary {
  Nowhere() : DynamicLibrary("libbankfull-nowhere.so.1") {}
  DynamicFunction<int()> function{*this, "function"};
};

TEST(DynamicLibrary, ItsFunctionsAreCalledAsAnyOthers) {
  const Mathematics library;
  EXPECT_EQ(library.unavailable_reason(), "");
  EXPECT_EQ(library.cosine(0.0), 1.0);
  EXPECT_EQ(library.power(2.0, 10.0), 1024.0);
  EXPECT_NO_THROW(library.require("mathematics"));
}

TEST(DynamicLibrary, NamesTheFirstFunctionThatItLacks) {
  const NewerMathematics library;
  EXPECT_EQ(library.unavailable_reason(), "libm.so.6 has no bankfull_first");
  EXPECT_FALSE(library.first);
  EXPECT_FALSE(library.second);
  EXPECT_TRUE(library.cosine);
  EXPECT_THAT(
      [&] { library.require("mathematics"); },
      ThrowsMessage<RuntimeFailure>("mathematics cannot be used: libm.so.6 has no bankfull_first"));
}

TEST(DynamicLibrary, SaysThatItIsNowhere) {
  const Nowhere library;
  EXPECT_FALSE(library.function);
  EXPECT_THAT([&] { library.require("it"); },
              ThrowsMessage<RuntimeFailure>(HasSubstr("libbankfull-nowhere.so.1")));
}

}  // namespace
}  // namespace bankfull
