#include "bankfull/core/exec/cpu_executor.hpp"
#include "bankfull/workloads/hpcg/coloured_traffic.hpp"
#include "bankfull/workloads/hpcg/cpu/coarse_columns.hpp"
#include "bankfull/workloads/hpcg/cpu/half_sweeps.hpp"
#include "tests/alone.hpp"
#include "tests/counting.hpp"

#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <vector>

// The model of each step of an iteration against what the bodies of the tuned path on CPUs read,
// write and compute.
namespace bankfull::hpcg {
namespace {

using cpu::slice_height;
using Value = counting::Counted<double, slice_height>;
using Row = counting::CountedIndex<std::int32_t>;
using Offset = counting::CountedIndex<std::uint16_t>;
using Place = counting::CountedIndex<std::int64_t>;

struct CountedSlots {
  CountedSlots(const SlotRange& range) : begin(range.begin), end(range.end) {}  // NOLINT
  Row begin;
  Row end;
};
static_assert(sizeof(CountedSlots) == sizeof(SlotRange));

/// Columns of either kind.
struct CountedColumns {
  const Row* column = nullptr;
  const Row* base = nullptr;
  const Offset* offset = nullptr;

  [[nodiscard]] std::int64_t at(std::int64_t slot, std::int64_t entry) const {
    return column != nullptr ? std::int64_t{column[entry]}
                             : std::int64_t{base[slot]} + std::int64_t{offset[entry]};
  }
  [[nodiscard]] const void* place(std::int64_t entry) const {
    static_cast<void>(entry);
    return nullptr;
  }
};

struct CountedPart {
  const Place* slot;
  CountedColumns columns;
  const Value* value;
};

template <class To, class From>
counting::Array<To> counted(const Buffer<From>& from) {
  return counting::Array<To>(from.data(), static_cast<std::int64_t>(from.size()));
}

/// Keeps a part of the matrix.
class CountedSliced {
 public:
  explicit CountedSliced(const Sliced& part)
      : slim_(part.slim),
        slot_(counted<Place>(part.slot)),
        column_(counted<Row>(part.column)),
        base_(counted<Row>(part.base)),
        offset_(counted<Offset>(part.offset)),
        value_(counted<Value>(part.value)) {}

  [[nodiscard]] CountedPart view() const {
    return {slot_.data(),
            slim_ ? CountedColumns{nullptr, base_.data(), offset_.data()}
                  : CountedColumns{column_.data(), nullptr, nullptr},
            value_.data()};
  }

 private:
  bool slim_;
  counting::Array<Place> slot_;
  counting::Array<Row> column_;
  counting::Array<Row> base_;
  counting::Array<Offset> offset_;
  counting::Array<Value> value_;
};

/// The steps of one level, run with what counts.
class CountedLevel {
  using View = cpu::LevelView<CountedPart, CountedPart, CountedSlots, Row, Value>;

 public:
  explicit CountedLevel(const ColouredLevel& level)
      : level_(level),
        lower_(level.lower),
        upper_(level.upper),
        coarse_(level.coarse_upper),
        outer_(level.outer),
        diagonal_(counted<Value>(level.diagonal)),
        r_(level.vector_size()),
        x_(level.vector_size()),
        u_(level.vector_size()),
        y_(level.vector_size()),
        p_(level.vector_size()),
        coarse_slots_(counted<CountedSlots>(level.coarse_slots)),
        coarse_row_(counted<Row>(level.coarse_row)),
        coarse_r_(level.rows()),
        coarse_x_(level.rows()) {}

  template <class Body>
  Traffic forward(const Body& body) {
    return counting::traffic_of([&] {
      for (std::int64_t slice = 0; slice < slices(); ++slice) {
        body(view(), slice);
      }
    });
  }

  template <class Body>
  Traffic backward(const Body& body) {
    return counting::traffic_of([&] {
      for (std::int64_t slice = slices(); slice > 0; --slice) {
        body(view(), slice - 1);
      }
    });
  }

