#pragma once

#include "bankfull/numerics/poisson/multigrid/cpu/level.hpp"
#include "bankfull/numerics/poisson/multigrid/cpu/rows.hpp"
#include "bankfull/numerics/poisson/multigrid/cpu/stage_pipeline.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <utility>

namespace bankfull::poisson::multigrid {

// The stages of pipelines, see stage_pipeline.hpp: each does one step of multigrid on a row.

struct Row {
  std::int64_t i;
  std::int64_t j;
};

/// What stages that go cell by cell have in common.
class CellStage {
 public:
  template <class T>
  explicit CellStage(const CpuLevelOf<T>& level)
      : planes_{level.axes.i.cells, false}, rows_{level.axes.j.cells, false} {}

  [[nodiscard]] StageAxis planes() const { return planes_; }
  [[nodiscard]] StageAxis rows() const { return rows_; }

 protected:
  /// How many rows before its turn a row is asked for: the less a row takes to do, the more.
  static constexpr std::int64_t of_outer = 2;
  static constexpr std::int64_t of_correction = 6;

  /// The row that will be done so many rows after row (i, j), where a pipeline goes through `rows`
  /// of each plane.
  [[nodiscard]] Row row_after(std::int64_t i, std::int64_t j, const Range& rows,
                              std::int64_t distance) const {
    const std::int64_t later = j + distance;
    if (later < rows.end) {
      return {i, wrapped_once(later, rows_.cells)};
    }
    return {std::min(i + 1, planes_.cells - 1),
            wrapped_once(std::min(later - rows.size(), rows.end - 1), rows_.cells)};
  }

 private:
  StageAxis planes_;
  StageAxis rows_;
};

enum class Colour { red, black };
enum class From { what_is_there, zero };

/// Which cells a relaxation is of, and how.
template <class T>
struct HalfSweep {
  Colour colour = Colour::red;
  T omega{1};  ///< over-relaxation
  From from = From::what_is_there;
};

/// Gauss-Seidel on the cells of one colour.
template <class T>
class Relaxation : public CellStage {
 public:
  Relaxation(const CpuLevelOf<T>& level, CpuWorkspaceOf<T>& work, const HalfSweep<T>& sweep)
      : CellStage(level), level_(&level), work_(&work), sweep_(sweep) {}

  void operator()(std::int64_t i, const Range& some, const Range& rows) const {
    if (sweep_.from == From::zero) {
      level_->alike_along_k ? relax<true, true>(i, some, rows) : relax<false, true>(i, some, rows);
    } else {
      level_->alike_along_k ? relax<true, false>(i, some, rows)
                            : relax<false, false>(i, some, rows);
    }
  }

 private:
  template <bool Alike, bool FromZero>
  void relax(std::int64_t i, const Range& some, const Range& rows) const {
    const CpuAxis<T>& along_j = level_->axes.j;
    const RelaxedPlane<T> plane = plane_of(i);
    const SplitPlane<T> e = level_->e.plane(i);
    const SplitPlane<T> r = level_->r.plane(i);
    const std::int64_t last_of_plane = std::min(rows.end, along_j.cells) - of_correction;
    int parity = parity_of(i, some.begin);
    for (std::int64_t j = some.begin; j < some.end; ++j) {
      const CoefficientsBeside<T> beside{at(along_j.lower, j), at(along_j.upper, j)};
      const T* const inverse = work_->inverses(
          *level_, i, j, parity, (plane.lower_i + plane.upper_i) + (beside.lower + beside.upper));
      const RelaxedRow<T> row{e.row(j).even, r.row(j).even};
      const T* later = row.r + of_correction * r.pitch + (parity == 0 ? 0 : r.odd);
      [[maybe_unused]] const T* later_e = FromZero ? row.e + of_correction * e.pitch : nullptr;
      if (j >= last_of_plane) {
        const Row after = row_after(i, j, rows, of_correction);
        later = level_->r.row(after.i, after.j).half(parity_of(after.i, after.j));
        if constexpr (FromZero) {
          later_e = level_->e.row(after.i, after.j).even;
        }
      }
      if constexpr (FromZero) {
        parity == 0 ? start_half<Alike, 0>(plane, row, inverse, later, later_e)
                    : start_half<Alike, 1>(plane, row, inverse, later, later_e);
      } else {
        const RowsBeside rows_beside{(along_j.below(j) - j) * e.pitch,
                                     (along_j.above(j) - j) * e.pitch};
        parity == 0 ? relax_half<Alike, 0>(plane, row, rows_beside, inverse, later, beside)
                    : relax_half<Alike, 1>(plane, row, rows_beside, inverse, later, beside);
      }
      parity = 1 - parity;
    }
  }

