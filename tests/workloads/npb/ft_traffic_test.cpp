#include "bankfull/numerics/fft/lane_fft_steps.hpp"
#include "bankfull/workloads/npb/ft/cpu_passes.hpp"
#include "tests/counting.hpp"

#include <algorithm>
#include <array>
#include <gtest/gtest.h>
#include <string>

// The model of FT's passes on a CPU against what they read, write and compute.
namespace bankfull::npb::ft {
namespace {

using Value = counting::Counted<double>;

/// A whole field in the order of a Slab, without its padding.
class CountedField {
 public:
  explicit CountedField(const FtParameters& ft)
      : row_(ft.nx / lanes * block), plane_(ft.ny * row_), values_(ft.nz * plane_) {}

  [[nodiscard]] Value* at(std::int64_t block_x, std::int64_t row, std::int64_t z) const {
    return values_.data() + z * plane_ + row * row_ + block_x * block;
  }
  [[nodiscard]] std::int64_t plane() const { return plane_; }
  [[nodiscard]] std::int64_t row() const { return row_; }

 private:
  std::int64_t row_;
  std::int64_t plane_;
  mutable counting::Array<Value> values_;
};

/// All its planes' rows, in one piece.
class WholePlanes {
 public:
  WholePlanes(const FtParameters& ft, const CountedField& field)
      : piece_{{Piece{{0, ft.ny}, field}}}, row_(field.row()) {}

  struct Piece {
    Range rows;
    const CountedField& field;

    [[nodiscard]] Value* at(std::int64_t block_x, std::int64_t z) const {
      return field.at(block_x, 0, z);
    }
  };

  [[nodiscard]] auto begin() const { return piece_.begin(); }
  [[nodiscard]] auto end() const { return piece_.end(); }
  [[nodiscard]] std::int64_t row() const { return row_; }

 private:
  std::array<Piece, 1> piece_;
  std::int64_t row_;
};

std::string shape_name(const testing::TestParamInfo<FtParameters>& tested) {
  const FtParameters& ft = tested.param;
  return std::to_string(ft.nx) + 'x' + std::to_string(ft.ny) + 'x' + std::to_string(ft.nz);
}

class FtTraffic : public testing::TestWithParam<FtParameters> {
 protected:
  [[nodiscard]] static const FtParameters& ft() { return GetParam(); }
  [[nodiscard]] static double points() { return static_cast<double>(ft().points()); }

  template <class Pass>
  Traffic of_planes(const Pass& pass) {
    return counting::traffic_of([&] {
      for (std::int64_t z = 0; z < ft().nz; ++z) {
        pass(z);
      }
    });
  }

  Traffic along_z(const Decay* decay, const CountedField& to) {
    return counting::traffic_of([&] {
      transform_z<LaneFft::Sign::minus>(ft(), fft_, decay, 0, Range{0, ft().ny}, field_, to,
                                        Stores::cached, work_);
    });
  }

  AxisTransforms fft_{ft()};
  Workspace<Value> work_{ft()};
  CountedField field_{ft()};
  CountedField other_{ft()};
  WholePlanes planes_{ft(), field_};
};

/// The plane that a thread works in stays in its cache.
void leave_out_plane(const Workspace<Value>& work, const FtParameters& ft) {
  for (std::int64_t n = 0; n < 2 * ft.nx * ft.ny; ++n) {
    counting::Ledger::mine().leave_out(work.plane.data() + n);
  }
}

TEST_P(FtTraffic, FormingPlanesIsAsCounted) {
  leave_out_plane(work_, ft());
  const Traffic counted = of_planes([&](std::int64_t z) {
    form_plane(ft(), fft_, z, planes_, work_, [&](std::int64_t /*y*/, Value* blocks) {
      std::fill_n(blocks, ft().nx * block, Value(0.5));
    });
  });
  counting::expect_equal(plane_forming_traffic(ft(), points()), counted);
}

TEST_P(FtTraffic, TransformsAlongZAreAsCounted) {
  counting::expect_equal(z_traffic(ft(), points(), false), along_z(nullptr, field_));
  // Factors are plain numbers: of their products a point has one, and a block another.
  Traffic declared = z_traffic(ft(), points(), true);
  declared.flops -= points() * (1.0 + 1.0 / lanes);
  const Decay decay(ft(), 3, 1.0);
  counting::expect_equal(declared, along_z(&decay, other_));
}

TEST_P(FtTraffic, InvertingPlanesIsAsCounted) {
  leave_out_plane(work_, ft());
  const Traffic counted = of_planes([&](std::int64_t z) {
    invert_plane(ft(), fft_, z, planes_, work_, [](std::int64_t /*y*/, const Value* /*rows*/) {});
  });
  counting::expect_equal(plane_inversion_traffic(ft(), points()), counted);
}

INSTANTIATE_TEST_SUITE_P(Shapes, FtTraffic,
                         testing::Values(FtParameters{8, 8, 8, 1}, FtParameters{32, 16, 4, 1},
                                         FtParameters{8, 32, 64, 1}, FtParameters{64, 8, 2, 1}),
                         shape_name);

}  // namespace
}  // namespace bankfull::npb::ft
