#pragma once

#include "bankfull/core/exec/team.hpp"
#include "bankfull/core/field/layout.hpp"
#include "bankfull/core/memory/buffer.hpp"
#include "bankfull/numerics/poisson/multigrid/cpu/line_rows.hpp"
#include "bankfull/numerics/poisson/multigrid/cpu/rows.hpp"
#include "bankfull/numerics/poisson/multigrid/cpu/stage_pipeline.hpp"
#include "bankfull/numerics/poisson/multigrid/levels.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace bankfull::poisson::multigrid {

/// Values of all cells of a level, with a ghost cell at both ends of rows.
template <class T>
class CpuField {
 public:
  CpuField(const Extents& cells, const Team& team)
      : layout_(cells, 1, sizeof(T)),
        values_(MemorySpace::host, static_cast<std::size_t>(layout_.size())) {
    clear(team);
  }

  static std::int64_t bytes(const Extents& cells) {
    return Layout(cells, 1, sizeof(T)).size() * static_cast<std::int64_t>(sizeof(T));
  }

  [[nodiscard]] const Layout& layout() const { return layout_; }

  [[nodiscard]] T* row(std::int64_t i, std::int64_t j) const {
    return values_.data() + layout_.origin() + layout_.offset(i, j, 0);
  }

  void clear(const Team& team) const {
#pragma omp parallel num_threads(team.threads())
    {
      const Range mine = my_share(layout_.size());
      std::fill(values_.data() + mine.begin, values_.data() + mine.end, T{0});
    }
  }

 private:
  Layout layout_;
  Buffer<T> values_;
};

/// The split rows of a plane.
template <class T>
struct SplitPlane {
  T* first;  ///< even cells of row 0
  std::int64_t pitch;
  std::int64_t odd;  ///< from a row's even cells to its odd ones

  [[nodiscard]] BANKFULL_ALWAYS_INLINE SplitRow<T> row(std::int64_t j) const {
    T* const even = first + j * pitch;
    return {even, even + odd};
  }
};

/// Values of all cells of a level in split rows.
template <class T>
class SplitField {
 public:
  SplitField(const Extents& cells, const Team& team)
      : odd_(odd_start(cells.nk)), values_({cells.ni, cells.nj, row_length(cells.nk)}, team) {}

  static std::int64_t bytes(const Extents& cells) {
    return CpuField<T>::bytes({cells.ni, cells.nj, row_length(cells.nk)});
  }

  [[nodiscard]] SplitRow<T> row(std::int64_t i, std::int64_t j) const {
    T* const even = values_.row(i, j);
    return {even, even + odd_};
  }

  /// The same within plane i.
  [[nodiscard]] SplitPlane<T> plane(std::int64_t i) const {
    return {values_.row(i, 0), values_.layout().row_pitch(), odd_};
  }

  /// The layout of rows as they lie in memory, both halves and the gap between them.
  [[nodiscard]] const Layout& layout() const { return values_.layout(); }

  [[nodiscard]] std::int64_t row_bytes() const {
    return values_.layout().row_pitch() * static_cast<std::int64_t>(sizeof(T));
  }

 private:
  static constexpr std::int64_t vector_length = 16;

  static std::int64_t rounded(std::int64_t n) {
    return (n + vector_length - 1) / vector_length * vector_length;
  }
  /// Behind the even cells, their ghost, and the ghost before the odd cells.
  static std::int64_t odd_start(std::int64_t n) { return rounded(half_count(n, 0) + 2); }
  /// With the ghost behind the odd cells.
  static std::int64_t row_length(std::int64_t n) { return odd_start(n) + half_count(n, 1) + 1; }

  std::int64_t odd_;
  CpuField<T> values_;
};

/// AxisLevel in the precision of a field.
template <class T>
struct CpuAxis {
  explicit CpuAxis(const AxisLevel& axis)
      : cells(axis.cells),
        periodic(axis.periodic),
        coarsened(axis.coarsened),
        part(axis.part),
        lower(axis.lower.begin(), axis.lower.end()),
        upper(axis.upper.begin(), axis.upper.end()),
        restriction_weight(axis.restriction_weight.begin(), axis.restriction_weight.end()),
        interpolation_weight(axis.interpolation_weight.begin(), axis.interpolation_weight.end()) {}