  [[nodiscard]] RelaxedPlane<T> plane_of(std::int64_t i) const {
    const CpuAxis<T>& along_i = level_->axes.i;
    const CpuAxis<T>& along_k = level_->axes.k;
    const std::int64_t pitch = level_->e.layout().plane_pitch();
    return {sweep_.omega,
            at(along_i.lower, i),
            at(along_i.upper, i),
            (along_i.below(i) - i) * pitch,
            (along_i.above(i) - i) * pitch,
            level_->e.plane(i).odd,
            along_k.cells,
            along_k.periodic,
            {level_->half(0).lower.data(), level_->half(1).lower.data()},
            {level_->half(0).upper.data(), level_->half(1).upper.data()}};
  }

  /// Whether the row's even cells are wanted, or its odd ones.
  [[nodiscard]] int parity_of(std::int64_t i, std::int64_t j) const {
    return is_red(i, j, 0) == (sweep_.colour == Colour::red) ? 0 : 1;
  }

  const CpuLevelOf<T>* level_;
  CpuWorkspaceOf<T>* work_;
  HalfSweep<T> sweep_;
};

/// The same on the lines of one colour in a plane.
template <class T>
class LineRelaxation {
 public:
  LineRelaxation(const CpuLevelOf<T>& level, CpuWorkspaceOf<T>& work, const HalfSweep<T>& sweep)
      : level_(&level), work_(&work), sweep_(sweep) {}

  [[nodiscard]] StageAxis planes() const { return {level_->axes.i.cells}; }
  [[nodiscard]] StageAxis rows() const { return {.cells = level_->axes.j.cells, .whole = true}; }

  void operator()(std::int64_t i, const Range& /*all_rows*/, const Range& /*rows*/) const {
    level_->lines.cyclic ? relax<true>(i) : relax<false>(i);
    const CpuAxis<T>& along = level_->axes.k;
    for (std::int64_t j = 0; j <= level_->lines.root(); ++j) {
      close_row(along.periodic, along.cells, level_->e.row(i, j));
    }
  }

 private:
  template <bool Cyclic>
  void relax(std::int64_t i) const {
    const int parity = is_red(i, 0, 0) == (sweep_.colour == Colour::red) ? 0 : 1;
    LineRoom<T>& room = work_->lines(*level_, i, parity);
    if constexpr (Cyclic) {
      std::fill_n(room.root_side(), count(parity), T{0});
    }
    if (sweep_.from == From::zero) {
      go_up<Cyclic, true>(i, parity, room);
      go_back<Cyclic, true>(i, parity, room);
    } else {
      go_up<Cyclic, false>(i, parity, room);
      go_back<Cyclic, false>(i, parity, room);
    }
  }

  [[nodiscard]] std::int64_t count(int parity) const {
    return half_count(level_->axes.k.cells, parity);
  }

  static PivotsOfHalf<const T> pivots_of(LineRoom<T>& room, std::int64_t j, int parity) {
    const PivotsOfHalf<T> pivots = room.pivots(j, parity);
    return {pivots.inverse, pivots.around};
  }

