#include "bankfull/core/field/layout.hpp"
#include "bankfull/workloads/himeno/cpu/rows.hpp"
#include "bankfull/workloads/himeno/sweep.hpp"
#include "tests/counting.hpp"

#include <cstdlib>
#include <gtest/gtest.h>

// The model of an iteration against what the CPU sweep, whose point function all schedules share,
// reads, writes and computes.
namespace bankfull::himeno {
namespace {

constexpr GridSize grid{9, 6, 13};

/// The fields of the grid, and one sweep over them.
template <class T>
class CountedSweep {
  using Value = counting::Counted<T>;

 public:
  CountedSweep()
      : layout_(grid.interior(), 1, sizeof(T)),
        coefficients_(layout_.size() * coefficient_count),
        pressure_(layout_.size()),
        next_(layout_.size()) {
    each(1, [&](std::int64_t i, std::int64_t j, std::int64_t k) {
      if (!inside(i, j, k)) {
        pressure_.leave_out(layout_.origin() + layout_.offset(i, j, k));
      }
    });
    traffic_ = counting::traffic_of([&] { sweep(); });
  }

  [[nodiscard]] const Traffic& traffic() const { return traffic_; }

  /// Elements of the boundary, of which the pressure is read too.
  [[nodiscard]] std::int64_t boundary_reads() const {
    std::int64_t count = 0;
    each(1, [&](std::int64_t i, std::int64_t j, std::int64_t k) {
      count += !inside(i, j, k) && pressure_.was_read(layout_.origin() + layout_.offset(i, j, k));
    });
    return count;
  }

  /// All points of the boundary but its corners.
  [[nodiscard]] std::int64_t boundary_without_corners() const {
    std::int64_t count = 0;
    each(1, [&](std::int64_t i, std::int64_t j, std::int64_t k) { count += !inside(i, j, k); });
    return count - 8;
  }

 private:
  [[nodiscard]] bool inside(std::int64_t i, std::int64_t j, std::int64_t k) const {
    const Extents n = layout_.interior();
    return i >= 0 && i < n.ni && j >= 0 && j < n.nj && k >= 0 && k < n.nk;
  }

  template <class Body>
  void each(std::int64_t ghosts, const Body& body) const {
    const Extents n = layout_.interior();
    for (std::int64_t i = -ghosts; i < n.ni + ghosts; ++i) {
      for (std::int64_t j = -ghosts; j < n.nj + ghosts; ++j) {
        for (std::int64_t k = -ghosts; k < n.nk + ghosts; ++k) {
          body(i, j, k);
        }
      }
    }
  }

  void sweep() {
    const Extents n = layout_.interior();
    const Value* none = nullptr;  // the boundary at the ends of rows is not written
    const SweepView<Value> view{n,
                                {view_of(coefficients_), layout_.size(), coefficient_count},
                                view_of(pressure_),
                                view_of(next_)};
    for (std::int64_t i = 0; i < n.ni; ++i) {
      for (std::int64_t j = 0; j < n.nj; ++j) {
        sweep_row_with(RowAccess{}, coefficient_rows(view, i, j), pressure_rows(view, i, j),
                       view.next.row(i, j), none, n.nk, Value(omega));
      }
    }
  }

  [[nodiscard]] FieldView<Value> view_of(counting::Array<Value>& fields) const {
    return {fields.data() + layout_.origin(), layout_.row_pitch(), layout_.plane_pitch(),
            grown(box_of(layout_.interior()), layout_.ghosts())};
  }

  Layout layout_;
  counting::Array<Value> coefficients_;
  counting::Array<Value> pressure_;
  counting::Array<Value> next_;
  Traffic traffic_;
};

template <class T>
void expect_model_of_sweep(Precision precision) {
  const CountedSweep<T> sweep;
  counting::expect_equal(iteration_traffic(grid, precision), sweep.traffic());
  // The model is of the points that are updated. Around them this is read too.
  EXPECT_EQ(sweep.boundary_reads(), sweep.boundary_without_corners());
}

TEST(HimenoTraffic, IterationIsAsCountedInSinglePrecision) {
  expect_model_of_sweep<float>(Precision::fp32);
}

TEST(HimenoTraffic, IterationIsAsCountedInDoublePrecision) {
  expect_model_of_sweep<double>(Precision::fp64);
}

}  // namespace
}  // namespace bankfull::himeno