  std::int64_t cells;
  bool periodic;
  bool coarsened;
  AxisPart part;
  std::vector<T> lower;
  std::vector<T> upper;
  std::vector<T> restriction_weight;
  std::vector<T> interpolation_weight;

  /// The cells beside cell n; beyond a wall the cell itself, whose coefficient there is 0.
  [[nodiscard]] std::int64_t below(std::int64_t n) const {
    return n > 0 ? n - 1 : (periodic ? cells - 1 : n);
  }
  [[nodiscard]] std::int64_t above(std::int64_t n) const {
    return n + 1 < cells ? n + 1 : (periodic ? 0 : n);
  }

  /// Whether an odd number of cells closes on itself, where two of one colour meet.
  [[nodiscard]] bool has_odd_seam() const { return periodic && cells > 1 && cells % 2 != 0; }

  /// The cells that the c-th parent has, counted from the first cell's, which lies at
  /// part.first_parent in the next level.
  [[nodiscard]] Range children(std::int64_t c) const {
    return coarsened ? Range{2 * c, std::min(2 * c + 2, cells)} : Range{c, c + 1};
  }

  /// In the next level.
  [[nodiscard]] std::int64_t parent(std::int64_t n) const {
    return part.first_parent + parent_of(n, coarsened);
  }

  /// The same of the parent on the cell's other side; see other_parent_of.
  [[nodiscard]] std::int64_t other_parent(std::int64_t n) const {
    const bool is_beyond = n % 2 == 0 ? n == 0 && part.goes_on_below
                                      : n / 2 + 1 == (cells + 1) / 2 && part.goes_on_above;
    if (coarsened && is_beyond) {
      return parent(n) + (n % 2 == 0 ? -1 : 1);
    }
    return part.first_parent + other_parent_of(n, coarsened, (cells + 1) / 2, periodic);
  }

  /// Whether all cells have the same coefficients.
  [[nodiscard]] bool has_alike_cells() const { return are_alike(lower) && are_alike(upper); }

  /// The same of the weights of interpolation.
  [[nodiscard]] bool has_alike_weights() const { return are_alike(interpolation_weight); }

  [[nodiscard]] OpenEnds open_ends() const { return {part.goes_on_below, part.goes_on_above}; }

  [[nodiscard]] Range own() const { return part.own.size() > 0 ? part.own : Range{0, cells}; }

 private:
  static bool are_alike(const std::vector<T>& values) {
    return std::ranges::all_of(values, [&](T value) { return value == values.front(); });
  }
};

template <class T>
T at(const std::vector<T>& values, std::int64_t n) {
  return values[static_cast<std::size_t>(n)];
}

template <class T>
struct CpuAxes {
  explicit CpuAxes(const Level& level) : i(level.i), j(level.j), k(level.k) {}

  CpuAxis<T> i;
  CpuAxis<T> j;
  CpuAxis<T> k;

  [[nodiscard]] Surroundings<T> around(const CpuField<T>& field, std::int64_t at_i,
                                       std::int64_t at_j) const {
    const T* const row = field.row(at_i, at_j);
    return {field.row(i.below(at_i), at_j),
            field.row(i.above(at_i), at_j),
            field.row(at_i, j.below(at_j)),
            field.row(at_i, j.above(at_j)),
            row - 1,
            row + 1,
            at(i.lower, at_i),
            at(i.upper, at_i),
            at(j.lower, at_j),
            at(j.upper, at_j),
            k.lower.data(),
            k.upper.data()};
  }
};

/// The coefficients and weights of every second cell of an axis, from the first or from the second
/// on. An odd number of cells is filled up with one that is no part of its parent.
template <class T>
struct HalfAxis {
  HalfAxis(const CpuAxis<T>& axis, std::int64_t parity) {
    for (std::int64_t n = parity; n < axis.cells + parity; n += 2) {
      const bool exists = n < axis.cells;
      lower.push_back(exists ? at(axis.lower, n) : T{0});
      upper.push_back(exists ? at(axis.upper, n) : T{0});
      restriction_weight.push_back(exists ? at(axis.restriction_weight, n) : T{0});
      interpolation_weight.push_back(exists ? at(axis.interpolation_weight, n) : T{1});
    }
  }

