#include "bankfull/core/comm/on_device.hpp"

#include "bankfull/core/comm/run_on_ranks.hpp"
#include "tests/refusal_text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <new>
#include <stdexcept>
#include <string>

namespace bankfull {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

const auto threads_there = [](const Team& team) { return team.threads(); };

TEST(OnDevice, GivesATeamOfSoManyThreads) {
  const auto alone = make_self_communicator();
  EXPECT_EQ(on_device(*alone, {.threads = 2}, threads_there), 2);
  EXPECT_GE(on_device(*alone, {.device = "cpu"}, threads_there), 1);
}

TEST(OnDevice, RefusesWhatASourceForTheCpuCannotDo) {
  const auto alone = make_self_communicator();
  const auto asking = [&](const DeviceRequest& request) {
    return refusal_text([&] { on_device(*alone, request, threads_there); });
  };
  EXPECT_THAT(asking({.threads = -1}), HasSubstr("team of -1 threads"));
  EXPECT_THAT(asking({.device = "gpu"}), HasSubstr("gpu"));
  EXPECT_THAT(asking({.device = "cuda"}), HasSubstr("cuda"));
}

/// The code of a program whose body does this, and what it reports.
template <class Body>
std::pair<int, std::string> program(const Body& body) {
  std::string told;
  const int code = run_on_ranks(
      [&](const Communicator& ranks) {
        EXPECT_EQ(ranks.size(), 1);
        return body();
      },
      [&](const std::string& message) { told = message; });
  return {code, told};
}

TEST(RunOnRanks, ReturnsTheCodeOfItsBody) {
  EXPECT_EQ(program([] { return ExitCode::ok; }), std::pair(0, std::string()));
  EXPECT_EQ(program([] { return ExitCode::below_threshold; }).first, 4);
}

TEST(RunOnRanks, TellsFailuresAndGivesThemTheirCodes) {
  EXPECT_EQ(program([]() -> ExitCode { throw UsageError("no"); }), std::pair(2, std::string("no")));
  EXPECT_EQ(program([]() -> ExitCode { throw RuntimeFailure("broken"); }),
            std::pair(1, std::string("broken")));
  EXPECT_EQ(program([]() -> ExitCode { throw std::bad_alloc(); }),
            std::pair(1, std::string("out of memory")));
  EXPECT_THAT(program([]() -> ExitCode { throw std::runtime_error("two\nlines"); }).second,
              AllOf(HasSubstr("two"), HasSubstr("lines"), Not(HasSubstr("\n"))));
  EXPECT_EQ(program([]() -> ExitCode { throw 7; }),
            std::pair(1, std::string("an unknown failure")));
}

}  // namespace
}  // namespace bankfull
