#pragma once

#include "bankfull/workloads/npb/mg/grid.hpp"
#include "bankfull/workloads/npb/mg/pass_share.hpp"
#include "bankfull/workloads/npb/mg/rows.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

namespace bankfull::npb::mg {

/// Rows of a plane that go through a pipeline together: their working set fits L2, and few rows are
/// computed by two neighbouring blocks.
inline constexpr std::int64_t block_rows = 32;

inline constexpr std::int64_t line = 8;

/// The last three planes of a field in a pipeline: rows [first, first + count) with ghosts along
/// i1.
template <class T>
class Planes {
 public:
  Planes(std::int64_t columns, std::int64_t rows)
      : row_pitch_(columns + 2 * line),
        rows_(rows),
        values_(static_cast<std::size_t>(3 * rows * row_pitch_)) {}

  void begin_at(std::int64_t first_row) { first_ = first_row; }

  [[nodiscard]] T* row(std::int64_t plane, std::int64_t row) {
    // Planes count from -2.
    return values_.data() + ((plane + 3) % 3 * rows_ + row - first_) * row_pitch_ + line;
  }

 private:
  std::int64_t row_pitch_;
  std::int64_t rows_;
  std::int64_t first_ = 0;
  std::vector<T> values_;
};

/// Number of points from which on passes use streaming stores, because the result would be evicted
/// before the next pass reads it.
inline constexpr std::int64_t streamed_points = std::int64_t{1} << 21;

template <class T>
inline bool is_streamed(const GridOf<T>& grid) {
  return grid.layout().interior().count() >= streamed_points && grid.columns() % line == 0;
}

/// A thread's workspace.
template <class T>
struct WorkspaceOf {
  /// For grids with sides up to these.
  explicit WorkspaceOf(const Extents& sides)
      : iterates(sides.nk, std::min(sides.nj, block_rows) + 4),
        residuals(sides.nk, std::min(sides.nj, block_rows) + 3),
        faces(static_cast<std::size_t>(sides.nk + 2 * line)),
        edges(faces.size()),
        mean(faces.size()),
        result(faces.size()) {}

  static std::int64_t bytes(const Extents& sides) {
    const std::int64_t rows_of_planes = 3 * (2 * std::min(sides.nj, block_rows) + 7);
    constexpr std::int64_t single_rows = 4;
    return (rows_of_planes + single_rows) * (sides.nk + 2 * line) *
           static_cast<std::int64_t>(sizeof(T));
  }

  [[nodiscard]] RowSums<T> sums() { return {faces.data() + line, edges.data() + line}; }

  Planes<T> iterates;
  Planes<T> residuals;
  std::vector<T> faces;
  std::vector<T> edges;
  std::vector<T> mean;
  std::vector<T> result;
};

using Workspace = WorkspaceOf<double>;

template <class T, class RowAt>
RowsAround<T> rows_at(const RowAt& row_at, std::int64_t i3, std::int64_t i2) {
  RowsAround<T> rows{};
  for (int d3 = 0; d3 < 3; ++d3) {
    for (int d2 = 0; d2 < 3; ++d2) {
      rows.of[d3][d2] = row_at(i3 + d3 - 1, i2 + d2 - 1);
    }
  }
  return rows;
}

template <class T>
inline RowsAround<T> rows_around(Planes<T>& planes, std::int64_t i3, std::int64_t i2) {
  return rows_at<T>([&](std::int64_t p, std::int64_t row) { return planes.row(p, row); }, i3, i2);
}

template <class T>
inline RowsAround<T> rows_around(const GridOf<T>& grid, std::int64_t i3, std::int64_t i2) {
  return rows_at<T>([&](std::int64_t p, std::int64_t row) { return grid.row(p, row); }, i3, i2);
}

template <class T>
inline CoarseRows<T> coarse_rows(const GridOf<T>& coarse, std::int64_t i3, std::int64_t i2) {
  // An odd row lies on a coarse one, an even row between two. Shifts round down below 0 too.
  const auto before = [](std::int64_t i) { return ((i + 1) >> 1) - 1; };
  const auto after = [](std::int64_t i) { return i >> 1; };
  return {{{coarse.row(before(i3), before(i2)), coarse.row(before(i3), after(i2))},
           {coarse.row(after(i3), before(i2)), coarse.row(after(i3), after(i2))}}};
}

/// Columns of `grid`, and `beyond` more on both sides where they are cut.
template <class T>
inline Columns columns_of(const GridOf<T>& grid, std::int64_t beyond) {
  return {grid.columns(), grid.columns_cut() ? beyond : 0};
}

/// body(first, end) for the blocks of some rows.
template <class Body>
void for_blocks(const Range& rows, std::int64_t block, const Body& body) {
  for (std::int64_t first = rows.begin; first < rows.end; first += block) {
    body(first, std::min(first + block, rows.end));
  }
}

/// The calling thread's part.
inline PassShare my_pass_share(const PassShape& shape) {
  return pass_share(shape, share_number(), share_count());
}

// Passes over a rank's block of a grid. All threads of a team call them, each for its share; the
// caller puts barriers and halo exchanges between passes.
//
// A pass forms what it needs beyond the ends of its block from ghosts, as a thread does beyond the
// ends of its planes: two ranks compute the same, and one exchange per grid and pass is enough.

/// next = w + S (v - A w) with w = u + Q coarse; u may be absent, which stands for 0. One pass:
/// reads u, v and coarse once, writes next. Needs two ghosts of u and coarse, one of v.
template <class T>
class UpwardPass {
 public:
  UpwardPass(const Operators& operators, const GridOf<T>& coarse,
             const std::type_identity_t<GridOf<T>>* u, const GridOf<T>& v, const GridOf<T>& next,
             WorkspaceOf<T>& work)
      : operators_(&operators), coarse_(&coarse), u_(u), v_(&v), next_(&next), work_(&work) {}

