#include "bankfull/core/base/error.hpp"

#include <gtest/gtest.h>
#include <string>

namespace bankfull {
namespace {

TEST(UsageError, KeepsTheRemedyHoweverLongTheProblemIs) {
  std::string words;
  for (int n = 0; n < 10'000; ++n) {
    words += "many words ";
  }
  for (const std::string& problem : {std::string(900'000, 'x'), words}) {
    const std::string line = UsageError(problem, "use fewer words").what();
    EXPECT_LE(line.size(), max_message_length);
    EXPECT_TRUE(line.ends_with("; use fewer words")) << line;
    // As ranks communicate it.
    EXPECT_EQ(UsageError(line).what(), line);
  }
}

TEST(UsageError, IsOneLineWhateverItQuotes) {
  EXPECT_STREQ(UsageError("--set a\nb\x1b[2J\xff is unknown", "see\nhelp").what(),
               "--set a\\nb\\x1b[2J\\xff is unknown; see\\nhelp");
  EXPECT_STREQ(RuntimeFailure("cannot write a\nb").what(), "cannot write a\\nb");
}

TEST(UsageError, KnowsTheSettingThatItIsAbout) {
  EXPECT_EQ(UsageError("too long", "shorten it").setting(), "");
  const auto refuse = [] { require(false, "too long", "shorten it"); };
  try {
    about("time", [&] { about("time.dt", refuse); });
    FAIL() << "refuses nothing";
  } catch (const UsageError& error) {
    EXPECT_EQ(error.setting(), "time.dt");
    EXPECT_STREQ(error.what(), "too long; shorten it");
  }
  EXPECT_EQ(about("time", [] { return 3; }), 3);
}

}  // namespace
}  // namespace bankfull
