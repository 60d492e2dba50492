#include "bankfull/workloads/npb/cg/sparse_vectors.hpp"

#include <gtest/gtest.h>
#include <string>

namespace bankfull::npb::cg {
namespace {

void expect_same(const SparseVectors& found, const SparseVectors& expected) {
  EXPECT_EQ(found.starts, expected.starts);
  EXPECT_EQ(found.indices, expected.indices);
  EXPECT_EQ(found.values, expected.values);
}

class CgVectors : public testing::TestWithParam<int> {};

// Class W has vectors with repeated numbers, and A several batches on few threads.
TEST_P(CgVectors, AreThoseThatOneThreadDrawsOneByOne) {
  for (const Class size : {Class::s, Class::w, Class::a}) {
    SCOPED_TRACE(to_string(size));
    const Range all{0, cg_parameters(size).rows};
    expect_same(draw_elements(size, all, all, Team(GetParam())), draw_vectors(size));
  }
}

TEST_P(CgVectors, HaveTheElementsOfSomeRowsAndColumnsOnly) {
  const SparseVectors whole = draw_vectors(Class::w);
  const Range some_rows{17, 1201};
  const Range some_columns{3333, 6999};
  SparseVectors expected{.starts = {0}, .indices = {}, .values = {}};
  for (std::size_t i = 0; i + 1 < whole.starts.size(); ++i) {
    for (auto n = static_cast<std::size_t>(whole.starts[i]);
         n < static_cast<std::size_t>(whole.starts[i + 1]); ++n) {
      if (some_rows.holds(whole.indices[n]) || some_columns.holds(whole.indices[n])) {
        expected.indices.push_back(whole.indices[n]);
        expected.values.push_back(whole.values[n]);
      }
    }
    expected.starts.push_back(static_cast<std::int64_t>(expected.indices.size()));
  }
  expect_same(draw_elements(Class::w, some_rows, some_columns, Team(GetParam())), expected);
}

INSTANTIATE_TEST_SUITE_P(Threads, CgVectors, testing::Values(1, 2, 3, 7, 16),
                         testing::PrintToStringParamName());

}  // namespace
}  // namespace bankfull::npb::cg