  template <bool Cyclic, bool FromZero>
  void go_up(std::int64_t i, int parity, LineRoom<T>& room) const {
    const CpuLines<T>& lines = level_->lines;
    for (std::int64_t j = 0; j <= lines.root(); ++j) {
      prefetch(i, std::min(j + 2, lines.root()), parity);
      const BelowHalf<T> below{.coupling = j > 0 ? at(lines.above, j - 1) : T{0},
                               .particular = j > 0 ? room.solution(j - 1) : room.zero(),
                               .added = j == lines.root() ? room.root_side() : room.zero(),
                               .root_side = room.root_side()};
      const T* const r = level_->r.row(i, j).half(parity);
      const PivotsOfHalf<const T> pivots = pivots_of(room, j, parity);
      const T width = at(lines.widths, j);
      if constexpr (FromZero) {
        start_eliminating_half<Cyclic>(r, width, below, pivots, count(parity), room.solution(j));
      } else {
        eliminate_half<Cyclic>(level_->around(i, j, parity), r, width, below, pivots, count(parity),
                               room.solution(j));
      }
    }
  }

  template <bool Cyclic, bool FromZero>
  void go_back(std::int64_t i, int parity, LineRoom<T>& room) const {
    const CpuLines<T>& lines = level_->lines;
    for (std::int64_t j = lines.root(); j >= 0; --j) {
      const SplitRow<T> e = level_->e.row(i, j);
      const AboveHalf<T> above{.coupling = at(lines.above, j),
                               .next = j < lines.root() ? room.solution(j + 1) : room.zero(),
                               .root = room.solution(lines.root())};
      solve_half<Cyclic, FromZero>(above, pivots_of(room, j, parity), sweep_.omega, count(parity),
                                   room.solution(j), e.half(parity));
      if constexpr (FromZero) {
        std::fill_n(e.half(1 - parity), count(1 - parity), T{0});
      }
    }
  }

  void prefetch(std::int64_t i, std::int64_t j, int parity) const {
    const CpuAxis<T>& across = level_->axes.i;
    prefetch_values(level_->r.row(i, j).half(parity), count(parity));
    prefetch_row(level_->e.row(i, j), level_->axes.k.cells);
    if (sweep_.from == From::what_is_there) {
      prefetch_values(level_->e.row(across.below(i), j).half(parity), count(parity));
      prefetch_values(level_->e.row(across.above(i), j).half(parity), count(parity));
    }
  }

  const CpuLevelOf<T>* level_;
  CpuWorkspaceOf<T>* work_;
  HalfSweep<T> sweep_;
};

/// Coarse r = mean of the residual over the children: of r - L e, or of r where e is 0.
template <class T>
class Restriction {
 public:
  Restriction(const CpuLevelOf<T>& fine, const CpuLevelOf<T>& coarse, CpuWorkspaceOf<T>& work,
              From from)
      : fine_(&fine), coarse_(&coarse), work_(&work), from_(from) {}

  [[nodiscard]] StageAxis planes() const { return axis(fine_->axes.i); }
  [[nodiscard]] StageAxis rows() const { return axis(fine_->axes.j); }

  void operator()(std::int64_t coarse_i, const Range& some, const Range& /*rows*/) const {
    for (std::int64_t coarse_j = some.begin; coarse_j < some.end; ++coarse_j) {
      restrict_row(coarse_i, coarse_j);
    }
  }

 private:
  void restrict_row(std::int64_t coarse_i, std::int64_t coarse_j) const {
    const CpuAxes<T>& axes = fine_->axes;
    const SplitRow<T> result =
        coarse_->r.row(axes.i.part.first_parent + coarse_i, axes.j.part.first_parent + coarse_j);
    if (!axes.k.coarsened) {
      add_children(coarse_i, coarse_j, result);
      return;
    }
    const SplitRow<T> sums = work_->sums();
    add_children(coarse_i, coarse_j, sums);
    const std::int64_t n = coarse_->axes.k.cells;
    if (axes.k.cells % 2 != 0) {
      sums.odd[n - 1] = T{0};
    }
    merge_halves(Halves<T>{sums.even, sums.odd},
                 Halves<T>{fine_->half(0).restriction_weight.data(),
                           fine_->half(1).restriction_weight.data()},
                 n, work_->plain());
    split_row(work_->plain(), n, result);
  }

  static StageAxis axis(const CpuAxis<T>& fine) { return {fine.cells, fine.coarsened}; }

