#include "bankfull/core/exec/cpu_executor.hpp"
#include "bankfull/workloads/hpcg/class_order.hpp"
#include "bankfull/workloads/hpcg/coloured_level.hpp"
#include "bankfull/workloads/hpcg/cycle.hpp"
#include "bankfull/workloads/hpcg/smoother.hpp"
#include "tests/alone.hpp"
#include "tests/workloads/hpcg/comparison.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <iterator>
#include <map>
#include <numeric>
#include <random>
#include <string>
#include <tuple>
#include <vector>

// The half sweeps and the levels they run on must give the benchmark's preconditioner in whatever
// order the colours are taken, wherever in it the coarse rows stand.
namespace bankfull::hpcg {
namespace {

constexpr int height = 4;

/// The colours of a level's rows and the order in which sweeps take them.
struct Colouring {
  std::vector<Colour> of_row;
  std::vector<Colour> order;
};

/// Rows that lie on the coarser level, for each colour.
std::vector<std::int64_t> coarse_rows_of(const Colouring& colouring, const Level* coarser) {
  std::vector<std::int64_t> rows(colouring.order.size(), 0);
  for (std::int64_t n = 0; coarser != nullptr && n < coarser->matrix.rows; ++n) {
    const std::int32_t row = coarser->fine_row.data()[n];
    ++rows[colouring.of_row[static_cast<std::size_t>(row)]];
  }
  return rows;
}

std::vector<Colour> ascending(Colour count) {
  std::vector<Colour> order(count);
  std::iota(order.begin(), order.end(), Colour{0});
  return order;
}

/// Eight colours, of which the first has all coarse rows: it comes at place `place`.
Colouring with_coarse_at(std::size_t place, const CsrView& matrix) {
  Colouring colouring{std::vector<Colour>(static_cast<std::size_t>(matrix.rows)), {}};
  const int count = colour_greedily(CpuExecutor(1), matrix, colouring.of_row.data());
  colouring.order = ascending(static_cast<Colour>(count));
  const std::size_t shift = place % colouring.order.size();
  std::rotate(colouring.order.begin(), colouring.order.end() - static_cast<std::ptrdiff_t>(shift),
              colouring.order.end());
  return colouring;
}

/// Rows choose their colours in a random order: coarse rows have several colours, and more than
/// eight colours are needed.
Colouring scattered(const CsrView& matrix) {
  std::vector<std::int64_t> rows(static_cast<std::size_t>(matrix.rows));
  std::iota(rows.begin(), rows.end(), 0);
  std::shuffle(rows.begin(), rows.end(), std::mt19937(4));
  Colouring colouring{std::vector<Colour>(rows.size(), no_colour), {}};
  Colour largest = 0;
  for (const std::int64_t row : rows) {
    std::vector<bool> taken(256, false);
    for (std::int64_t n = matrix.start[row]; n < matrix.start[row + 1]; ++n) {
      taken[colouring.of_row[static_cast<std::size_t>(matrix.column[n])]] = true;
    }
    const auto colour =
        static_cast<Colour>(std::find(taken.begin(), taken.end(), false) - taken.begin());
    colouring.of_row[static_cast<std::size_t>(row)] = colour;
    largest = std::max(largest, colour);
  }
  colouring.order = ascending(static_cast<Colour>(largest + 1));
  return colouring;
}

ColouredLevel lay_out(const CpuExecutor& executor, const Level& level, const Level* coarser,
                      const Colouring& colouring) {
  ColouredLevel result;
  result.order = order_by_colour(executor, level.matrix.view(), colouring.of_row.data(),
                                 colouring.order, height, Boundary::among);
  result.coarse_classes = coarse_classes(colouring.order, coarse_rows_of(colouring, coarser));
  split_entries<height>(executor, level, result);
  return result;
}

/// Rows of the coarser level, from the first row of the classes that hold them on.
void map_coarse_rows(const Level& coarser, const ColouredLevel& coarse, ColouredLevel& fine) {
  const Range rows = fine.coarse_range();
  fine.coarse_row = CpuExecutor(1).make<std::int32_t>(rows.size());
  std::fill_n(fine.coarse_row.data(), rows.size(), -1);
  for (std::int64_t n = 0; n < coarser.matrix.rows; ++n) {
    const std::int64_t row = fine.order.new_of.data()[coarser.fine_row.data()[n]];
    ASSERT_GE(row, rows.begin);
    ASSERT_LT(row, rows.end);
    fine.coarse_row.data()[row - rows.begin] = coarse.order.new_of.data()[n];
  }
}

/// The half sweeps row by row.
class PlainSweeps {
 public:
  explicit PlainSweeps(const std::vector<ColouredLevel>& levels) : levels_(levels) {
    for (const ColouredLevel& level : levels) {
      const std::vector<double> zeros(static_cast<std::size_t>(level.vector_size()), 0.0);
      // What a sweep must not read shows.
      const std::vector<double> unset(zeros.size(), 1e300);
      r_.push_back(zeros);
      x_.push_back(zeros);
      u_.push_back(unset);
    }
  }