  Traffic restriction() {
    const Range rows = level_.coarse_range();
    return counting::traffic_of([&] {
      for (std::int64_t row = rows.begin; row < rows.end; row += slice_height) {
        cpu::restrict_slice(view(), row / slice_height);
      }
    });
  }

  Traffic prolongation() {
    return counting::traffic_of([&] {
      for (std::int64_t n = 0; n < level_.coarse_range().size(); ++n) {
        cpu::prolong_row(view(), n);
      }
    });
  }

  Traffic multiplication() {
    Pack<Value> sum;
    return forward([&](const View& a, std::int64_t slice) {
      sum = sum + cpu::multiply_slice(a, slice, y_.data());
    });
  }

  Traffic direction_update() {
    return counting::traffic_of([&] {
      for (std::int64_t n = 0; n < level_.rows(); ++n) {
        cpu::update_direction_row(Value(2), Value(3), r_.data(), x_.data(), p_.data(), n);
      }
    });
  }

  Traffic solution_update() {
    Pack<Value> sum;
    const auto factor = Pack<Value>::broadcast(2.0);
    return forward([&](const View& /*a*/, std::int64_t slice) {
      sum = sum + cpu::update_residual_slice(factor, y_.data(), r_.data(), slice);
    });
  }

 private:
  [[nodiscard]] std::int64_t slices() const { return level_.rows() / slice_height; }

  View view() {
    return {.lower = lower_.view(),
            .upper = upper_.view(),
            .coarse = coarse_.view(),
            .outer = outer_.view(),
            .diagonal = diagonal_.data(),
            .r = r_.data(),
            .x = x_.data(),
            .u = u_.data(),
            .coarse_slots = coarse_slots_.data(),
            .coarse_begin = level_.coarse_range().begin,
            .coarse_row = coarse_row_.data(),
            .coarse_r = coarse_r_.data(),
            .coarse_x = coarse_x_.data()};
  }

  const ColouredLevel& level_;
  CountedSliced lower_;
  CountedSliced upper_;
  CountedSliced coarse_;
  CountedSliced outer_;
  counting::Array<Value> diagonal_;
  counting::Array<Value> r_;
  counting::Array<Value> x_;
  counting::Array<Value> u_;
  counting::Array<Value> y_;
  counting::Array<Value> p_;
  counting::Array<CountedSlots> coarse_slots_;
  counting::Array<Row> coarse_row_;
  counting::Array<Value> coarse_r_;
  counting::Array<Value> coarse_x_;
};

class HpcgTraffic : public testing::TestWithParam<ColumnIndices> {
 protected:
  HpcgTraffic() {
    const CpuExecutor executor(1);
    Problem problem;
    // Classes fill whole slices on all levels but the coarsest.
    problem.local = {16, 24, 32};
    levels_ = make_levels(executor, problem, 1, 0);
    coloured_ = colour_levels<slice_height>(
        executor, levels_, [](const Level& /*level*/) { return std::int64_t{slice_height}; },
        Boundary::among);
    if (GetParam() == ColumnIndices::slim) {
      EXPECT_TRUE(make_slim<slice_height>(executor, alone(), coloured_));
    }
    cpu::copy_coarse_slots<slice_height>(executor, coloured_);
    for (const ColouredLevel& level : coloured_) {
      counted_.push_back(std::make_unique<CountedLevel>(level));
    }
  }

  [[nodiscard]] std::size_t level_count() const { return coloured_.size(); }

  [[nodiscard]] SweepTraffic declared(std::size_t level) const {
    return sweep_traffic(coloured_[level],
                         count_coarse_slots<slice_height>(CpuExecutor(1), coloured_[level]),
                         slice_height, level == 0);
  }

  CountedLevel& counted_on(std::size_t level) { return *counted_[level]; }
  [[nodiscard]] const ColouredLevel& finest() const { return coloured_.front(); }

