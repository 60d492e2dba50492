#include "bankfull/workloads/npb/ft/cpu_passes.hpp"

#include <cmath>
#include <gtest/gtest.h>

namespace bankfull::npb::ft {
namespace {

/// visit(element of the slab) for all values of a whole field.
template <class Visit>
void for_values(const FtParameters& ft, const Slab& slab, const Visit& visit) {
  for (std::int64_t z = 0; z < ft.nz; ++z) {
    for (std::int64_t y = 0; y < ft.ny; ++y) {
      for (std::int64_t n = 0; n < ft.nx * 2; ++n) {
        visit(slab.at(0, y, z)[n]);
      }
    }
  }
}

std::vector<double> transformed(const FtParameters& ft, const Slab& from, Stores stores) {
  const Slab to(Slabs(ft, 0, 1), Team(1));
  Workspace<double> work(ft);
  const Decay decay(ft, 1, 1.0);
  transform_z<LaneFft::Sign::minus>(ft, AxisTransforms(ft), &decay, 0, {0, ft.ny}, from, to, stores,
                                    work);
  std::vector<double> values;
  for_values(ft, to, [&](double value) { values.push_back(value); });
  return values;
}

TEST(FtStores, AreTheSameThroughTheCachesAndPastThem) {
  // Transforms of one step and of several.
  for (const FtParameters ft : {FtParameters{8, 8, 2, 1}, FtParameters{8, 8, 4, 1},
                                FtParameters{16, 8, 32, 1}, FtParameters{64, 8, 16, 1}}) {
    const Slab from(Slabs(ft, 0, 1), Team(1));
    double number = 0.0;
    for_values(ft, from, [&](double& value) { value = std::sin(number += 1.0); });
    const std::vector<double> cached = transformed(ft, from, Stores::cached);
    EXPECT_NE(cached.front(), 0.0);
    EXPECT_EQ(transformed(ft, from, Stores::streaming), cached);
  }
}

}  // namespace
}  // namespace bankfull::npb::ft