  std::vector<double> cycle(const std::vector<double>& r) {
    const std::int32_t* const new_of = levels_.front().order.new_of.data();
    for (std::size_t n = 0; n < r.size(); ++n) {
      r_.front()[static_cast<std::size_t>(new_of[n])] = r[n];
    }
    half_sweep_cycle(*this);
    std::vector<double> x;
    std::transform(new_of, new_of + r.size(), std::back_inserter(x),
                   [&](std::int32_t row) { return x_.front()[static_cast<std::size_t>(row)]; });
    return x;
  }

  [[nodiscard]] std::size_t level_count() const { return levels_.size(); }

  void forward_from_zero(std::size_t level) {
    for (std::size_t row = 0; row < x_[level].size(); ++row) {
      x_[level][row] = hpcg::forward_from_zero(r_[level][row], lower(level, row), d(level, row));
    }
  }

  void backward_after_zero(std::size_t level) {
    for (std::size_t row = x_[level].size(); row-- > 0;) {
      const double all = upper(level, row);
      u_[level][row] = all - coarse_upper(level, row);
      x_[level][row] = hpcg::backward_after_zero(x_[level][row], all, d(level, row));
    }
  }

  void restrict_residual(std::size_t level) {
    for_coarse(level, [&](std::size_t row, std::size_t coarse) {
      r_[level + 1][coarse] = residual(r_[level][row], lower(level, row), d(level, row),
                                       x_[level][row], upper(level, row), 0.0);
    });
  }

  void prolong(std::size_t level) {
    for_coarse(level, [&](std::size_t row, std::size_t coarse) {
      x_[level][row] += x_[level + 1][coarse];
    });
  }

  void forward_again(std::size_t level) {
    for (std::size_t row = 0; row < x_[level].size(); ++row) {
      u_[level][row] += coarse_upper(level, row);
      x_[level][row] = hpcg::forward_again(r_[level][row], lower(level, row), u_[level][row], 0.0,
                                           d(level, row));
    }
  }

  void backward_again(std::size_t level) {
    for (std::size_t row = x_[level].size(); row-- > 0;) {
      x_[level][row] =
          hpcg::backward_again(x_[level][row], u_[level][row], upper(level, row), d(level, row));
    }
  }

 private:
  [[nodiscard]] double d(std::size_t level, std::size_t row) const {
    return levels_[level].diagonal.data()[row];
  }

  /// A row of a part times x, of some slots of its slice.
  [[nodiscard]] double times(std::size_t level, const Sliced& part, std::size_t row,
                             std::int64_t first, std::int64_t last) const {
    const auto lane = static_cast<std::int64_t>(row % height);
    double sum = 0.0;
    for (std::int64_t slot = first; slot < last; ++slot) {
      const auto column = static_cast<std::size_t>(part.column.data()[slot * height + lane]);
      sum += part.value.data()[slot * height + lane] * x_[level][column];
    }
    return sum;
  }

  [[nodiscard]] double all_of(std::size_t level, const Sliced& part, std::size_t row) const {
    const std::int64_t* const slot = part.slot.data() + row / height;
    return times(level, part, row, slot[0], slot[1]);
  }

  [[nodiscard]] double lower(std::size_t level, std::size_t row) const {
    return all_of(level, levels_[level].lower, row);
  }
  [[nodiscard]] double upper(std::size_t level, std::size_t row) const {
    return all_of(level, levels_[level].upper, row);
  }
  [[nodiscard]] double coarse_upper(std::size_t level, std::size_t row) const {
    const SlotRange slots = levels_[level].coarse_slots.data()[row / height];
    return times(level, levels_[level].upper, row, slots.begin, slots.end);
  }

