#include "bankfull/core/comm/on_device.hpp"
#include "tests/mpi_main.hpp"
#include "tests/refusal_text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace bankfull {
namespace {

using ::testing::HasSubstr;

bool is_last() { return test_ranks().rank() == test_ranks().size() - 1; }

std::string refusal_of(const DeviceRequest& request) {
  return refusal_text(
      [&] { on_device(test_ranks(), request, [](const Team& team) { return team.threads(); }); });
}

TEST(OnDeviceOfRanks, AllRefuseWhatOneAsksInVain) {
  EXPECT_THAT(refusal_of({.device = is_last() ? "gpu" : "cpu"}), HasSubstr("gpu is not a device"));
  EXPECT_THAT(refusal_of({.device = is_last() ? "gpu" : "auto"}), HasSubstr("gpu is not a device"));
  EXPECT_THAT(refusal_of({.threads = is_last() ? -1 : 1}), HasSubstr("team of -1 threads"));
}

TEST(OnDeviceOfRanks, RequestsMayDiffer) {
  const DeviceRequest request{.device = is_last() ? "auto" : "cpu", .threads = is_last() ? 2 : 1};
  EXPECT_EQ(on_device(test_ranks(), request, [](const Team& team) { return team.threads(); }),
            is_last() ? 2 : 1);
}

}  // namespace
}  // namespace bankfull
