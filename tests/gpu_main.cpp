#include "bankfull/core/machine/gpu.hpp"

#include <cstdio>
#include <gtest/gtest.h>

/// Tests that want a GPU are skipped, all alike, where the process sees none.
int main(int argc, char** argv) {
  constexpr int skipped = 77;  // SKIP_RETURN_CODE in tests/CMakeLists.txt
  testing::InitGoogleTest(&argc, argv);
  if (!GTEST_FLAG_GET(list_tests) && bankfull::survey_gpus().gpus.empty()) {
    std::printf("Skipped: %s\n", bankfull::survey_gpus().none_because.c_str());
    return skipped;
  }
  return RUN_ALL_TESTS();
}
