#include "bankfull/workloads/npb/classes.hpp"

#include "bankfull/core/base/error.hpp"

#include <gtest/gtest.h>

namespace bankfull::npb {
namespace {

TEST(Classes, NamesAreReadAsTheyAreWritten) {
  for (const Class size : all_classes) {
    EXPECT_EQ(parse_class(to_string(size)), size);
  }
  for (const Kernel kernel : all_kernels) {
    EXPECT_EQ(parse_kernels(to_string(kernel)), std::vector{kernel});
  }
  EXPECT_EQ(parse_kernels("all").size(), all_kernels.size());
}

TEST(Classes, OtherNamesAreRefused) {
  for (const char* text : {"", "a", "F", "AB", " A"}) {
    EXPECT_THROW(parse_class(text), UsageError) << text;
  }
  for (const char* text : {"", "CG", "lu", "cg "}) {
    EXPECT_THROW(parse_kernels(text), UsageError) << text;
  }
}

TEST(Classes, EveryIterationOfFtHasAChecksum) {
  for (const Class size : all_classes) {
    EXPECT_EQ(ft_checksums(size).size(), static_cast<std::size_t>(ft_parameters(size).iterations));
  }
}

TEST(Classes, RanksOfIsAreRanks) {
  for (const Class size : all_classes) {
    const IsParameters& is = is_parameters(size);
    for (int test = 0; test < is_tests; ++test) {
      EXPECT_LT(is.positions[static_cast<std::size_t>(test)], std::int64_t{1} << is.log2_keys);
      for (int iteration = 1; iteration <= is_iterations; ++iteration) {
        EXPECT_GE(expected_rank(size, test, iteration), 0);
        EXPECT_LT(expected_rank(size, test, iteration), std::int64_t{1} << is.log2_keys);
      }
    }
  }
}

TEST(Classes, RankOfAKeyOfClassEMovesWithTheKeysThatAreOverwritten) {
  const std::int64_t base = is_parameters(Class::e).ranks[2];
  EXPECT_EQ(expected_rank(Class::e, 2, 2), base);
  EXPECT_EQ(expected_rank(Class::e, 2, 3), base + 1 - 1);
  EXPECT_EQ(expected_rank(Class::e, 2, 4), base + 2 - 1);
  EXPECT_EQ(expected_rank(Class::e, 2, 5), base + 3 - 2);
}

}  // namespace
}  // namespace bankfull::npb
