#pragma once

#include "bankfull/numerics/poisson/multigrid/cuda/grid.cuh"

namespace bankfull::poisson::multigrid::cuda {

/// The volume-weighted mean of the children, plane after plane, for a thread's four cells, of which
/// the first has even places.
class Restriction {
 public:
  /// `owner`: whether what this thread forms is wanted.
  __device__ __forceinline__ Restriction(const LevelView& level, float* coarse, int j, int k,
                                         bool owner)
      : level_(level),
        coarse_(coarse),
        coarse_row_(level.j.parent(j)),
        coarse_column_(level.k.parent(k)) {
    const auto restriction_weight = [](const AxisView& axis, int cell) {
      return cell >= 0 && cell < axis.cells ? __ldg(axis.restriction_weight + cell) : 0.0F;
    };
    const float row[2] = {restriction_weight(level.j, j), restriction_weight(level.j, j + 1)};
    const float column[2] = {restriction_weight(level.k, k), restriction_weight(level.k, k + 1)};
#pragma unroll
    for (int n = 0; n < 4; ++n) {
      weight_.at[n / 2][n % 2] = row[n / 2] * column[n % 2];
    }
    const int rows = level.j.coarsened ? 1 : 2;
    const int columns = level.k.coarsened ? 1 : 2;
#pragma unroll
    for (int n = 0; n < 4; ++n) {
      wanted_[n / 2][n % 2] = owner && n / 2 < rows && n % 2 < columns &&
                              j + n / 2 < level.j.cells && k + n % 2 < level.k.cells;
    }
  }

  /// Takes r of a plane; planes come in order, the first of them even.
  __device__ __forceinline__ void add(const Quad<float>& r, int plane) {
    const float restriction_weight = __ldg(level_.i.restriction_weight + plane);
    const bool begins = !level_.i.coarsened || plane % 2 == 0;
    const bool ends = !level_.i.coarsened || plane % 2 == 1 || plane + 1 == level_.i.cells;
#pragma unroll
    for (int n = 0; n < 4; ++n) {
      const float before = begins ? 0.0F : sum_.at[n / 2][n % 2];
      sum_.at[n / 2][n % 2] =
          fmaf(restriction_weight * weight_.at[n / 2][n % 2], r.at[n / 2][n % 2], before);
    }
    if (ends) {
      store(level_.i.parent(plane));
    }
  }

 private:
  __device__ __forceinline__ void store(int plane) const {
    Quad<float> sum = sum_;
    if (level_.k.coarsened) {
      sum.at[0][0] += sum.at[0][1];
      sum.at[1][0] += sum.at[1][1];
    }
    if (level_.j.coarsened) {
      sum.at[0][0] += sum.at[1][0];
      sum.at[0][1] += sum.at[1][1];
    }
    float* const at = coarse_ + plane * level_.coarse_at.plane +
                      coarse_row_ * level_.coarse_at.row + coarse_column_;
#pragma unroll
    for (int n = 0; n < 4; ++n) {
      if (wanted_[n / 2][n % 2]) {
        at[n / 2 * level_.coarse_at.row + n % 2] = sum.at[n / 2][n % 2];
      }
    }
  }

  const LevelView& level_;
  float* coarse_;
  int coarse_row_;
  int coarse_column_;
  Quad<float> weight_;
  bool wanted_[2][2];
  Quad<float> sum_ = {};
};

/// Between which coarse cells two neighbouring cells x, y of an axis lie: x between places 0 and 1,
/// y between places 1 and 2, with these weights of the later ones.
struct Between {
  int place[3];
  float x;
  float y;

