#pragma once

#include "bankfull/workloads/hpcg/cuda/path.cuh"
#include "bankfull/workloads/hpcg/cuda/slices.cuh"
#include "bankfull/workloads/hpcg/smoother.hpp"

#include <cstdint>

namespace bankfull::hpcg::cuda {

/// What the kernels of one level work on.
template <class Columns>
struct LevelArguments {
  SlicedView<Columns> lower;
  SlicedView<Columns> upper;
  SlicedView<Columns> outer;
  const double* diagonal;
  const double* r;
  double* x;
  double* u;  ///< U x of the sweep before

  const std::int32_t* coarse_row;
  std::int64_t coarse_end;     ///< rows before it may have a coarse row
  std::int64_t corrected_end;  ///< rows before it have columns that the coarse correction changes
  double* coarse_r;
  const double* coarse_x;
};

/// Whether rows may have columns of other ranks.
enum class Outer { none, some };

// Steps of a sweep, each for one row. The constructor reads what nobody writes during the sweep;
// `run` may use the x of the row's columns. It returns the row's term for sweeps that add up.

template <int Ahead, class Columns>
class ForwardFromZero {
 public:
  __device__ __forceinline__ ForwardFromZero(const LevelArguments<Columns>& a, std::int64_t row)
      : a_(a), row_(row), lower_(a.lower, row), diagonal_(load_once(a.diagonal + row)),
        r_(a.r[row]) {}

  __device__ __forceinline__ double run() const {
    a_.x[row_] = forward_from_zero(r_, lower_.times(a_.x), diagonal_);
    return 0.0;
  }

 private:
  const LevelArguments<Columns>& a_;
  std::int64_t row_;
  RowAhead<Ahead, Columns> lower_;
  double diagonal_;
  double r_;
};

template <int Ahead, class Columns>
class BackwardAfterZero {
 public:
  __device__ __forceinline__ BackwardAfterZero(const LevelArguments<Columns>& a, std::int64_t row)
      : a_(a), row_(row), upper_(a.upper, row), diagonal_(load_once(a.diagonal + row)),
        x_(a.x[row]) {}

  __device__ __forceinline__ double run() const {
    const double upper = upper_.times(a_.x);
    __stcs(a_.u + row_, upper);
    a_.x[row_] = backward_after_zero(x_, upper, diagonal_);
    return 0.0;
  }

 private:
  const LevelArguments<Columns>& a_;
  std::int64_t row_;
  RowAhead<Ahead, Columns> upper_;
  double diagonal_;
  double x_;
};

/// U P e of a row: its first columns, which ascend, lie before `coarse_end`.
template <class Columns>
__device__ __forceinline__ double coarse_change(const LevelArguments<Columns>& a,
                                                std::int64_t row) {
  const std::int64_t slice = row / slice_height;
  const std::int64_t last = a.upper.slot[slice + 1];
  double sum = 0.0;
  for (std::int64_t slot = a.upper.slot[slice]; slot < last; ++slot) {
    const std::int64_t entry = slot * slice_height + row % slice_height;
    const std::int32_t column = column_at(a.upper.columns, slot, entry);
    const bool inside = column < a.coarse_end;
    const std::int32_t coarse = inside ? a.coarse_row[column] : -1;
    if (coarse >= 0) {
      sum = fma(load_once(a.upper.value + entry), a.coarse_x[coarse], sum);
    }
    if (__all_sync(__activemask(), !inside)) {
      break;
    }
  }
  return sum;
}

/// The columns of other ranks have arrived.
template <Outer Others, int Ahead, class Columns>
class ForwardAgain {
 public:
  __device__ __forceinline__ ForwardAgain(const LevelArguments<Columns>& a, std::int64_t row)
      : a_(a), row_(row), lower_(a.lower, row), diagonal_(load_once(a.diagonal + row)),
        r_(a.r[row]), upper_(a.u[row]), outer_(Others == Outer::some ? times(a.outer, row, a.x) : 0.0) {
    if (row < a.corrected_end) {
      upper_ += coarse_change(a, row);
      a.u[row] = upper_;
    }
  }

  __device__ __forceinline__ double run() const {
    a_.x[row_] = forward_again(r_, lower_.times(a_.x), upper_, outer_, diagonal_);
    return 0.0;
  }

 private:
  const LevelArguments<Columns>& a_;
  std::int64_t row_;
  RowAhead<Ahead, Columns> lower_;
  double diagonal_;
  double r_;
  double upper_;
  double outer_;
};

template <int Ahead, class Columns>
class InnerForwardAgain : public ForwardAgain<Outer::none, Ahead, Columns> {
  using ForwardAgain<Outer::none, Ahead, Columns>::ForwardAgain;
};

template <int Ahead, class Columns>
class OuterForwardAgain : public ForwardAgain<Outer::some, Ahead, Columns> {
  using ForwardAgain<Outer::some, Ahead, Columns>::ForwardAgain;
};

template <int Ahead, class Columns>
class BackwardAgain {
 public:
  __device__ __forceinline__ BackwardAgain(const LevelArguments<Columns>& a, std::int64_t row)
      : a_(a), row_(row), upper_(a.upper, row), diagonal_(load_once(a.diagonal + row)),
        x_(a.x[row]), before_(load_once(a.u + row)) {}

  __device__ __forceinline__ double run() const {
    const double now = backward_again(x_, before_, upper_.times(a_.x), diagonal_);
    a_.x[row_] = now;
    return now;
  }

 protected:
  const LevelArguments<Columns>& a_;
  std::int64_t row_;

 private:
  RowAhead<Ahead, Columns> upper_;
  double diagonal_;
  double x_;
  double before_;
};

/// The same with the row's term of r.x.
template <int Ahead, class Columns>
class BackwardAgainWithProduct : public BackwardAgain<Ahead, Columns> {
 public:
  __device__ __forceinline__ BackwardAgainWithProduct(const LevelArguments<Columns>& a,
                                                      std::int64_t row)
      : BackwardAgain<Ahead, Columns>(a, row), r_(a.r[row]) {}

  __device__ __forceinline__ double run() const {
    return BackwardAgain<Ahead, Columns>::run() * r_;
  }

 private:
  double r_;
};

// Between the sweeps: bodies for rows in any order.

template <Outer Others>
struct RestrictResidual {
  template <class Columns>
  __device__ __forceinline__ double operator()(const LevelArguments<Columns>& a,
                                               std::int64_t row) const {
    const std::int32_t coarse = a.coarse_row[row];
    if (coarse >= 0) {
      const double outer = Others == Outer::some ? times(a.outer, row, a.x) : 0.0;
      a.coarse_r[coarse] = residual(a.r[row], times(a.lower, row, a.x), a.diagonal[row], a.x[row],
                                    a.u[row], outer);
    }
    return 0.0;
  }
};

/// x += P e.
struct Prolong {
  template <class Columns>
  __device__ __forceinline__ double operator()(const LevelArguments<Columns>& a,
                                               std::int64_t row) const {
    const std::int32_t coarse = a.coarse_row[row];
    if (coarse >= 0) {
      a.x[row] += a.coarse_x[coarse];
    }
    return 0.0;
  }
};

/// body(row) for all rows of a range that begins with a slice.
template <class Body, class Columns>
__global__ void __launch_bounds__(threads_a_block)
    rows_kernel(Range rows, const __grid_constant__ LevelArguments<Columns> a) {
  const std::int64_t row = rows.begin + std::int64_t{blockIdx.x} * threads_a_block + threadIdx.x;
  if (row < rows.end) {
    Body{}(a, row);
  }
}

}  // namespace bankfull::hpcg::cuda