 private:
  std::vector<Level> levels_;
  std::vector<ColouredLevel> coloured_;
  std::vector<std::unique_ptr<CountedLevel>> counted_;
};

TEST_P(HpcgTraffic, SweepsFromZeroAreAsCounted) {
  for (std::size_t level = 0; level < level_count(); ++level) {
    SCOPED_TRACE("level " + std::to_string(level));
    counting::expect_equal(declared(level).forward_from_zero,
                           counted_on(level).forward([](const auto& a, std::int64_t slice) {
                             cpu::forward_slice_from_zero(a, slice);
                           }));
    counting::expect_equal(declared(level).backward_after_zero,
                           counted_on(level).backward([](const auto& a, std::int64_t slice) {
                             cpu::backward_slice_after_zero(a, slice);
                           }));
  }
}

TEST_P(HpcgTraffic, ResidualAndRestrictionAreAsCounted) {
  for (std::size_t level = 0; level + 1 < level_count(); ++level) {
    SCOPED_TRACE("level " + std::to_string(level));
    counting::expect_equal(declared(level).restrict_residual, counted_on(level).restriction());
  }
}

TEST_P(HpcgTraffic, ProlongationIsAsCounted) {
  for (std::size_t level = 0; level + 1 < level_count(); ++level) {
    SCOPED_TRACE("level " + std::to_string(level));
    counting::expect_equal(declared(level).prolong, counted_on(level).prolongation());
  }
}

TEST_P(HpcgTraffic, SweepsAfterTheCorrectionAreAsCounted) {
  for (std::size_t level = 0; level + 1 < level_count(); ++level) {
    SCOPED_TRACE("level " + std::to_string(level));
    counting::expect_equal(declared(level).forward_again,
                           counted_on(level).forward([](const auto& a, std::int64_t slice) {
                             cpu::forward_slice_again(a, slice);
                           }));
    Pack<Value> sum;
    counting::expect_equal(declared(level).backward_again,
                           counted_on(level).backward([&](const auto& a, std::int64_t slice) {
                             if (level == 0) {
                               sum = sum + cpu::backward_slice_again_with_product(a, slice);
                             } else {
                               cpu::backward_slice_again(a, slice);
                             }
                           }));
  }
}

TEST_P(HpcgTraffic, ProductAndVectorOperationsAreAsCounted) {
  counting::expect_equal(multiply_traffic(finest()), counted_on(0).multiplication());
  counting::expect_equal(update_direction_traffic(finest()), counted_on(0).direction_update());
  counting::expect_equal(update_solution_traffic(finest()), counted_on(0).solution_update());
}

INSTANTIATE_TEST_SUITE_P(Columns, HpcgTraffic,
                         testing::Values(ColumnIndices::full, ColumnIndices::slim),
                         [](const auto& tested) {
                           return tested.param == ColumnIndices::slim ? "slim" : "full";
                         });

TEST(CycleTraffic, IsThatOfTheStepsOfTheLevelAndOfCoarserOnes) {
  const auto step = [](double n) {
    return Traffic{.bytes_read = n, .bytes_written = 10.0 * n, .flops = 100.0 * n};
  };
  SweepTraffic level{.forward_from_zero = step(1.0),
                     .backward_after_zero = step(2.0),
                     .restrict_residual = step(4.0),
                     .prolong = step(8.0),
                     .forward_again = step(16.0),
                     .backward_again = step(32.0)};
  std::vector<SweepTraffic> levels{level, level};
  sum_cycles(levels);
  EXPECT_EQ(levels[1].cycle.bytes_read, 3.0 + 8.0);
  EXPECT_EQ(levels[0].cycle.bytes_read, 66.0);
  EXPECT_EQ(levels[0].cycle.bytes_written, 660.0);
  EXPECT_EQ(levels[0].cycle.flops, 6600.0);
}

}  // namespace
}  // namespace bankfull::hpcg
