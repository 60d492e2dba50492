#pragma once

#include "bankfull/core/base/stream_store.hpp"
#include "bankfull/workloads/npb/mg/grid.hpp"
#include "bankfull/workloads/npb/mg/pass_share.hpp"
#include "bankfull/workloads/npb/mg/rows.hpp"
#include "bankfull/workloads/npb/mg/strips.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <type_traits>
#include <vector>

namespace bankfull::npb::mg {

inline constexpr std::int64_t max_block_rows = 32;

/// Rows of a plane that go through a pipeline together: so many that few are formed by two
/// neighbouring blocks, and so few that up to rows of 512 points the six planes of a workspace take
/// less than half a MiB of the second-level cache, of which the rows that come and go need as much.
constexpr std::int64_t block_rows(std::int64_t columns) {
  constexpr std::int64_t points = 8192;
  return std::clamp<std::int64_t>(points / columns, 16, max_block_rows);
}

inline constexpr std::int64_t line = 8;

/// Values from the start of a cache line on: vector loads and stores of aligned columns then touch
/// one line.
template <class T>
class LineAligned {
 public:
  explicit LineAligned(std::int64_t size) : values_(static_cast<std::size_t>(size + line)) {
    void* start = values_.data();
    std::size_t space = values_.size() * sizeof(T);
    data_ = static_cast<T*>(std::align(line * sizeof(T), sizeof(T), start, space));
  }
  LineAligned(const LineAligned&) = delete;
  LineAligned& operator=(const LineAligned&) = delete;
  ~LineAligned() = default;

  [[nodiscard]] T* data() const { return data_; }

 private:
  std::vector<T> values_;
  T* data_;
};

/// The last three planes of a field in a pipeline: rows [first, first + count) with ghosts along
/// i1.
template <class T>
class Planes {
 public:
  Planes(std::int64_t columns, std::int64_t rows)
      : row_pitch_(columns + 2 * line), rows_(rows), values_(3 * rows * row_pitch_) {}

  void begin_at(std::int64_t first_row) { first_ = first_row; }

  [[nodiscard]] PlaneRows<T> plane(std::int64_t i3) const {
    // Planes count from -2.
    return {values_.data(), ((i3 + 3) % 3 * rows_ - first_) * row_pitch_ + line, row_pitch_};
  }

  [[nodiscard]] T* row(std::int64_t i3, std::int64_t i2) const { return plane(i3).row(i2); }

 private:
  std::int64_t row_pitch_;
  std::int64_t rows_;
  std::int64_t first_ = 0;
  LineAligned<T> values_;
};

/// Number of points from which on passes use streaming stores, because the result would be evicted
/// before the next pass reads it.
inline constexpr std::int64_t streamed_points = std::int64_t{1} << 21;

template <class T>
inline bool is_streamed(const GridOf<T>& grid) {
  return grid.layout().interior().count() >= streamed_points && grid.columns() % line == 0;
}

/// Rows of a plane that a stencil forms at most: a block, and one beyond both ends.
inline constexpr std::int64_t max_stencil_rows = max_block_rows + 2;

/// Pairs of rows that a march along rows knows at a time.
inline constexpr int pair_rows = 3;

/// A thread's workspace.
template <class T>
class WorkspaceOf {
 public:
  Planes<T> iterates;
  Planes<T> residuals;

  /// For grids with sides up to these.
  explicit WorkspaceOf(const Extents& sides)
      : iterates(sides.nk, std::min(sides.nj, max_block_rows) + 4),
        residuals(sides.nk, std::min(sides.nj, max_block_rows) + 3),
        row_pitch_(sides.nk + 2 * line),
        rows_(single_rows * row_pitch_) {}

  static std::int64_t bytes(const Extents& sides) {
    const std::int64_t rows_of_planes = 3 * (2 * std::min(sides.nj, max_block_rows) + 7);
    return ((rows_of_planes + single_rows) * (sides.nk + 2 * line) + 3 * line) *
               static_cast<std::int64_t>(sizeof(T)) +
           static_cast<std::int64_t>(sizeof(WorkspaceOf));
  }

  // Rows of values with ghosts.

  /// Of pairs of rows with the number `row`, from -2 on.
  [[nodiscard]] T* pair(std::int64_t row) { return single((row + pair_rows) % pair_rows); }
  [[nodiscard]] RowParts<T> parts() { return {single(pair_rows), single(pair_rows + 1)}; }
  [[nodiscard]] RowSums<T> sums() { return {single(pair_rows), single(pair_rows + 1)}; }
  [[nodiscard]] T* mean() { return single(pair_rows + 2); }

  /// Of strips, one for each row of a stencil.
  [[nodiscard]] StripEdge<T>* edges() { return edges_; }

 private:
  static constexpr std::int64_t single_rows = pair_rows + 3;