  void add_children(std::int64_t coarse_i, std::int64_t coarse_j, SplitRow<T> sums) const {
    const Range i = fine_->axes.i.children(coarse_i);
    const Range j = fine_->axes.j.children(coarse_j);
    for (const int parity : {0, 1}) {
      T* const sum = sums.half(parity);
      this->template add<Place::first>(i.begin, j.begin, parity, sum);
      if (j.size() > 1) {
        this->template add<Place::further>(i.begin, j.begin + 1, parity, sum);
      }
      if (i.size() > 1) {
        this->template add<Place::further>(i.begin + 1, j.begin, parity, sum);
      }
      if (i.size() > 1 && j.size() > 1) {
        this->template add<Place::further>(i.begin + 1, j.begin + 1, parity, sum);
      }
    }
  }

  template <Place At>
  void add(std::int64_t i, std::int64_t j, int parity, T* sum) const {
    const T weight =
        at(fine_->axes.i.restriction_weight, i) * at(fine_->axes.j.restriction_weight, j);
    const T* const r = fine_->r.row(i, j).half(parity);
    const std::int64_t n = half_count(fine_->axes.k.cells, parity);
    if (from_ == From::zero) {
      add_half<At>(r, weight, n, sum);
    } else {
      add_residual_half<At>(fine_->around(i, j, parity), r, fine_->e.row(i, j).half(parity), weight,
                            n, sum);
    }
  }

  const CpuLevelOf<T>* fine_;
  const CpuLevelOf<T>* coarse_;
  CpuWorkspaceOf<T>* work_;
  From from_;
};

/// Adds the coarse e, interpolated, to what is there or to zero.
template <class T>
class Interpolation : public CellStage {
 public:
  Interpolation(const CpuLevelOf<T>& fine, const CpuLevelOf<T>& coarse, CpuWorkspaceOf<T>& work,
                From from)
      : CellStage(fine), fine_(&fine), coarse_(&coarse), work_(&work), from_(from) {}

  void operator()(std::int64_t i, const Range& some, const Range& rows) const {
    if (!fine_->axes.k.coarsened) {
      copy(i, some, rows);
    } else if (keeps()) {
      fine_->alike_weights_along_k ? spread<true, true>(i, some, rows)
                                   : spread<false, true>(i, some, rows);
    } else {
      fine_->alike_weights_along_k ? spread<true, false>(i, some, rows)
                                   : spread<false, false>(i, some, rows);
    }
  }

 private:
  [[nodiscard]] bool keeps() const { return from_ == From::what_is_there; }

  template <bool Alike, bool Keeps>
  void spread(std::int64_t i, const Range& some, const Range& rows) const {
    const CpuAxis<T>& along = fine_->axes.k;
    const SplitPlane<T> e = fine_->e.plane(i);
    InterpolatedRow<T> row{
        coarse_->axes.k.cells,
        along.cells,
        along.periodic,
        {fine_->half(0).interpolation_weight.data(), fine_->half(1).interpolation_weight.data()},
        nullptr,
        e.odd,
        nullptr};
    const CoarsePlanes planes = planes_of(i);
    for (std::int64_t j = some.begin; j < some.end; ++j) {
      const Row after = row_after(i, j, rows, of_correction);
      row.e = e.row(j).even;
      row.later = fine_->e.row(after.i, after.j).even;
      interpolate_row<Alike, Keeps>(parents(planes, j), row, work_->plain());
    }
  }

  /// Where the axis along rows is not coarsened.
  void copy(std::int64_t i, const Range& some, const Range& rows) const {
    const CpuAxis<T>& along = fine_->axes.k;
    const CoarsePlanes planes = planes_of(i);
    for (std::int64_t j = some.begin; j < some.end; ++j) {
      const Row after = row_after(i, j, rows, of_correction);
      prefetch_row(fine_->e.row(after.i, after.j), along.cells);
      const CoarseRows<T> from = parents(planes, j);
      const SplitRow<T> e = fine_->e.row(i, j);
      for (const int parity : {0, 1}) {
        const std::int64_t n = half_count(along.cells, parity);
        blend_halves(from, parity, n, work_->sums().half(parity));
        copy_half(work_->sums().half(parity), n, keeps(), e.half(parity));
      }
      close_row(along.periodic, along.cells, e);
    }
  }

  /// Those of the parents of a plane.
  struct CoarsePlanes {
    SplitPlane<T> own;
    SplitPlane<T> other;
    T weight;
  };

