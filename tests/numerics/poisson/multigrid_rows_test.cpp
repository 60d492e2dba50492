#include "bankfull/numerics/poisson/multigrid/cpu/stages.hpp"
#include "tests/counting.hpp"
#include "tests/numerics/poisson/domains.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <gtest/gtest.h>
#include <utility>
#include <vector>

// Stages do rows in packs, counted values cell by cell: both have to find the same bits.
namespace bankfull::poisson::multigrid {
namespace {

/// All stages, one after the other, on fields of Real and T.
template <class Real, class T>
class AllStages {
 public:
  explicit AllStages(const std::vector<Level>& levels)
      : fine_(levels[0], team_),
        coarse_(levels[1], team_),
        work_(fine_),
        outer_{CpuAxes<Real>(levels[0]), CpuField<Real>(levels[0].extents(), team_),
               CpuField<Real>(levels[0].extents(), team_)},
        cells_(levels[0].extents()),
        coarse_cells_(levels[1].extents()) {
    fill(outer_.p, cells_, 0.0);
    fill(outer_.f, cells_, 1.0);
    each_cell(coarse_cells_, [&](std::int64_t i, std::int64_t j, std::int64_t k) {
      cell(coarse_.e, i, j, k) = T(value_at(i, j, k, 2.0));
    });
  }

  /// What they leave of all fields.
  std::vector<double> run() {
    form_defect();
    relax(Colour::red, From::zero);
    relax(Colour::black, From::what_is_there);
    restrict_from(From::what_is_there);
    interpolate(From::what_is_there);
    relax(Colour::red, From::what_is_there);
    correct(From::what_is_there);
    form_defect();
    restrict_from(From::zero);
    interpolate(From::zero);
    relax(Colour::black, From::what_is_there);
    correct(From::zero);
    return left_;
  }

  /// The largest defect that the stages noted, in units of r, and the largest r.
  [[nodiscard]] std::pair<T, T> largest() {
    const auto bits = static_cast<MagnitudeBits<Real>>(work_.take_largest());
    return {static_cast<T>(Real(scale) * std::bit_cast<Real>(bits)), largest_r_};
  }

 private:
  static constexpr double scale = 2.0;

  static double value_at(std::int64_t i, std::int64_t j, std::int64_t k, double phase) {
    return std::sin(phase + 1.7 * static_cast<double>(i) + 2.9 * static_cast<double>(j) +
                    4.1 * static_cast<double>(k));
  }

  template <class Body>
  static void each_cell(const Extents& cells, const Body& body) {
    for (std::int64_t i = 0; i < cells.ni; ++i) {
      for (std::int64_t j = 0; j < cells.nj; ++j) {
        for (std::int64_t k = 0; k < cells.nk; ++k) {
          body(i, j, k);
        }
      }
    }
  }

  static void fill(const CpuField<Real>& field, const Extents& cells, double phase) {
    each_cell(cells, [&](std::int64_t i, std::int64_t j, std::int64_t k) {
      field.row(i, j)[k] = Real(value_at(i, j, k, phase));
    });
    for (std::int64_t i = 0; i < cells.ni; ++i) {
      for (std::int64_t j = 0; j < cells.nj; ++j) {
        close_row(true, cells.nk, field.row(i, j));
      }
    }
  }

  static T& cell(const SplitField<T>& field, std::int64_t i, std::int64_t j, std::int64_t k) {
    return field.row(i, j).half(k % 2)[k / 2];
  }

  void keep(const SplitField<T>& field, const Extents& cells) {
    each_cell(cells, [&](std::int64_t i, std::int64_t j, std::int64_t k) {
      left_.push_back(static_cast<double>(cell(field, i, j, k)));
    });
  }

  template <class Stage>
  static void run_stage(const Stage& stage) {
    const Range rows{0, stage.rows().count()};
    for (std::int64_t i = 0; i < stage.planes().count(); ++i) {
      stage(i, rows, rows);
    }
  }