  __device__ __forceinline__ Between(const AxisView& axis, int cell_x, int cell_y) {
    const int parent_x = axis.parent(cell_x);
    const int parent_y = axis.parent(cell_y);
    const float weight_x = __ldg(axis.interpolation_weight + cell_x);
    const float weight_y = __ldg(axis.interpolation_weight + cell_y);
    const bool siblings = parent_x == parent_y;
    place[0] = siblings ? axis.other_parent(cell_x) : parent_x;
    place[1] = parent_y;
    place[2] = axis.other_parent(cell_y);
    x = siblings ? weight_x : 1.0F - weight_x;
    y = 1.0F - weight_y;
  }
};

/// Linear interpolation from the coarse cells, plane after plane, for a thread's four cells.
class Interpolation {
 public:
  template <bool Seams>
  __device__ __forceinline__ Interpolation(const LevelView& level, const float* coarse,
                                           const Cells<Seams>& cells)
      : axis_(level.i),
        coarse_(coarse),
        plane_pitch_(level.coarse_at.plane),
        rows_(level.j, cells.row(0), cells.row(1)),
        columns_(level.k, cells.column(0), cells.column(1)) {
#pragma unroll
    for (int n = 0; n < 3; ++n) {
      row_offset_[n] = static_cast<unsigned>(rows_.place[n] * level.coarse_at.row);
    }
  }

  /// The first plane's cell along i.
  __device__ __forceinline__ void begin(int cell) {
    between_ = between(cell);
    ask(between_.first);
    here_ = taken();
    ask(between_.second);
    shifts_ = true;
  }

  /// The values in the cell's plane, which is the first or the one `prepare` was called for.
  [[nodiscard]] __device__ __forceinline__ Quad<float> take() {
    if (shifts_) {
      before_ = here_;
      here_ = taken();
    }
    // Not before: it has come from memory.
    const float second_weight =
        between_.parent_is_second ? between_.parent_weight : 1.0F - between_.parent_weight;
    Quad<float> result;
#pragma unroll
    for (int n = 0; n < 4; ++n) {
      result.at[n / 2][n % 2] =
          fmaf(second_weight, here_.at[n / 2][n % 2] - before_.at[n / 2][n % 2],
               before_.at[n / 2][n % 2]);
    }
    return result;
  }

  /// Asks for what the next plane needs.
  __device__ __forceinline__ void prepare(int cell) {
    const Planes next = between(cell);
    shifts_ = next.first != between_.first || next.second != between_.second;
    between_ = next;
    if (shifts_) {
      ask(next.second);
    }
  }

 private:
  /// The coarse planes around a plane. From plane to plane they stay or the second becomes the
  /// first.
  struct Planes {
    int first;
    int second;
    bool parent_is_second;
    float parent_weight;
  };

  [[nodiscard]] __device__ __forceinline__ Planes between(int cell) const {
    const float interpolation_weight = __ldg(axis_.interpolation_weight + cell);
    const int parent = axis_.parent(cell);
    if (!axis_.coarsened) {
      return {axis_.cell_at(cell - 1), parent, true, 1.0F};
    }
    const int other = axis_.other_parent(cell);
    return cell % 2 == 0 ? Planes{other, parent, true, interpolation_weight}
                         : Planes{parent, other, false, interpolation_weight};
  }

  __device__ __forceinline__ void ask(int plane) {
    const float* const at = coarse_ + plane * plane_pitch_;
#pragma unroll
    for (int n = 0; n < 9; ++n) {
      asked_[n / 3][n % 3] =
          __ldg(at + (row_offset_[n / 3] + static_cast<unsigned>(columns_.place[n % 3])));
    }
  }

  [[nodiscard]] __device__ __forceinline__ Quad<float> taken() const {
    Quad<float> result;
    float row[2][3];
#pragma unroll
    for (int n = 0; n < 3; ++n) {
      row[0][n] = fmaf(rows_.x, asked_[1][n] - asked_[0][n], asked_[0][n]);
      row[1][n] = fmaf(rows_.y, asked_[2][n] - asked_[1][n], asked_[1][n]);
    }
#pragma unroll
    for (int n = 0; n < 2; ++n) {
      result.at[n][0] = fmaf(columns_.x, row[n][1] - row[n][0], row[n][0]);
      result.at[n][1] = fmaf(columns_.y, row[n][2] - row[n][1], row[n][1]);
    }
    return result;
  }

  const AxisView& axis_;
  const float* coarse_;
  std::int64_t plane_pitch_;
  Between rows_;
  Between columns_;
  unsigned row_offset_[3];
  Planes between_ = {};
  bool shifts_ = false;
  float asked_[3][3] = {};
  Quad<float> before_ = {};
  Quad<float> here_ = {};
};

}  // namespace bankfull::poisson::multigrid::cuda
