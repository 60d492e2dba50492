#include "bankfull/core/exec/for_each.cuh"
#include "bankfull/core/field/field_set.hpp"

#include <gtest/gtest.h>
#include <vector>

namespace bankfull {
namespace {

struct Mark {
  FieldView<double> field;
  __device__ void operator()(std::int64_t i, std::int64_t j, std::int64_t k) const {
    field(i, j, k) += static_cast<double>(10000 * i + 100 * j + k);
  }
};

TEST(ForEachOnAStream, VisitsEveryCellOnce) {
  const Layout layout({5, 3, 200}, 1, sizeof(double));
  FieldSet<double> fields(layout, 1, Device::cuda(0));
  const Stream stream(Device::cuda(0));
  fill_bytes(fields.data(), 0, fields.bytes(), stream);
  const Box box{0, 5, 0, 3, 0, 200};
  for_each(stream, box, Mark{fields[0]});
  std::vector<double> host(fields.size());
  copy_bytes(host.data(), fields.data(), fields.bytes(), stream);
  stream.synchronize();
  double outside = 0.0;
  for (const double value : host) {
    outside += value;
  }
  for (std::int64_t i = 0; i < 5; ++i) {
    for (std::int64_t j = 0; j < 3; ++j) {
      for (std::int64_t k = 0; k < 200; ++k) {
        const double value =
            host[static_cast<std::size_t>(layout.origin() + layout.offset(i, j, k))];
        EXPECT_EQ(value, static_cast<double>(10000 * i + 100 * j + k));
        outside -= value;
      }
    }
  }
  EXPECT_EQ(outside, 0.0);
}

}  // namespace
}  // namespace bankfull
