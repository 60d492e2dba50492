#pragma once

#include "bankfull/workloads/hpcg/problem.hpp"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <stdexcept>
#include <utility>
#include <vector>

/// HPCG as specified (SAND2013-8752, section 3), by one thread, in fp64 and with the simplest data
/// structures: the reference of the library's tests. It uses only constants of the library.
///
/// One process imitates any number of ranks. Vectors are of the whole system, x fastest; the ranks
/// matter to the smoother, which sees other ranks' values as they were before its sweeps, and to
/// the coarser grids, which every rank takes from its own block.
namespace bankfull::hpcg::textbook {

using Vector = std::vector<double>;
using Rows = std::vector<std::size_t>;

struct Entry {
  std::size_t column = 0;
  double value = 0.0;
};

/// The entries of each row, by ascending columns.
using Matrix = std::vector<std::vector<Entry>>;

/// One level of the whole system.
struct Level {
  Grid3 local;   ///< points of a rank
  Grid3 global;  ///< points of all
  Matrix entries = {};
  std::vector<std::size_t> owner = {};  ///< the rank of each row
  std::vector<Rows> own = {};           ///< of each rank: its rows, by its own numbering
  std::vector<Rows> visits = {};        ///< of each rank: its rows in the order of a forward sweep
  Rows finer = {};                      ///< of each row: where it lies on the finer level, if any
};

/// The matrix of the level with this number, which has everything else already.
using Operator = std::function<Matrix(const Level& level, std::size_t number)>;

namespace detail {

inline std::size_t number_of(const Grid3& at, const Grid3& grid) {
  return static_cast<std::size_t>((at.nz * grid.ny + at.ny) * grid.nx + at.nx);
}

/// body(point) for all points of a grid, x fastest.
template <class Body>
void for_points(const Grid3& grid, const Body& body) {
  for (std::int64_t z = 0; z < grid.nz; ++z) {
    for (std::int64_t y = 0; y < grid.ny; ++y) {
      for (std::int64_t x = 0; x < grid.nx; ++x) {
        body(Grid3{x, y, z});
      }
    }
  }
}

inline bool inside(const Grid3& at, const Grid3& grid) {
  return at.nx >= 0 && at.nx < grid.nx && at.ny >= 0 && at.ny < grid.ny && at.nz >= 0 &&
         at.nz < grid.nz;
}

/// The operator at a point: 26 on the diagonal, -1 for each neighbour that there is.
inline std::vector<Entry> entries_at(const Grid3& point, const Grid3& grid) {
  std::vector<Entry> entries;
  for_points({3, 3, 3}, [&](const Grid3& step) {
    const Grid3 other{point.nx + step.nx - 1, point.ny + step.ny - 1, point.nz + step.nz - 1};
    if (inside(other, grid)) {
      entries.push_back({number_of(other, grid), other == point ? 26.0 : -1.0});
    }
  });
  return entries;
}

inline Matrix benchmark_operator(const Level& level, std::size_t /*number*/) {
  Matrix matrix;
  for_points(level.global,
             [&](const Grid3& point) { matrix.push_back(entries_at(point, level.global)); });
  return matrix;
}

inline Level make_level(const Grid3& local, const Grid3& ranks) {
  Level level{.local = local,
              .global = {local.nx * ranks.nx, local.ny * ranks.ny, local.nz * ranks.nz}};
  level.own.resize(static_cast<std::size_t>(ranks.count()));
  for_points(level.global, [&](const Grid3& point) {
    const Grid3 place{point.nx / local.nx, point.ny / local.ny, point.nz / local.nz};
    const std::size_t rank = number_of(place, ranks);
    level.own[rank].push_back(level.owner.size());
    level.owner.push_back(rank);
  });
  level.visits = level.own;
  return level;
}

/// Every second point of each rank's block, its first one included.
inline Rows points_on(const Level& finer, const Level& coarser) {
  Rows rows;
  for_points(coarser.global, [&](const Grid3& point) {
    const auto on_finer = [](std::int64_t at, std::int64_t coarse, std::int64_t fine) {
      return at / coarse * fine + 2 * (at % coarse);
    };
    rows.push_back(number_of({on_finer(point.nx, coarser.local.nx, finer.local.nx),
                              on_finer(point.ny, coarser.local.ny, finer.local.ny),
                              on_finer(point.nz, coarser.local.nz, finer.local.nz)},
                             finer.global));
  });
  return rows;
}

inline double dot(const Vector& x, const Vector& y) {
  double sum = 0.0;
  for (std::size_t n = 0; n < x.size(); ++n) {
    sum += x[n] * y[n];
  }
  return sum;
}

/// x + factor y.
inline Vector plus(const Vector& x, double factor, const Vector& y) {
  Vector sum(x.size());
  for (std::size_t n = 0; n < x.size(); ++n) {
    sum[n] = x[n] + factor * y[n];
  }
  return sum;
}

}  // namespace detail

class System {
 public:
  System(const Grid3& local, const Grid3& ranks,
         const Operator& matrix_of = detail::benchmark_operator) {
    Grid3 size = local;
    for (int n = 0; n < level_count; ++n) {
      levels_.push_back(detail::make_level(size, ranks));
      levels_.back().entries = matrix_of(levels_.back(), static_cast<std::size_t>(n));
      if (n > 0) {
        levels_.back().finer = detail::points_on(*(levels_.end() - 2), levels_.back());
      }
      size = {(size.nx + 1) / 2, (size.ny + 1) / 2, (size.nz + 1) / 2};
    }
    right_hand_side_ = multiply(Vector(levels_.front().entries.size(), 1.0));
  }

