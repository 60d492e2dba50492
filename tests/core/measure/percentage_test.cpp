#include "bankfull/core/measure/percentage.hpp"

#include "bankfull/core/base/error.hpp"
#include "tests/alone.hpp"

#include <gtest/gtest.h>

namespace bankfull {
namespace {

constexpr double beyond_every_cache = 1e15;

Work copy_of(double working_set) {
  return {.traffic = {.bytes_read = 8.0, .bytes_written = 8.0}, .working_set_bytes = working_set};
}

/// The message; empty if nothing is refused.
std::string refusal(const Work& work, const MeasurePolicy& policy = {}) {
  try {
    require_percentage("--min-percent 90", work, Device::cpu(), alone(), policy);
  } catch (const UsageError& error) {
    return error.what();
  }
  return {};
}

TEST(RequirePercentage, AcceptsWorkInMemory) {
  EXPECT_EQ(refusal(copy_of(beyond_every_cache)), "");
  EXPECT_EQ(refusal(copy_of(beyond_every_cache), {.ceiling = CeilingRule::always}), "");
}

TEST(RequirePercentage, RefusesWorkThatHasNoCeiling) {
  const std::string said = refusal({.working_set_bytes = beyond_every_cache});
  EXPECT_NE(said.find("--min-percent 90 needs a percentage"), std::string::npos) << said;
  EXPECT_NE(said.find("moves nothing"), std::string::npos) << said;
  Work message = copy_of(beyond_every_cache);
  message.is_bound_by_memory = false;
  EXPECT_NE(refusal(message), "");
}

TEST(RequirePercentage, RefusesWorkInACacheUnderEveryRule) {
  if (last_cache_bytes(Device::cpu()) == 0) {
    GTEST_SKIP() << "the last cache is unknown";
  }
  const auto cache = static_cast<double>(last_cache_bytes(Device::cpu()));
  for (const CeilingRule rule : {CeilingRule::automatic, CeilingRule::always}) {
    EXPECT_NE(refusal(copy_of(8.0), {.ceiling = rule}).find("holds all of its 8 B"),
              std::string::npos);
    EXPECT_NE(refusal(copy_of(2.0 * cache), {.ceiling = rule}).find("holds a part of"),
              std::string::npos);
  }
}

TEST(RequirePercentage, RefusesWhatThePolicyHasNoCeilingFor) {
  const Work work = copy_of(beyond_every_cache);
  EXPECT_NE(refusal(work, {.ceiling = CeilingRule::none}).find("--ceiling none"),
            std::string::npos);
  MeasurePolicy policy{.ceiling = CeilingRule::file, .known_ceilings = {{.key = "read, fp64"}}};
  EXPECT_NE(refusal(work, policy).find("none for 1 read : 1 write, fp64"), std::string::npos);
  policy.known_ceilings.push_back({.key = "1 read : 1 write, fp64"});
  EXPECT_EQ(refusal(work, policy), "");
}

}  // namespace
}  // namespace bankfull
