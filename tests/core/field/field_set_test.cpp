#include "bankfull/core/field/field_set.hpp"

#include <gtest/gtest.h>
#include <set>
#include <type_traits>
#include <utility>

namespace bankfull {
namespace {

TEST(FieldSet, FieldsAreCongruentAndApart) {
  const Layout layout({3, 4, 5}, 1, sizeof(float));
  FieldSet<float> fields(layout, 3, Device::cpu());
  for (int n = 0; n < 3; ++n) {
    const FieldView<float> field = fields[n];
    EXPECT_EQ(field.origin - fields[0].origin, n * fields.stride());
    EXPECT_EQ(&field(1, 2, 3) - field.origin, layout.offset(1, 2, 3));
    EXPECT_EQ(&field(-1, -1, -1), field.row(-1, -1) - 1);
  }
  EXPECT_GE(fields.stride(), layout.size());
  EXPECT_EQ(static_cast<std::int64_t>(fields.bytes()), field_set_bytes<float>(layout, 3));
}

template <class Set>
using ViewOf = decltype(std::declval<Set>()[0]);

TEST(FieldSet, AConstSetIsOnlyRead) {
  static_assert(std::is_same_v<ViewOf<FieldSet<float>&>, FieldView<float>>);
  static_assert(std::is_same_v<ViewOf<const FieldSet<float>&>, FieldView<const float>>);
  static_assert(std::is_convertible_v<FieldView<float>, FieldView<const float>>);
  static_assert(!std::is_convertible_v<FieldView<const float>, FieldView<float>>);
  FieldSet<float> fields(Layout({3, 4, 5}, 1, sizeof(float)), 1, Device::cpu());
  fields[0](1, 2, 3) = 7.0F;
  const FieldView<const float> read = fields[0];
  EXPECT_EQ(read(1, 2, 3), 7.0F);
}

TEST(FieldSet, PlanesAndFieldsStartOnDifferentCacheSets) {
  // 32 KiB and 128 KiB planes: powers of two that would all map to one cache set.
  for (const Extents n : {Extents{62, 62, 126}, Extents{126, 126, 254}}) {
    const FieldSet<float> fields(Layout(n, 1, sizeof(float)), 14, Device::cpu());
    std::set<std::int64_t> places;
    const auto place = [](std::int64_t elements) { return elements * 4 % 4096 / 128; };
    for (int field = 0; field < 14; ++field) {
      places.insert(place(field * fields.stride()));
    }
    const std::int64_t pressure = 12 * fields.stride();
    const std::int64_t plane = fields.layout().plane_pitch();
    places.insert(place(pressure + plane));
    places.insert(place(pressure - plane));
    EXPECT_EQ(places.size(), 16U);
  }
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