  [[nodiscard]] CoarsePlanes planes_of(std::int64_t i) const {
    const CpuAxis<T>& along = fine_->axes.i;
    return {coarse_->e.plane(along.parent(i)), coarse_->e.plane(along.other_parent(i)),
            at(along.interpolation_weight, i)};
  }

  [[nodiscard]] CoarseRows<T> parents(const CoarsePlanes& planes, std::int64_t j) const {
    const CpuAxis<T>& along = fine_->axes.j;
    const std::int64_t own = along.parent(j);
    const std::int64_t other = along.other_parent(j);
    return {planes.own.row(own).even,
            planes.own.row(other).even,
            planes.other.row(own).even,
            planes.other.row(other).even,
            planes.weight,
            at(along.interpolation_weight, j),
            planes.own.odd};
  }

  const CpuLevelOf<T>* fine_;
  const CpuLevelOf<T>* coarse_;
  CpuWorkspaceOf<T>* work_;
  From from_;
};

/// The outer iterate, its right side, and the coefficients in their precision.
template <class Real>
struct CpuOuter {
  CpuAxes<Real> axes;
  CpuField<Real> p;
  CpuField<Real> f;
  bool alike_along_k = axes.k.has_alike_cells();
};

/// p += e / scale, or p = e / scale.
template <class Real, class T = float>
class Correction : public CellStage {
 public:
  /// Of p, counted as planes of T.
  static constexpr std::int64_t outer_planes = std::int64_t{sizeof(Real)} / std::int64_t{sizeof(T)};

  Correction(const CpuOuter<Real>& outer, const CpuLevelOf<T>& level, CpuWorkspaceOf<T>& work,
             Real factor, From from)
      : CellStage(level),
        outer_(&outer),
        level_(&level),
        work_(&work),
        factor_(factor),
        from_(from) {}

  void operator()(std::int64_t i, const Range& some, const Range& rows) const {
    for (std::int64_t j = some.begin; j < some.end; ++j) {
      correct(i, j, rows);
    }
  }

 private:
  void correct(std::int64_t i, std::int64_t j, const Range& rows) const {
    const CpuAxis<Real>& along = outer_->axes.k;
    Real* const p = outer_->p.row(i, j);
    // Without a correction there are still the ghosts of a p that somebody else wrote.
    if (factor_ != Real{0}) {
      correct_row(level_->e.row(i, j), from_ == From::what_is_there, factor_, along.cells,
                  rows_ahead(row_after(i, j, rows, of_outer)), p);
    }
    close_row(along.periodic, along.cells, p);
  }

  [[nodiscard]] RowsAhead<1, Real, T> rows_ahead(const Row& row) const {
    return {{outer_->p.row(row.i, row.j)}, level_->e.row(row.i, row.j)};
  }

  const CpuOuter<Real>* outer_;
  const CpuLevelOf<T>* level_;
  CpuWorkspaceOf<T>* work_;
  Real factor_;
  From from_;
};

/// r of the finest level = what p, or 0, leaves of the right side; notes the largest of a rank's
/// own cells.
template <class Real, class T = float>
class Defect : public CellStage {
 public:
  /// Three of p and one of f, counted as planes of T.
  static constexpr std::int64_t outer_planes = 4 * sizeof(Real) / sizeof(T);

  Defect(const CpuOuter<Real>& outer, const CpuLevelOf<T>& level, CpuWorkspaceOf<T>& work,
         Outer<Real> change, From from)
      : CellStage(level),
        outer_(&outer),
        level_(&level),
        work_(&work),
        change_(change),
        from_(from) {}

  void operator()(std::int64_t i, const Range& some, const Range& rows) const {
    if (from_ == From::zero) {
      take_right_side(i, some);
    } else if (outer_->alike_along_k) {
      form<true>(i, some, rows);
    } else {
      form<false>(i, some, rows);
    }
  }