  std::vector<T> lower;
  std::vector<T> upper;
  std::vector<T> restriction_weight;
  std::vector<T> interpolation_weight;
};

/// The lines of a level along j: their couplings are those of the symmetric system of elimination.
template <class T>
struct CpuLines {
  explicit CpuLines(const Level& level) {
    if (!level.has_lines()) {
      return;
    }
    const AxisLevel& axis = level.along_lines();
    for (std::size_t n = 0; n < axis.widths.size(); ++n) {
      widths.push_back(static_cast<T>(axis.widths[n]));
      above.push_back(static_cast<T>(axis.upper[n] * axis.widths[n]));
    }
    closing = static_cast<T>(axis.lower.front() * axis.widths.front());
    above.back() = T{0};
    cyclic = closing > T{0};
  }

  std::vector<T> widths;
  std::vector<T> above;  ///< coupling to the next cell; 0 of the last one, the root
  T closing{0};          ///< of the first cell to the root
  bool cyclic = false;

  [[nodiscard]] bool exist() const { return !widths.empty(); }
  [[nodiscard]] std::int64_t root() const { return static_cast<std::int64_t>(widths.size()) - 1; }
};

template <class T, std::size_t N>
std::array<T, N> rounded_to(const std::array<double, N>& values) {
  std::array<T, N> result{};
  std::ranges::transform(values, result.begin(), [](double x) { return static_cast<T>(x); });
  return result;
}

/// One level on a CPU: the correction e and the residual r that it is for, in fp32 or what tests
/// count with.
template <class T>
struct CpuLevelOf {
  CpuLevelOf(const Level& level, const Team& team)
      : axes(level),
        halves{HalfAxis<T>(axes.k, 0), HalfAxis<T>(axes.k, 1)},
        alike_along_k(axes.k.has_alike_cells()),
        alike_weights_along_k(axes.k.has_alike_weights()),
        omega_before(rounded_to<T>(level.omega_before)),
        omega_after(rounded_to<T>(level.omega_after)),
        sweeps_before(level.sweeps_before),
        sweeps_after(level.sweeps_after),
        sweeps_interpolated(level.sweeps_interpolated()),
        lines(level),
        e(level.extents(), team),
        r(level.extents(), team) {}

  static std::int64_t bytes(const Level& level) {
    return 2 * SplitField<T>::bytes(level.extents());
  }

  CpuAxes<T> axes;
  std::array<HalfAxis<T>, 2> halves;  ///< of axis k: its even cells and its odd ones
  bool alike_along_k;                 ///< see CpuAxis::has_alike_cells
  bool alike_weights_along_k;         ///< see CpuAxis::has_alike_weights
  std::array<T, 2> omega_before;      ///< of a half-sweep: see Level
  std::array<T, 4> omega_after;
  int sweeps_before;
  int sweeps_after;
  int sweeps_interpolated;
  CpuLines<T> lines;
  SplitField<T> e;
  SplitField<T> r;

  [[nodiscard]] std::int64_t cells() const { return axes.i.cells * axes.j.cells * axes.k.cells; }

  [[nodiscard]] const HalfAxis<T>& half(int parity) const {
    return halves[static_cast<std::size_t>(parity)];
  }

  /// A plane of e between its neighbours.
  struct Planes {
    SplitPlane<T> below;
    SplitPlane<T> own;
    SplitPlane<T> above;
    T lower;
    T upper;
  };

  [[nodiscard]] Planes planes_around(std::int64_t i) const {
    return {e.plane(axes.i.below(i)), e.plane(i), e.plane(axes.i.above(i)), at(axes.i.lower, i),
            at(axes.i.upper, i)};
  }