  void run() const {
    const PassShare mine = my_pass_share({v_->planes(), v_->rows(), block_rows, 4});
    const Range& planes = mine.planes;
    for_blocks(mine.rows, block_rows, [&](std::int64_t first, std::int64_t end) {
      work_->iterates.begin_at(first - 2);
      work_->residuals.begin_at(first - 1);
      for (std::int64_t plane = planes.begin - 2; plane < planes.end + 2; ++plane) {
        form_iterate(plane, first, end);
        if (plane >= planes.begin) {
          form_residual(plane - 1, first, end);
        }
        if (plane >= planes.begin + 2) {
          smooth(plane - 2, first, end);
        }
      }
    });
    stream_store_fence();
  }

 private:
  void form_iterate(std::int64_t i3, std::int64_t first, std::int64_t end) const {
    for (std::int64_t i2 = first - 2; i2 < end + 2; ++i2) {
      interpolated_row(coarse_rows(*coarse_, i3, i2), u_ == nullptr ? nullptr : u_->row(i3, i2),
                       columns_of(*v_, 2), work_->mean.data() + line, work_->iterates.row(i3, i2));
    }
  }

  void form_residual(std::int64_t i3, std::int64_t first, std::int64_t end) const {
    const Columns columns = columns_of(*v_, 1);
    for (std::int64_t i2 = first - 1; i2 < end + 1; ++i2) {
      T* const r = work_->residuals.row(i3, i2);
      sum_rows(rows_around(work_->iterates, i3, i2), columns_of(*v_, 2), work_->sums());
      residual_row(operators_->difference, v_->row(i3, i2), work_->iterates.row(i3, i2),
                   work_->sums(), columns, r);
      close_row(r, columns);
    }
  }

  void smooth(std::int64_t i3, std::int64_t first, std::int64_t end) const {
    const std::int64_t n = v_->columns();
    const bool streams = is_streamed(*v_);
    for (std::int64_t i2 = first; i2 < end; ++i2) {
      T* const result = streams ? work_->result.data() : next_->row(i3, i2);
      sum_rows(rows_around(work_->residuals, i3, i2), columns_of(*v_, 1), work_->sums());
      smoothed_row(operators_->smoother, work_->iterates.row(i3, i2), work_->residuals.row(i3, i2),
                   work_->sums(), n, result);
      if (streams) {
        stream_row(result, n, next_->row(i3, i2));
      }
    }
  }