  template <class Body>
  void for_coarse(std::size_t level, const Body& body) const {
    const Range rows = levels_[level].coarse_range();
    for (std::int64_t row = rows.begin; row < rows.end; ++row) {
      const std::int32_t coarse = levels_[level].coarse_row.data()[row - rows.begin];
      if (coarse >= 0) {
        body(static_cast<std::size_t>(row), static_cast<std::size_t>(coarse));
      }
    }
  }

  const std::vector<ColouredLevel>& levels_;
  std::vector<textbook::Vector> r_;
  std::vector<textbook::Vector> x_;
  std::vector<textbook::Vector> u_;
};

/// Half sweeps with a colouring of each level against plain sweeps in the same order.
template <class ColouringOf>
void expect_same_preconditioner(const Grid3& local, const TestMatrix& matrix,
                                const ColouringOf& colouring_of) {
  const Case c{small_problem(local), alone(), matrix};
  const CpuExecutor executor(1);
  const auto levels = make_levels(executor, c.problem, 1, 0, matrices_of(c));
  textbook::System expected = textbook_of(c);
  std::vector<ColouredLevel> coloured;
  for (std::size_t n = 0; n < levels.size(); ++n) {
    const Level* const coarser = n + 1 < levels.size() ? &levels[n + 1] : nullptr;
    coloured.push_back(
        lay_out(executor, levels[n], coarser, colouring_of(levels[n].matrix.view())));
    const RowClasses& order = coloured.back().order;
    textbook::Rows rows;
    std::copy_if(order.old_of.data(), order.old_of.data() + order.rows, std::back_inserter(rows),
                 [](std::int32_t row) { return row >= 0; });
    expected.visit(n, 0, rows);
  }
  for (std::size_t n = 0; n + 1 < levels.size(); ++n) {
    map_coarse_rows(levels[n + 1], coloured[n + 1], coloured[n]);
  }
  PlainSweeps sweeps(coloured);
  for (const std::uint64_t seed : {1U, 2U}) {
    const std::vector<double> r = random_rows(expected, seed);
    EXPECT_LE(distance(sweeps.cycle(r), expected.precondition(r)), 1e-12);
  }
}

using HalfSweepCase = std::tuple<TestMatrix, Grid3, std::size_t>;

class HalfSweeps : public ::testing::TestWithParam<HalfSweepCase> {};

TEST_P(HalfSweeps, TakeCoarseRowsAnywhereInTheOrder) {
  const auto& [matrix, local, place] = GetParam();
  expect_same_preconditioner(
      local, matrix, [place = place](const CsrView& view) { return with_coarse_at(place, view); });
}

std::string half_sweep_name(const ::testing::TestParamInfo<HalfSweepCase>& parameter) {
  const auto& [matrix, local, place] = parameter.param;
  return matrix.name + "_" + to_string(local) + "_" + std::to_string(place);
}

INSTANTIATE_TEST_SUITE_P(Grids, HalfSweeps,
                         ::testing::Combine(::testing::ValuesIn(all_matrices()),
                                            ::testing::ValuesIn(awkward_grids()),
                                            ::testing::Range(std::size_t{0}, std::size_t{8})),
                         half_sweep_name);

class ScatteredHalfSweeps : public ::testing::TestWithParam<std::tuple<TestMatrix, Grid3>> {};

TEST_P(ScatteredHalfSweeps, TakeCoarseRowsOfSeveralColours) {
  const auto& [matrix, local] = GetParam();
  expect_same_preconditioner(local, matrix, scattered);
}

std::string name_of_scattered(
    const ::testing::TestParamInfo<std::tuple<TestMatrix, Grid3>>& parameter) {
  const auto& [matrix, local] = parameter.param;
  return matrix.name + "_" + to_string(local);
}

INSTANTIATE_TEST_SUITE_P(Grids, ScatteredHalfSweeps,
                         ::testing::Combine(::testing::ValuesIn(all_matrices()),
                                            ::testing::ValuesIn(awkward_grids())),
                         name_of_scattered);

/// A level whose first slice has more slots than 8 bits can number: its rows are connected to as
/// many rows as there may be, each to those of another class.
class ManySlots : public ::testing::Test {
 protected:
  static constexpr int slice_rows = 32;
  static constexpr int classes = 12;

  ManySlots() {
    HostCsr matrix{.columns = std::int64_t{classes} * slice_rows};
    for (std::int32_t row = 0; row < matrix.columns; ++row) {
      add_row(row, matrix);
    }
    level_.matrix = load_csr(executor_, matrix);
    std::vector<Colour> colours;
    for (std::int32_t row = 0; row < matrix.columns; ++row) {
      colours.push_back(static_cast<Colour>(row / slice_rows));
    }
    coloured_.order = order_by_colour(executor_, level_.matrix.view(), colours.data(),
                                      ascending(classes), slice_rows, Boundary::among);
    split_entries<slice_rows>(executor_, level_, coloured_);
  }