  /// The neighbours of e's cells of one parity in a row.
  [[nodiscard]] BANKFULL_ALWAYS_INLINE Surroundings<T> around(const Planes& planes, std::int64_t j,
                                                              int parity) const {
    const SplitRow<T> row = planes.own.row(j);
    const HalfAxis<T>& along = half(parity);
    return {planes.below.row(j).half(parity),
            planes.above.row(j).half(parity),
            planes.own.row(axes.j.below(j)).half(parity),
            planes.own.row(axes.j.above(j)).half(parity),
            parity == 0 ? row.odd - 1 : row.even,
            parity == 0 ? row.odd : row.even + 1,
            planes.lower,
            planes.upper,
            at(axes.j.lower, j),
            at(axes.j.upper, j),
            along.lower.data(),
            along.upper.data()};
  }

  [[nodiscard]] BANKFULL_ALWAYS_INLINE Surroundings<T> around(std::int64_t i, std::int64_t j,
                                                              int parity) const {
    return around(planes_around(i), j, parity);
  }

  /// With slabs of rows of which a cache of so many bytes holds `planes_at_once` planes of fp32,
  /// what the stages between them need. Lines run through all rows of a plane.
  [[nodiscard]] PipelineShape shape(std::int64_t planes_at_once, std::int64_t cache_bytes) const {
    const std::int64_t rows = axes.j.cells;
    const std::int64_t most =
        std::max<std::int64_t>(16, cache_bytes / (planes_at_once * e.row_bytes()));
    // As many in every slab, but for the last, which may have a few less.
    const std::int64_t slabs = (rows + most - 1) / most;
    const std::int64_t slab =
        lines.exist() ? rows : std::max<std::int64_t>(16, (rows + slabs - 1) / slabs);
    // A single plane or row has no neighbours.
    return {axes.i.cells,
            axes.i.periodic && axes.i.cells > 1,
            axes.j.cells,
            axes.j.periodic && axes.j.cells > 1,
            slab,
            axes.i.open_ends(),
            axes.j.open_ends()};
  }
};

using CpuLevel = CpuLevelOf<float>;

/// What a thread relaxes the lines of a plane in, of one colour: half rows.
///
/// The pivots depend on the place along the line and on the coefficients across it, of which those
/// along k differ in a row and those along i from plane to plane, if that axis is not uniform. They
/// are formed here when they change, in planes of a uniform axis but at its ends, and stay in the
/// cache: kept for a whole level they would be read from memory at every half-sweep.
template <class T>
class LineRoom {
 public:
  LineRoom(const CpuLines<T>& lines, std::int64_t columns)
      : pitch_(columns), solution_(zeros((lines.root() + 1) * columns)), zeros_(zeros(columns)) {
    for (std::vector<T>& ends : ends_) {
      ends = zeros(columns);
    }
    for (Pivots& pivots : pivots_) {
      pivots = {solution_, lines.cyclic ? solution_ : zeros(0)};
    }
  }

  [[nodiscard]] T* solution(std::int64_t n) { return solution_.data() + n * pitch_; }
  [[nodiscard]] T* zero() { return zeros_.data(); }

  /// For what periodic lines' roots get on the way up.
  [[nodiscard]] T* root_side() { return ends_[0].data(); }

  [[nodiscard]] PivotsOfHalf<T> pivots(std::int64_t n, int parity) {
    Pivots& of_parity = pivots_[static_cast<std::size_t>(parity)];
    return {of_parity.inverse.data() + n * pitch_,
            of_parity.around.empty() ? nullptr : of_parity.around.data() + n * pitch_};
  }

  /// For the forming of pivots.
  [[nodiscard]] EndsOfHalf<T> ends() { return {ends_[0].data(), ends_[1].data(), ends_[2].data()}; }

 private:
  struct Pivots {
    std::vector<T> inverse;
    std::vector<T> around;
  };

  static std::vector<T> zeros(std::int64_t n) {
    return std::vector<T>(static_cast<std::size_t>(n), T{0});
  }

  std::int64_t pitch_;
  std::vector<T> solution_;
  std::vector<T> zeros_;
  std::array<std::vector<T>, 3> ends_;
  std::array<Pivots, 2> pivots_;
};

