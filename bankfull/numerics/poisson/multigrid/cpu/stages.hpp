#pragma once

#include "bankfull/numerics/poisson/multigrid/cpu/level.hpp"
#include "bankfull/numerics/poisson/multigrid/cpu/rows.hpp"
#include "bankfull/numerics/poisson/multigrid/cpu/wave.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace bankfull::poisson::multigrid {

// The stages of waves, see wave.hpp: each does one step of multigrid on a row.

/// What stages that go cell by cell have in common.
class CellStage {
 public:
  explicit CellStage(const CpuLevel& level)
      : planes_{level.axes.i.cells, false}, rows_{level.axes.j.cells, false} {}

  [[nodiscard]] StageAxis planes() const { return planes_; }
  [[nodiscard]] StageAxis rows() const { return rows_; }

 private:
  StageAxis planes_;
  StageAxis rows_;
};

enum class Colour { red, black };
enum class From { what_is_there, zero };

/// Gauss-Seidel on the cells of one colour.
class Relaxation : public CellStage {
 public:
  Relaxation(const CpuLevel& level, CpuWorkspace& work, Colour colour, From from)
      : CellStage(level), level_(&level), work_(&work), colour_(colour), from_(from) {}

  void operator()(std::int64_t i, std::int64_t j) const {
    const CpuAxis<float>& along = level_->axes.k;
    const Surroundings<float> around = level_->axes.around(level_->e, i, j);
    // Whether the row's even cells are wanted, or its odd ones.
    const std::int64_t parity = is_red(i, j, 0) == (colour_ == Colour::red) ? 0 : 1;
    const ColourFactors factors = work_->factors(*level_, around, static_cast<std::size_t>(parity));
    float* const e = level_->e.row(i, j);
    if (from_ == From::zero) {
      start_row(factors, level_->r.row(i, j), along.cells, e);
    } else {
      float* const result = work_->sum(along.cells);
      relax_row(around, factors, level_->r.row(i, j), e, along.cells, result);
      std::copy(result, result + along.cells, e);
    }
    close_row(along.periodic, along.cells, e);
  }

 private:
  const CpuLevel* level_;
  CpuWorkspace* work_;
  Colour colour_;
  From from_;
};

/// Coarse r = mean of the residual over the children: of r - L e, or of r where e is 0.
class Restriction {
 public:
  Restriction(const CpuLevel& fine, const CpuLevel& coarse, CpuWorkspace& work, From from)
      : fine_(&fine), coarse_(&coarse), work_(&work), from_(from) {}

  [[nodiscard]] StageAxis planes() const { return axis(fine_->axes.i); }
  [[nodiscard]] StageAxis rows() const { return axis(fine_->axes.j); }

  void operator()(std::int64_t coarse_i, std::int64_t coarse_j) const {
    const CpuAxes<float>& axes = fine_->axes;
    float* const result = coarse_->r.row(coarse_i, coarse_j);
    float* const sum = axes.k.coarsened ? work_->sum(axes.k.cells) : result;
    const Range i = axes.i.children(coarse_i);
    const Range j = axes.j.children(coarse_j);
    for (std::int64_t child_i = i.begin; child_i < i.end; ++child_i) {
      for (std::int64_t child_j = j.begin; child_j < j.end; ++child_j) {
        if (child_i == i.begin && child_j == j.begin) {
          add<Place::first>(child_i, child_j, sum);
        } else {
          add<Place::further>(child_i, child_j, sum);
        }
      }
    }
    if (axes.k.coarsened) {
      merge_pairs(sum, axes.k.portion.data(), coarse_->axes.k.cells, result);
    }
  }

 private:
  static StageAxis axis(const CpuAxis<float>& fine) { return {fine.cells, fine.coarsened}; }

  template <Place place>
  void add(std::int64_t i, std::int64_t j, float* sum) const {
    const CpuAxes<float>& axes = fine_->axes;
    const float weight =
        axes.i.portion[static_cast<std::size_t>(i)] * axes.j.portion[static_cast<std::size_t>(j)];
    if (from_ == From::zero) {
      add_row<place>(fine_->r.row(i, j), weight, axes.k.cells, sum);
    } else {
      add_residual_row<place>(axes.around(fine_->e, i, j), fine_->r.row(i, j), fine_->e.row(i, j),
                              weight, axes.k.cells, sum);
    }
  }

  const CpuLevel* fine_;
  const CpuLevel* coarse_;
  CpuWorkspace* work_;
  From from_;
};