  [[nodiscard]] T* single(std::int64_t n) { return rows_.data() + n * row_pitch_ + line; }

  std::int64_t row_pitch_;
  LineAligned<T> rows_;
  StripEdge<T> edges_[max_stencil_rows];
};

using Workspace = WorkspaceOf<double>;

template <class T>
inline RowsAround<T> rows_around(Planes<T>& planes, std::int64_t i3, std::int64_t i2) {
  RowsAround<T> rows{};
  for (int d3 = 0; d3 < 3; ++d3) {
    for (int d2 = 0; d2 < 3; ++d2) {
      rows.of[d3][d2] = planes.row(i3 + d3 - 1, i2 + d2 - 1);
    }
  }
  return rows;
}

/// Columns of `grid`, and `beyond` more on both sides where they are cut.
template <class T>
inline Columns columns_of(const GridOf<T>& grid, std::int64_t beyond) {
  return {grid.columns(), grid.columns_cut() ? beyond : 0};
}

/// The columns that a stencil forms, and those of its parts: one further where rows are cut.
struct StencilColumns {
  Columns formed;
  Columns parts;

  [[nodiscard]] bool wrap_around() const { return parts.beyond == 0; }
};

/// Columns of a stencil on `grid`, and `beyond` more on both sides where they are cut.
template <class T>
inline StencilColumns stencil_columns(const GridOf<T>& grid, std::int64_t beyond) {
  return {columns_of(grid, beyond), columns_of(grid, beyond + 1)};
}

/// A stencil row by row.
template <class T, class Stencil>
void march_rows(const Stencil& stencil, const StencilPlane<T>& plane, const StencilColumns& columns,
                Results results, WorkspaceOf<T>& work) {
  const auto& [below, centre, above, added, result, rows] = plane;
  for (std::int64_t i2 = rows.begin - 1; i2 <= rows.begin; ++i2) {
    sum_pair<T>(below.row(i2), above.row(i2), columns.parts, work.pair(i2));
  }
  const RowParts<T> parts = work.parts();
  for (std::int64_t i2 = rows.begin; i2 < rows.end; ++i2) {
    const Around<T> around{.left = centre.row(i2 - 1),
                           .centre = centre.row(i2),
                           .right = centre.row(i2 + 1),
                           .pair_left = work.pair(i2 - 1),
                           .pair_centre = work.pair(i2),
                           .below_right = below.row(i2 + 1),
                           .above_right = above.row(i2 + 1),
                           .pair_right = work.pair(i2 + 1)};
    stencil_parts<T>(stencil, added.row(i2), around, columns.parts, parts);
    if (results == Results::streamed) {
      stream_stencil_row(stencil, parts, columns.formed.n, result.row(i2));
    } else {
      stencil_row(stencil, parts, columns.formed, result.row(i2));
    }
  }
}

/// A stencil on rows of a plane, in strips where they suit. These ask for the lines `ahead`.
template <class T, class Stencil, class... Ahead>
void form_stencil(const Stencil& stencil, const StencilPlane<T>& plane,
                  const StencilColumns& columns, Results results, WorkspaceOf<T>& work,
                  const Ahead&... ahead) {
  const std::int64_t n = columns.formed.n;
  if (!columns.wrap_around() || !go_in_strips<T>(n)) {
    march_rows(stencil, plane, columns, results, work);
  } else if (results == Results::streamed) {
    march_strips<Results::streamed>(stencil, plane, n, work.edges(), ahead...);
  } else {
    march_strips<Results::stored>(stencil, plane, n, work.edges(), ahead...);
  }
}

/// Rows of a plane of `grid`; none where there is no grid, or the plane is not before `end`.
template <class T>
LinesAhead<T> lines_ahead(const GridOf<T>* grid, std::int64_t i3, std::int64_t end,
                          const Range& rows) {
  return grid == nullptr || i3 >= end ? LinesAhead<T>()
                                      : LinesAhead<T>(grid->plane(i3), rows, grid->columns());
}

/// Rows of the residual of u and v in plane i3, to work.residuals; `beyond` 0 or 1 columns further
/// where rows are cut. `u` are planes of a grid or of a workspace.
template <class T, class PlanesOfU, class... Ahead>
void form_residual_rows(const Weights& a, const PlanesOfU& u, const GridOf<T>& v, std::int64_t i3,
                        const Range& rows, std::int64_t beyond, WorkspaceOf<T>& work,
                        const Ahead&... ahead) {
  form_stencil(Residual(a),
               StencilPlane<T>{.below = u.plane(i3 - 1),
                               .centre = u.plane(i3),
                               .above = u.plane(i3 + 1),
                               .added = v.plane(i3),
                               .result = work.residuals.plane(i3),
                               .rows = rows},
               stencil_columns(v, beyond), Results::stored, work, ahead...);
}

template <class T>
inline CoarseRows<T> coarse_rows(const GridOf<T>& coarse, std::int64_t i3, std::int64_t i2) {
  // An odd row lies on a coarse one, an even row between two. Shifts round down below 0 too.
  const auto before = [](std::int64_t i) { return ((i + 1) >> 1) - 1; };
  const auto after = [](std::int64_t i) { return i >> 1; };
  return {{{coarse.row(before(i3), before(i2)), coarse.row(before(i3), after(i2))},
           {coarse.row(after(i3), before(i2)), coarse.row(after(i3), after(i2))}}};
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
    const std::int64_t block = block_rows(v_->columns());
    const PassShare mine = my_pass_share({v_->planes(), v_->rows(), block, 4});
    const Range& planes = mine.planes;
    for_blocks(mine.rows, block, [&](std::int64_t first, std::int64_t end) {
      work_->iterates.begin_at(first - 2);
      work_->residuals.begin_at(first - 1);
      for (std::int64_t plane = planes.begin - 2; plane < planes.end + 2; ++plane) {
        form_iterate(plane, first, end);
        if (plane >= planes.begin) {
          form_residual(plane - 1, first, end, planes.end);
        }
        if (plane >= planes.begin + 2) {
          smooth(plane - 2, first, end, planes.end);
        }
      }
    });
    stream_store_fence();
  }