  /// Row n of the first class and the first 26 rows of class n + 1 are connected.
  static void add_row(std::int32_t row, HostCsr& matrix) {
    const auto add = [&](std::int32_t column) {
      matrix.column.push_back(column);
      matrix.value.push_back(1000.0 * row + column + 1.0);
    };
    const std::int32_t own_class = row / slice_rows;
    if (own_class > 0 && row % slice_rows < max_entries - 1) {
      add(own_class - 1);
    }
    add(row);
    for (std::int32_t n = 0; own_class == 0 && row + 1 < classes && n < max_entries - 1; ++n) {
      add((row + 1) * slice_rows + n);
    }
    matrix.start.push_back(static_cast<std::int64_t>(matrix.column.size()));
  }

  /// Entries of a row that a part has, by their columns.
  [[nodiscard]] static std::map<std::int32_t, double> entries_of(const Sliced& part,
                                                                 std::int64_t row) {
    std::map<std::int32_t, double> entries;
    const std::int64_t* const slot = part.slot.data() + row / slice_rows;
    for (std::int64_t n = slot[0]; n < slot[1]; ++n) {
      const std::int64_t at = n * slice_rows + row % slice_rows;
      if (part.value.data()[at] != 0.0) {
        entries[part.column.data()[at]] = part.value.data()[at];
      }
    }
    return entries;
  }

  CpuExecutor executor_{1};
  Level level_;
  ColouredLevel coloured_;
};

TEST_F(ManySlots, HoldEveryEntry) {
  EXPECT_GT(coloured_.upper.slot.data()[1], 255 + max_entries);
  const CsrView matrix = level_.matrix.view();
  for (std::int64_t row = 0; row < matrix.rows; ++row) {
    std::map<std::int32_t, double> lower;
    std::map<std::int32_t, double> upper;
    for (std::int64_t n = matrix.start[row]; n < matrix.start[row + 1]; ++n) {
      const std::int32_t column = matrix.column[n];
      if (column != row) {
        (column < row ? lower : upper)[column] = matrix.value[n];
      }
    }
    EXPECT_EQ(entries_of(coloured_.lower, row), lower) << "row " << row;
    EXPECT_EQ(entries_of(coloured_.upper, row), upper) << "row " << row;
    EXPECT_EQ(coloured_.diagonal.data()[row], 1001.0 * static_cast<double>(row) + 1.0);
  }
}

TEST(ClassOrder, TakesEveryColourOnce) {
  const std::vector<std::vector<std::int64_t>> cases{{5, 0, 0, 0, 0, 0, 0, 0},
                                                     {0, 5, 0, 0, 0, 0, 0, 1},
                                                     {1, 0, 0, 0},
                                                     {0, 0, 0, 0, 0, 0, 0, 0},
                                                     {3, 2, 1},
                                                     {7},
                                                     {0, 0, 4, 0, 9, 0, 0, 0, 0, 2}};
  for (std::size_t number = 0; number < 4 * cases.size(); ++number) {
    const auto& coarse_rows = cases[number / 4];
    std::vector<Colour> order = class_order(number % 4, coarse_rows);
    const Range coarse = coarse_classes(order, coarse_rows);
    for (std::size_t n = 0; n < order.size(); ++n) {
      const auto place = static_cast<std::int64_t>(n);
      if (coarse_rows[order[n]] > 0) {
        EXPECT_TRUE(place >= coarse.begin && place < coarse.end);
      }
    }
    std::sort(order.begin(), order.end());
    EXPECT_EQ(order, ascending(static_cast<Colour>(coarse_rows.size())));
  }
}

TEST(CoarseClasses, LieBetweenTheFirstAndTheLast) {
  EXPECT_EQ(coarse_classes({2, 0, 1, 3}, {4, 0, 0, 1}), (Range{1, 4}));
  EXPECT_EQ(coarse_classes({2, 0, 1, 3}, {0, 0, 9, 0}), (Range{0, 1}));
  EXPECT_EQ(coarse_classes({2, 0, 1, 3}, {0, 0, 0, 0}).size(), 0);
}

}  // namespace
}  // namespace bankfull::hpcg