 private:
  /// r of p = 0.
  void take_right_side(std::int64_t i, const Range& some) const {
    const std::int64_t n = outer_->axes.k.cells;
    for (std::int64_t j = some.begin; j < some.end; ++j) {
      const auto largest = right_side_row(outer_->f.row(i, j), change_, n, work_->plain());
      if (is_own(i, j)) {
        work_->note(largest);
      }
      split_row(work_->plain(), n, level_->r.row(i, j));
    }
  }

  template <bool Alike>
  void form(std::int64_t i, const Range& some, const Range& rows) const {
    LargestOfRows<Real> of_own;
    LargestOfRows<Real> of_others;
    for (std::int64_t j = some.begin; j < some.end; ++j) {
      defect_row<Alike>(outer_->axes.around(outer_->p, i, j), outer_->f.row(i, j),
                        outer_->p.row(i, j), change_, outer_->axes.k.cells,
                        rows_ahead(row_after(i, j, rows, of_outer)), level_->r.row(i, j),
                        is_own(i, j) ? &of_own : &of_others);
    }
    work_->note(of_own.bits());
  }

  [[nodiscard]] bool is_own(std::int64_t i, std::int64_t j) const {
    return outer_->axes.i.own().holds(i) && outer_->axes.j.own().holds(j);
  }

  /// Of p the plane that no stage has been in yet.
  [[nodiscard]] RowsAhead<2, Real, T> rows_ahead(const Row& row) const {
    return {{outer_->p.row(outer_->axes.i.above(row.i), row.j), outer_->f.row(row.i, row.j)},
            level_->r.row(row.i, row.j)};
  }

  const CpuOuter<Real>* outer_;
  const CpuLevelOf<T>* level_;
  CpuWorkspaceOf<T>* work_;
  Outer<Real> change_;
  From from_;
};

/// How many planes of the outer iterate and its right side a stage keeps in the cache, beside those
/// of e and r.
template <class Stage>
constexpr std::int64_t outer_planes_of() {
  if constexpr (requires { Stage::outer_planes; }) {
    return Stage::outer_planes;
  } else {
    return 0;
  }
}

/// Two stages of which the second needs only the same row of the first.
template <class First, class Second>
class Both {
 public:
  static constexpr std::int64_t outer_planes = outer_planes_of<First>() + outer_planes_of<Second>();

  Both(const First& first, const Second& second) : first_(first), second_(second) {}

  [[nodiscard]] StageAxis planes() const { return first_.planes(); }
  [[nodiscard]] StageAxis rows() const { return first_.rows(); }

  void operator()(std::int64_t i, const Range& some, const Range& rows) const {
    // Row by row, which stays in the first cache meanwhile.
    for (std::int64_t j = some.begin; j < some.end; ++j) {
      first_(i, {j, j + 1}, rows);
      second_(i, {j, j + 1}, rows);
    }
  }

 private:
  First first_;
  Second second_;
};

/// How the smoothers of a level become stages.
struct ByPoints {
  template <class T>
  static auto half_sweep(const CpuLevelOf<T>& level, CpuWorkspaceOf<T>& work,
                         const HalfSweep<T>& sweep) {
    return Relaxation<T>(level, work, sweep);
  }

  /// After other stages one that needs only the same row of the last of them.
  template <class... Stages, class Next>
  static auto joined(const std::tuple<Stages...>& stages, const Next& next) {
    if constexpr (sizeof...(Stages) == 0) {
      return std::tuple(next);
    } else {
      return joined(stages, next, std::make_index_sequence<sizeof...(Stages) - 1>{});
    }
  }

 private:
  template <class Stages, class Next, std::size_t... N>
  static auto joined(const Stages& stages, const Next& next,
                     std::index_sequence<N...> /*all but the last*/) {
    return std::tuple(std::get<N>(stages)..., Both(std::get<sizeof...(N)>(stages), next));
  }
};

struct ByLines {
  template <class T>
  static auto half_sweep(const CpuLevelOf<T>& level, CpuWorkspaceOf<T>& work,
                         const HalfSweep<T>& sweep) {
    return LineRelaxation<T>(level, work, sweep);
  }

  template <class... Stages, class Next>
  static auto joined(const std::tuple<Stages...>& stages, const Next& next) {
    return std::tuple_cat(stages, std::tuple(next));
  }
};

}  // namespace bankfull::poisson::multigrid