 private:
  void form_iterate(std::int64_t i3, std::int64_t first, std::int64_t end) const {
    for (std::int64_t i2 = first - 2; i2 < end + 2; ++i2) {
      interpolated_row(coarse_rows(*coarse_, i3, i2), u_ == nullptr ? nullptr : u_->row(i3, i2),
                       columns_of(*v_, 2), work_->mean(), work_->iterates.row(i3, i2));
    }
  }

  void form_residual(std::int64_t i3, std::int64_t first, std::int64_t end,
                     std::int64_t end_planes) const {
    const Range rows{first - 1, end + 1};
    form_residual_rows(operators_->difference, work_->iterates, *v_, i3, rows, 1, *work_,
                       lines_ahead(v_, i3 + 1, end_planes + 1, rows));
  }

  void smooth(std::int64_t i3, std::int64_t first, std::int64_t end,
              std::int64_t end_planes) const {
    form_stencil(Smoothed(operators_->smoother),
                 StencilPlane<T>{.below = work_->residuals.plane(i3 - 1),
                                 .centre = work_->residuals.plane(i3),
                                 .above = work_->residuals.plane(i3 + 1),
                                 .added = work_->iterates.plane(i3),
                                 .result = next_->plane(i3),
                                 .rows = {first, end}},
                 stencil_columns(*v_, 0), is_streamed(*v_) ? Results::streamed : Results::stored,
                 *work_, lines_ahead(u_, i3 + 3, end_planes + 2, {first - 2, end + 2}));
  }

  const Operators* operators_;
  const GridOf<T>* coarse_;
  const GridOf<T>* u_;
  const GridOf<T>* v_;
  const GridOf<T>* next_;
  WorkspaceOf<T>* work_;
};

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
    const std::int64_t block = block_rows(v_->columns()) / 2;
    const PassShare mine = my_pass_share({coarse_->planes(), coarse_->rows(), block, 1});
    const Range& planes = mine.planes;
    for_blocks(mine.rows, block, [&](std::int64_t first, std::int64_t end) {
      work_->residuals.begin_at(2 * first);
      for (std::int64_t plane = 2 * planes.begin; plane <= 2 * planes.end; ++plane) {
        form_residual(plane, 2 * first, 2 * end, 2 * planes.end);
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
  void form_residual(std::int64_t i3, std::int64_t first, std::int64_t end,
                     std::int64_t last_plane) const {
    const Columns columns = columns_of(*v_, 1);
    if (u_ != nullptr) {
      form_residual_rows(operators_->difference, *u_, *v_, i3, {first, end + 1}, 1, *work_,
                         lines_ahead(u_, i3 + 2, last_plane + 2, {first - 1, end + 2}),
                         lines_ahead(v_, i3 + 1, last_plane + 1, {first, end + 1}));
    }
    for (std::int64_t i2 = first; i2 <= end; ++i2) {
      T* const r = work_->residuals.row(i3, i2);
      if (u_ == nullptr) {
        const T* const v = v_->row(i3, i2);
        std::copy(v + columns.begin(), v + columns.end(), r + columns.begin());
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
  std::fill_n(work.mean(), n, T{0});
  for (std::int64_t i3 = 0; i3 < n; ++i3) {
    march_rows(Smoothed(weights),
               StencilPlane<T>{.below = r.plane(i3 - 1),
                               .centre = r.plane(i3),
                               .above = r.plane(i3 + 1),
                               .added = {.values = work.mean()},
                               .result = u.plane(i3),
                               .rows = {0, n}},
               {columns, columns}, Results::stored, work);
  }
}

}  // namespace bankfull::npb::mg