  const Operators* operators_;
  const GridOf<T>* coarse_;
  const GridOf<T>* u_;
  const GridOf<T>* v_;
  const GridOf<T>* next_;
  WorkspaceOf<T>* work_;
};

/// One row of v - A u, `beyond` 0 or 1 columns further where rows are cut.
template <class T>
inline void form_residual_row(const Weights& a, const GridOf<T>& u, const GridOf<T>& v,
                              std::int64_t i3, std::int64_t i2, std::int64_t beyond,
                              WorkspaceOf<T>& work, T* r) {
  sum_rows(rows_around(u, i3, i2), columns_of(v, beyond + 1), work.sums());
  residual_row(a, v.row(i3, i2), u.row(i3, i2), work.sums(), columns_of(v, beyond), r);
}

/// coarse = P r with r = v - A u, or r = v where u is absent; also the sums of squares of r's rows,
/// plane after plane, if requested. One pass: reads u and v once. Needs two ghosts of u and one of
/// v.
template <class T>
class DownwardPass {
 public:
  DownwardPass(const Operators& operators, const std::type_identity_t<GridOf<T>>* u,
               const GridOf<T>& v, const GridOf<T>& coarse, double* squares, WorkspaceOf<T>& work)
      : operators_(&operators), u_(u), v_(&v), coarse_(&coarse), squares_(squares), work_(&work) {}

  void run() const {
    const PassShare mine = my_pass_share({coarse_->planes(), coarse_->rows(), block_rows / 2, 1});
    const Range& planes = mine.planes;
    for_blocks(mine.rows, block_rows / 2, [&](std::int64_t first, std::int64_t end) {
      work_->residuals.begin_at(2 * first);
      for (std::int64_t plane = 2 * planes.begin; plane <= 2 * planes.end; ++plane) {
        form_residual(plane, 2 * first, 2 * end);
        if (squares_ != nullptr && plane < 2 * planes.end) {
          add_squares(plane, 2 * first, 2 * end);
        }
        if (plane % 2 == 0 && plane > 2 * planes.begin) {
          restrict_to(plane / 2 - 1, first, end);
        }
      }
    });
  }

 private:
  void form_residual(std::int64_t i3, std::int64_t first, std::int64_t end) const {
    const Columns columns = columns_of(*v_, 1);
    for (std::int64_t i2 = first; i2 <= end; ++i2) {
      T* const r = work_->residuals.row(i3, i2);
      if (u_ == nullptr) {
        const T* const v = v_->row(i3, i2);
        std::copy(v + columns.begin(), v + columns.end(), r + columns.begin());
      } else {
        form_residual_row(operators_->difference, *u_, *v_, i3, i2, 1, *work_, r);
      }
      close_row(r, columns);
    }
  }

  void add_squares(std::int64_t i3, std::int64_t first, std::int64_t end) const {
    for (std::int64_t i2 = first; i2 < end; ++i2) {
      squares_[i3 * v_->rows() + i2] =
          static_cast<double>(sum_of_squares(work_->residuals.row(i3, i2), v_->columns()));
    }
  }

  void restrict_to(std::int64_t c3, std::int64_t first, std::int64_t end) const {
    for (std::int64_t c2 = first; c2 < end; ++c2) {
      sum_rows(rows_around(work_->residuals, 2 * c3 + 1, 2 * c2 + 1), columns_of(*v_, 1),
               work_->sums());
      restricted_row(work_->residuals.row(2 * c3 + 1, 2 * c2 + 1), work_->sums(), v_->columns(),
                     coarse_->row(c3, c2));
    }
  }

  const Operators* operators_;
  const GridOf<T>* u_;
  const GridOf<T>* v_;
  const GridOf<T>* coarse_;
  double* squares_;
  WorkspaceOf<T>* work_;
};

/// u = S r on a grid that is not cut, by its few points.
template <class T>
inline void smooth_coarsest(const Weights& weights, const GridOf<T>& r, const GridOf<T>& u,
                            WorkspaceOf<T>& work) {
  const std::int64_t n = r.columns();
  const Columns columns{n, 0};
  for (std::int64_t i3 = 0; i3 < n; ++i3) {
    for (std::int64_t i2 = 0; i2 < n; ++i2) {
      work.residuals.begin_at(0);
      T* const centre = work.residuals.row(0, 0);
      std::copy_n(r.row(i3, i2), n, centre);
      close_row(centre, columns);
      std::fill_n(work.mean.data(), n, T{0});
      sum_rows(rows_around(r, i3, i2), columns, work.sums());
      smoothed_row(weights, work.mean.data(), centre, work.sums(), n, u.row(i3, i2));
    }
  }
}

}  // namespace bankfull::npb::mg
