#include "bankfull/core/field/field_set.hpp"

#include <gtest/gtest.h>

namespace bankfull {
namespace {

TEST(FieldSet, FieldsAreCongruentAndApart) {
  const Layout layout({3, 4, 5}, 1, sizeof(float));
  const FieldSet<float> fields(layout, 3, Device::cpu());
  for (int n = 0; n < 3; ++n) {
    const FieldView<float> field = fields[n];
    EXPECT_EQ(field.origin - fields[0].origin, n * fields.stride());
    EXPECT_EQ(&field(1, 2, 3) - field.origin, layout.offset(1, 2, 3));
    EXPECT_EQ(&field(-1, -1, -1), field.row(-1, -1) - 1);
  }
  EXPECT_GE(fields.stride(), layout.size());
  EXPECT_EQ(static_cast<std::int64_t>(fields.bytes()), field_set_bytes<float>(layout, 3));
}

TEST(FieldSet, NeighbouringFieldsStartOnDifferentCacheSets) {
  const FieldSet<float> fields(Layout({2, 2, 1022}, 1, sizeof(float)), 2, Device::cpu());
  const std::int64_t lines = fields.stride() * static_cast<std::int64_t>(sizeof(float)) / 64;
  EXPECT_NE(lines % 64, 0);
}

#ifndef NDEBUG
TEST(FieldViewDeathTest, IndexBeyondTheGhostsIsCaught) {
  const FieldSet<float> fields(Layout({3, 4, 5}, 1, sizeof(float)), 1, Device::cpu());
  EXPECT_DEATH(static_cast<void>(fields[0](4, 0, 0)), "reach");
  EXPECT_DEATH(static_cast<void>(fields[0](0, 0, -2)), "reach");
}
#endif

}  // namespace
}  // namespace bankfull