/// Adds the coarse e, interpolated, to what is there or to zero.
class Interpolation : public CellStage {
 public:
  Interpolation(const CpuLevel& fine, const CpuLevel& coarse, CpuWorkspace& work, From from)
      : CellStage(fine), fine_(&fine), coarse_(&coarse), work_(&work), from_(from) {}

  void operator()(std::int64_t i, std::int64_t j) const {
    const CpuAxis<float>& along = fine_->axes.k;
    const std::int64_t coarse_n = coarse_->axes.k.cells;
    float* const blend = work_->blend();
    blend_rows(parents(i, j), coarse_n, blend);
    float* const e = fine_->e.row(i, j);
    const bool keeps = from_ == From::what_is_there;
    if (along.coarsened) {
      blend[-1] = along.periodic ? blend[coarse_n - 1] : blend[0];
      blend[coarse_n] = along.periodic ? blend[0] : blend[coarse_n - 1];
      spread_pairs(blend, along.nearness.data(), coarse_n, keeps, e);
    } else {
      spread_row(blend, coarse_n, keeps, e);
    }
    close_row(along.periodic, along.cells, e);
  }

 private:
  [[nodiscard]] CoarseRows parents(std::int64_t i, std::int64_t j) const {
    const CpuAxis<float>& along_i = fine_->axes.i;
    const CpuAxis<float>& along_j = fine_->axes.j;
    const std::int64_t own_i = parent_of(i, along_i.coarsened);
    const std::int64_t own_j = parent_of(j, along_j.coarsened);
    const std::int64_t other_i =
        other_parent_of(i, along_i.coarsened, coarse_->axes.i.cells, along_i.periodic);
    const std::int64_t other_j =
        other_parent_of(j, along_j.coarsened, coarse_->axes.j.cells, along_j.periodic);
    const CpuField<float>& e = coarse_->e;
    return {e.row(own_i, own_j),
            e.row(own_i, other_j),
            e.row(other_i, own_j),
            e.row(other_i, other_j),
            along_i.nearness[static_cast<std::size_t>(i)],
            along_j.nearness[static_cast<std::size_t>(j)]};
  }

  const CpuLevel* fine_;
  const CpuLevel* coarse_;
  CpuWorkspace* work_;
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
template <class Real>
class Correction : public CellStage {
 public:
  Correction(const CpuOuter<Real>& outer, const CpuLevel& level, Real factor, From from)
      : CellStage(level), outer_(&outer), level_(&level), factor_(factor), from_(from) {}

  void operator()(std::int64_t i, std::int64_t j) const {
    const CpuAxis<Real>& along = outer_->axes.k;
    Real* const p = outer_->p.row(i, j);
    // Without a correction there are still the ghosts of a p that somebody else wrote.
    if (factor_ != Real{0}) {
      correct_row(level_->e.row(i, j), from_ == From::what_is_there, factor_, along.cells, p);
    }
    close_row(along.periodic, along.cells, p);
  }

 private:
  const CpuOuter<Real>* outer_;
  const CpuLevel* level_;
  Real factor_;
  From from_;
};

/// r of the finest level = what p, or 0, leaves of the right side; notes the largest.
template <class Real>
class Defect : public CellStage {
 public:
  Defect(const CpuOuter<Real>& outer, const CpuLevel& level, CpuWorkspace& work, Outer<Real> change,
         From from)
      : CellStage(level),
        outer_(&outer),
        level_(&level),
        work_(&work),
        change_(change),
        from_(from) {}

  void operator()(std::int64_t i, std::int64_t j) const {
    const Real* const f = outer_->f.row(i, j);
    float* const r = level_->r.row(i, j);
    const std::int64_t n = outer_->axes.k.cells;
    work_->note(from_ == From::zero ? right_side_row(f, change_, n, r)
                                    : defect_row(outer_->axes.around(outer_->p, i, j), f,
                                                 outer_->p.row(i, j), change_, n, r));
  }

 private:
  const CpuOuter<Real>* outer_;
  const CpuLevel* level_;
  CpuWorkspace* work_;
  Outer<Real> change_;
  From from_;
};

/// Two stages of which the second wants of the first no more than the same row.
template <class First, class Second>
class Both : public CellStage {
 public:
  Both(const First& first, const Second& second)
      : CellStage(first), first_(first), second_(second) {}

  void operator()(std::int64_t i, std::int64_t j) const {
    first_(i, j);
    second_(i, j);
  }

 private:
  First first_;
  Second second_;
};

}  // namespace bankfull::poisson::multigrid