/// What a thread works in, for a level and coarser ones.
template <class T>
class CpuWorkspaceOf {
 public:
  explicit CpuWorkspaceOf(const CpuLevelOf<T>& finest)
      : CpuWorkspaceOf(finest.axes, finest.lines) {}

  /// A magnitude, in order to know the largest of all; see magnitude_bits.
  void note(std::int64_t bits) { largest_ = std::max(largest_, bits); }
  [[nodiscard]] std::int64_t take_largest() { return std::exchange(largest_, 0); }

  /// Half rows.
  [[nodiscard]] SplitRow<T> sums() { return {sums_[0].data(), sums_[1].data()}; }

  /// A row with ghosts.
  [[nodiscard]] T* plain() { return plain_.data() + 1; }

  /// The inverse of the diagonal of the cells of one parity in row j of plane i, of which `beside`
  /// is the sum of the coefficients along i and j.
  [[nodiscard]] BANKFULL_ALWAYS_INLINE const T* inverses(const CpuLevelOf<T>& level, std::int64_t i,
                                                         std::int64_t j, int parity, T beside) {
    auto& known = known_[static_cast<std::size_t>(parity)];
    auto& inverses = inverses_[static_cast<std::size_t>(parity)];
    if (&level != known.level || beside != known.beside) {
      form_inverses(level.around(i, j, parity), half_count(level.axes.k.cells, parity),
                    inverses.data());
      known = {&level, beside};
    }
    return inverses.data();
  }

  /// The room for relaxing lines of one parity in plane i, with their pivots.
  [[nodiscard]] LineRoom<T>& lines(const CpuLevelOf<T>& level, std::int64_t i, int parity) {
    const T beside = at(level.axes.i.lower, i) + at(level.axes.i.upper, i);
    auto& known = known_[static_cast<std::size_t>(parity)];
    if (&level != known.level || beside != known.beside) {
      level.lines.cyclic ? form_line_pivots<true>(level, i, parity)
                         : form_line_pivots<false>(level, i, parity);
      known = {&level, beside};
    }
    return line_room_;
  }

 private:
  CpuWorkspaceOf(const CpuAxes<T>& axes, const CpuLines<T>& lines)
      : sums_{zeros(half_count(axes.k.cells, 0)), zeros(half_count(axes.k.cells, 0))},
        inverses_{sums_},
        plain_(zeros(axes.k.cells + 2)),
        line_room_(lines, half_count(axes.k.cells, 0)) {}

  template <bool Cyclic>
  void form_line_pivots(const CpuLevelOf<T>& level, std::int64_t i, int parity) {
    const std::int64_t n = half_count(level.axes.k.cells, parity);
    const CpuLines<T>& lines = level.lines;
    const EndsOfHalf<T> ends = line_room_.ends();
    std::fill_n(ends.dominance, n, T{0});
    std::fill_n(ends.closing, n, lines.closing);
    std::fill_n(ends.root_dominance, n, T{0});
    const std::int64_t root = lines.root();
    for (std::int64_t j = 0; j < root; ++j) {
      form_pivots<Cyclic>(level.around(i, j, parity), at(lines.widths, j), at(lines.above, j), ends,
                          n, line_room_.pivots(j, parity));
    }
    form_root_pivots<Cyclic>(level.around(i, root, parity), at(lines.widths, root), ends, n,
                             line_room_.pivots(root, parity));
  }

  /// Rows with equal coefficients beside them have equal diagonals: most rows of a uniform grid.
  struct Known {
    const CpuLevelOf<T>* level = nullptr;
    T beside = T{0};
  };

  static std::vector<T> zeros(std::int64_t n) {
    return std::vector<T>(static_cast<std::size_t>(n), T{0});
  }

  std::array<std::vector<T>, 2> sums_;
  std::array<std::vector<T>, 2> inverses_;
  std::vector<T> plain_;
  LineRoom<T> line_room_;
  std::array<Known, 2> known_ = {};
  std::int64_t largest_ = 0;
};

using CpuWorkspace = CpuWorkspaceOf<float>;

}  // namespace bankfull::poisson::multigrid