  /// Multiplies diagonal and right-hand side of the finest level for the benchmark's spectral test:
  /// by 2, 3, ..., 10 and on by 1 from the tenth row on, a million times.
  void exaggerate() {
    for (std::size_t row = 0; row < right_hand_side_.size(); ++row) {
      const double factor = 1e6 * (row < 9 ? static_cast<double>(row) + 2.0 : 1.0);
      right_hand_side_[row] *= factor;
      for (Entry& entry : levels_.front().entries[row]) {
        entry.value *= entry.column == row ? factor : 1.0;
      }
    }
  }

  [[nodiscard]] const Level& level(std::size_t number) const { return levels_.at(number); }

  /// The order in which a rank's sweeps take its rows; they are given by its own numbers.
  void visit(std::size_t level, std::size_t rank, const Rows& own_numbers) {
    const Rows& own = levels_.at(level).own.at(rank);
    std::vector<bool> seen(own.size(), false);
    Rows visits;
    for (const std::size_t number : own_numbers) {
      if (seen.at(number)) {
        throw std::logic_error("a sweep visits a row twice");
      }
      seen[number] = true;
      visits.push_back(own[number]);
    }
    if (visits.size() != own.size()) {
      throw std::logic_error("a sweep leaves out rows");
    }
    levels_[level].visits[rank] = std::move(visits);
  }

  /// A x.
  [[nodiscard]] Vector multiply(const Vector& x, std::size_t level = 0) const {
    Vector y(x.size(), 0.0);
    for (std::size_t row = 0; row < y.size(); ++row) {
      for (const Entry& entry : levels_[level].entries[row]) {
        y[row] += entry.value * x[entry.column];
      }
    }
    return y;
  }

  /// M^-1 r: one V-cycle.
  [[nodiscard]] Vector precondition(const Vector& r, std::size_t level = 0) const {
    Vector x(r.size(), 0.0);
    smooth(level, r, x);
    if (level + 1 < levels_.size()) {
      const Rows& finer = levels_[level + 1].finer;
      const Vector residual = detail::plus(r, -1.0, multiply(x, level));
      Vector coarse_r(finer.size());
      for (std::size_t n = 0; n < finer.size(); ++n) {
        coarse_r[n] = residual[finer[n]];
      }
      const Vector coarse_x = precondition(coarse_r, level + 1);
      for (std::size_t n = 0; n < finer.size(); ++n) {
        x[finer[n]] += coarse_x[n];
      }
      smooth(level, r, x);
    }
    return x;
  }

  /// The right-hand side whose solution is 1 everywhere.
  [[nodiscard]] const Vector& right_hand_side() const { return right_hand_side_; }

  struct Solution {
    Vector x;
    std::vector<double> history;  ///< residuals over the first one, after each iteration
  };

  /// Preconditioned conjugate gradients from x = 0.
  [[nodiscard]] Solution solve(int iterations) const {
    const Vector& b = right_hand_side();
    Solution solution{.x = Vector(b.size(), 0.0), .history = {}};
    Vector r = b;
    Vector p(b.size(), 0.0);
    double rz = 0.0;
    for (int n = 0; n < iterations; ++n) {
      const Vector z = precondition(r);
      const double previous_rz = rz;
      rz = detail::dot(r, z);
      p = detail::plus(z, n == 0 ? 0.0 : rz / previous_rz, p);
      const Vector product = multiply(p);
      const double alpha = rz / detail::dot(p, product);
      solution.x = detail::plus(solution.x, alpha, p);
      r = detail::plus(r, -alpha, product);
      solution.history.push_back(std::sqrt(detail::dot(r, r) / detail::dot(b, b)));
    }
    return solution;
  }

 private:
  /// One symmetric Gauss-Seidel sweep.
  void smooth(std::size_t level, const Vector& r, Vector& x) const {
    const Vector before = x;
    for (const Rows& visits : levels_[level].visits) {
      for (auto row = visits.begin(); row != visits.end(); ++row) {
        x[*row] = relaxed(level, *row, r, before, x);
      }
      for (auto row = visits.rbegin(); row != visits.rend(); ++row) {
        x[*row] = relaxed(level, *row, r, before, x);
      }
    }
  }

  /// The value at which a row's residual vanishes, other ranks being where they were before.
  [[nodiscard]] double relaxed(std::size_t level, std::size_t row, const Vector& r,
                               const Vector& before, const Vector& x) const {
    const Level& here = levels_[level];
    double sum = r[row];
    double diagonal = 0.0;
    for (const Entry& entry : here.entries[row]) {
      if (entry.column == row) {
        diagonal = entry.value;
      } else {
        const bool own = here.owner[entry.column] == here.owner[row];
        sum -= entry.value * (own ? x : before)[entry.column];
      }
    }
    return sum / diagonal;
  }

  std::vector<Level> levels_;
  Vector right_hand_side_;
};

}  // namespace bankfull::hpcg::textbook
