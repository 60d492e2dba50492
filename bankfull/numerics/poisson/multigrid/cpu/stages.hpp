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

  void operator()(std::int64_t i, std::int64_t j, const Range& rows) const {
    prefetch(row_after(i, j, rows, of_correction));
    const CpuAxis<T>& along = level_->axes.k;
    const int parity = parity_of(i, j);
    const Surroundings<T> around = level_->around(i, j, parity);
    const T* const inverse = work_->inverses(*level_, around, parity);
    const SplitRow<T> e = level_->e.row(i, j);
    const T* const r = level_->r.row(i, j).half(parity);
    const std::int64_t n = half_count(along.cells, parity);
    if (sweep_.from == From::zero) {
      start_half(sweep_.omega, inverse, r, n, e.half(parity));
      std::fill_n(e.half(1 - parity), half_count(along.cells, 1 - parity), T{0});
    } else {
      relax_half(around, sweep_.omega, inverse, r, n, e.half(parity));
    }
    close_row(along.periodic, along.cells, e);
  }

 private:
  /// Whether the row's even cells are wanted, or its odd ones.
  [[nodiscard]] int parity_of(std::int64_t i, std::int64_t j) const {
    return is_red(i, j, 0) == (sweep_.colour == Colour::red) ? 0 : 1;
  }

  void prefetch(const Row& row) const {
    const std::int64_t n = half_count(level_->axes.k.cells, 0);
    prefetch_values(level_->r.row(row.i, row.j).half(parity_of(row.i, row.j)), n);
    // Otherwise another stage has been there.
    if (sweep_.from == From::zero) {
      prefetch_row(level_->e.row(row.i, row.j), level_->axes.k.cells);
    }
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

  void operator()(std::int64_t i, std::int64_t /*all_rows*/, const Range& /*rows*/) const {
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

  void operator()(std::int64_t coarse_i, std::int64_t coarse_j, const Range& /*rows*/) const {
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

 private:
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

  void operator()(std::int64_t i, std::int64_t j, const Range& rows) const {
    const Row after = row_after(i, j, rows, of_correction);
    const SplitRow<T> later = fine_->e.row(after.i, after.j);
    const CpuAxis<T>& along = fine_->axes.k;
    const SplitRow<T> e = fine_->e.row(i, j);
    blend(i, j, later);
    if (along.coarsened) {
      spread(e);
    } else {
      for (const int parity : {0, 1}) {
        copy_half(work_->sums().half(parity), half_count(along.cells, parity), keeps(),
                  e.half(parity));
      }
    }
    close_row(along.periodic, along.cells, e);
  }

 private:
  [[nodiscard]] bool keeps() const { return from_ == From::what_is_there; }

  /// The coarse rows around row (i, j) interpolated along i and j, in the workspace's half rows;
  /// the caches are asked for a later row meanwhile.
  void blend(std::int64_t i, std::int64_t j, SplitRow<T> later) const {
    for (const int parity : {0, 1}) {
      prefetch_values(later.half(parity), half_count(fine_->axes.k.cells, parity));
      blend_halves(parents(i, j, parity), half_count(coarse_->axes.k.cells, parity),
                   work_->sums().half(parity));
    }
  }

  [[nodiscard]] CoarseRows<T> parents(std::int64_t i, std::int64_t j, int parity) const {
    const CpuAxis<T>& along_i = fine_->axes.i;
    const CpuAxis<T>& along_j = fine_->axes.j;
    const std::int64_t own_i = along_i.parent(i);
    const std::int64_t own_j = along_j.parent(j);
    const std::int64_t other_i = along_i.other_parent(i);
    const std::int64_t other_j = along_j.other_parent(j);
    const SplitField<T>& e = coarse_->e;
    return {e.row(own_i, own_j).half(parity),    e.row(own_i, other_j).half(parity),
            e.row(other_i, own_j).half(parity),  e.row(other_i, other_j).half(parity),
            at(along_i.interpolation_weight, i), at(along_j.interpolation_weight, j)};
  }

  /// The blend interpolated along k.
  void spread(SplitRow<T> e) const {
    const CpuAxis<T>& along = fine_->axes.k;
    const std::int64_t coarse_n = coarse_->axes.k.cells;
    T* const plain = work_->plain();
    join_row(work_->sums().even, work_->sums().odd, coarse_n, plain);
    plain[-1] = along.periodic ? plain[coarse_n - 1] : plain[0];
    plain[coarse_n] = along.periodic ? plain[0] : plain[coarse_n - 1];
    spread_half(plain, plain - 1, fine_->half(0).interpolation_weight.data(),
                half_count(along.cells, 0), keeps(), e.even);
    spread_half(plain, plain + 1, fine_->half(1).interpolation_weight.data(),
                half_count(along.cells, 1), keeps(), e.odd);
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

  void operator()(std::int64_t i, std::int64_t j, const Range& rows) const {
    const CpuAxis<Real>& along = outer_->axes.k;
    Real* const p = outer_->p.row(i, j);
    // Without a correction there are still the ghosts of a p that somebody else wrote.
    if (factor_ != Real{0}) {
      const SplitRow<T> e = level_->e.row(i, j);
      join_row(e.even, e.odd, along.cells, work_->plain());
      correct_row(work_->plain(), from_ == From::what_is_there, factor_, along.cells,
                  rows_ahead(row_after(i, j, rows, of_outer)), p);
    }
    close_row(along.periodic, along.cells, p);
  }

 private:
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

  void operator()(std::int64_t i, std::int64_t j, const Range& rows) const {
    const Real* const f = outer_->f.row(i, j);
    T* const r = work_->plain();
    const std::int64_t n = outer_->axes.k.cells;
    const auto largest =
        from_ == From::zero
            ? right_side_row(f, change_, n, r)
            : defect_row(outer_->axes.around(outer_->p, i, j), f, outer_->p.row(i, j), change_, n,
                         rows_ahead(row_after(i, j, rows, of_outer)), r);
    if (outer_->axes.i.own().holds(i) && outer_->axes.j.own().holds(j)) {
      work_->note(largest);
    }
    split_row(r, n, level_->r.row(i, j));
  }

 private:
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

  void operator()(std::int64_t i, std::int64_t j, const Range& rows) const {
    first_(i, j, rows);
    second_(i, j, rows);
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