  void relax(Colour colour, From from) {
    run_stage(Relaxation<T>(fine_, work_, {colour, T(1.1), from}));
    keep(fine_.e, cells_);
    expect_closed_rows();
  }
  /// What lies beside a row's ends: its other end, or beyond a wall nothing.
  void expect_closed_rows() const {
    const std::int64_t n = cells_.nk;
    const auto closing = [&](T cell) {
      return fine_.axes.k.periodic ? static_cast<double>(cell) : 0.0;
    };
    for (std::int64_t i = 0; i < cells_.ni; ++i) {
      for (std::int64_t j = 0; j < cells_.nj; ++j) {
        const SplitRow<T> row = fine_.e.row(i, j);
        const T above = row.half(n % 2)[n / 2];
        EXPECT_EQ(static_cast<double>(row.odd[-1]), closing(cell(fine_.e, i, j, n - 1)));
        EXPECT_EQ(static_cast<double>(above), closing(row.even[0]));
      }
    }
  }

  void restrict_from(From from) {
    run_stage(Restriction<T>(fine_, coarse_, work_, from));
    keep(coarse_.r, coarse_cells_);
  }
  void interpolate(From from) {
    run_stage(Interpolation<T>(fine_, coarse_, work_, from));
    keep(fine_.e, cells_);
  }
  void correct(From from) {
    run_stage(Correction<Real, T>(outer_, fine_, work_, Real(0.3), from));
    each_cell(cells_, [&](std::int64_t i, std::int64_t j, std::int64_t k) {
      left_.push_back(static_cast<double>(outer_.p.row(i, j)[k]));
    });
  }
  void form_defect() {
    run_stage(Defect<Real, T>(outer_, fine_, work_, {Real(0.1), Real(scale)}, From::what_is_there));
    keep(fine_.r, cells_);
    each_cell(cells_, [&](std::int64_t i, std::int64_t j, std::int64_t k) {
      const T r = cell(fine_.r, i, j, k);
      largest_r_ = std::max(largest_r_, r < T(0) ? -r : r);
    });
  }

  Team team_{1};
  CpuLevelOf<T> fine_;
  CpuLevelOf<T> coarse_;
  CpuWorkspaceOf<T> work_;
  CpuOuter<Real> outer_;
  Extents cells_;
  Extents coarse_cells_;
  std::vector<double> left_;
  T largest_r_{0};
};

/// Rows of whole packs and others, of cells that are alike or not, which close on themselves or do
/// not.
std::vector<NamedDomain> domains_of_rows() {
  std::vector<NamedDomain> domains;
  for (const std::int64_t cells : {5, 32, 63, 64, 70, 97, 128}) {
    domains.push_back(
        {"alike", {uniform_axis(4, false), uniform_axis(6, true), uniform_axis(cells, true)}});
    domains.push_back(
        {"walls", {uniform_axis(3, true), uniform_axis(5, false), uniform_axis(cells, false)}});
    domains.push_back({"stretched",
                       {uniform_axis(4, true), stretched_axis(4, false, 1.1),
                        stretched_axis(cells, true, 1.001)}});
    domains.push_back(
        {"kept", {uniform_axis(4, true), uniform_axis(4, true), uniform_axis(cells, true, 3.0)}});
  }
  return domains;
}

class MultigridRows : public testing::TestWithParam<NamedDomain> {};

template <class Real>
void expect_packs_like_cells(const Domain& domain) {
  const std::vector<Level> levels = make_levels(domain);
  AllStages<Real, float> by_packs(levels);
  AllStages<counting::Counted<Real>, counting::Counted<float>> by_cells(levels);
  EXPECT_EQ(by_packs.run(), by_cells.run());
  const auto [noted, largest] = by_packs.largest();
  EXPECT_EQ(noted, largest);
}

TEST_P(MultigridRows, PacksHaveTheBitsOfCells) {
  expect_packs_like_cells<double>(GetParam().domain);
}

TEST_P(MultigridRows, OfAnIterateInFp32Too) { expect_packs_like_cells<float>(GetParam().domain); }

INSTANTIATE_TEST_SUITE_P(Domains, MultigridRows, testing::ValuesIn(domains_of_rows()), domain_name);

}  // namespace
}  // namespace bankfull::poisson::multigrid
