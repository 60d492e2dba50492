#pragma once

#include "bankfull/workloads/hpcg/cuda/backend.cuh"
#include "bankfull/workloads/hpcg/cuda/part_clock.cuh"
#include "bankfull/workloads/hpcg/cuda/slices.cuh"
#include "bankfull/workloads/hpcg/smoother.hpp"

#include <cstdint>

namespace bankfull::hpcg::cuda {

/// An update of the finest level's r that the first sweep does, which reads r anyway.
struct ResidualUpdate {
  double* r = nullptr;
  const double* ap = nullptr;
  Scalars* scalars = nullptr;
  PartClock* clock = nullptr;

  /// r - alpha A p of a row, before it is stored.
  [[nodiscard]] __device__ __forceinline__ double of(std::int64_t row, double r_before,
                                                     double along) const {
    const double alpha = scalars->alpha();
    if (row == 0) {
      scalars->put_off = alpha;
      clock->end_or_start(PartClock::spmv);
    }
    return fma(-alpha, along, r_before);
  }
};

/// Arguments of the kernels of one level.
template <class Columns>
struct LevelArguments {
  SlicedView<Columns> lower;
  SlicedView<Columns> upper;
  SlicedView<Columns> coarse;  ///< the coarse slots of `upper` once more, on pipelined levels
  SlicedView<FullColumns> outer;
  const double* diagonal;
  const double* r;
  double* x;
  double* y;   ///< x of synchronisation-free forward sweeps
  double* u;   ///< what a sweep keeps of U x; see smoother.hpp
  double* du;  ///< where the last sweep leaves (D + U) x; null if nobody needs it
  const SlotRange* coarse_slots;

  std::int64_t coarse_begin;       ///< the first row that may have a coarse row
  const std::int32_t* coarse_row;  ///< of the rows from there on
  double* coarse_r;
  const double* coarse_x;
  ResidualUpdate update;
};

/// Whether rows may have columns of other ranks.
enum class Outer { none, some };

// Elements of x and y are marked as missing until their sweep has computed them: forward sweeps
// compute y and reset x, backward sweeps compute x and reset y.
//
// Steps of a sweep, each for one row. The constructor reads data that are not written before this
// row is done; `run` may use the x of the row's columns. It returns the row's term for sweeps that
// add up.

template <class Columns>
class ForwardFromZero {
 public:
  __device__ __forceinline__ ForwardFromZero(const LevelArguments<Columns>& a, std::int64_t row)
      : ForwardFromZero(a, row, a.r[row]) {}

  __device__ __forceinline__ ForwardFromZero(const LevelArguments<Columns>& a, std::int64_t row,
                                             double r)
      : a_(a),
        row_(row),
        lower_(row_ahead(a.lower, row)),
        diagonal_(load_once(a.diagonal + row)),
        r_(r) {}

  __device__ __forceinline__ double run() {
    a_.x[row_] = awaited_value();
    const double lower = lower_.times(AwaitedVector{a_.y});
    store_relaxed(a_.y + row_, forward_from_zero(r_, lower, diagonal_));
    return 0.0;
  }

 private:
  const LevelArguments<Columns>& a_;
  std::int64_t row_;
  SlotsAhead<Columns> lower_;
  double diagonal_;
  double r_;
};

/// The same after the update of r, with the row's term of r.r.
template <class Columns>
class UpdateAndForwardFromZero {
 public:
  __device__ __forceinline__ UpdateAndForwardFromZero(const LevelArguments<Columns>& a,
                                                      std::int64_t row)
      : at_(a.update.r + row),
        r_(a.update.of(row, *at_, __ldcs(a.update.ap + row))),
        sweep_(a, row, r_) {}

  __device__ __forceinline__ double run() {
    *at_ = r_;
    sweep_.run();
    return r_ * r_;
  }

 private:
  double* at_;
  double r_;
  ForwardFromZero<Columns> sweep_;
};

template <class Columns>
class BackwardAfterZero {
 public:
  __device__ __forceinline__ BackwardAfterZero(const LevelArguments<Columns>& a, std::int64_t row)
      : a_(a),
        row_(row),
        coarse_(a.coarse_slots[row / slice_height].size()),
        upper_(row_ahead(a.upper, row)),
        diagonal_(load_once(a.diagonal + row)),
        x_(a.y[row]) {}

  __device__ __forceinline__ double run() {
    const SplitSum upper = upper_.add_to(0.0, AwaitedVector{a_.x}, coarse_);
    __stcs(a_.u + row_, upper.first);
    a_.y[row_] = awaited_value();
    store_relaxed(a_.x + row_, backward_after_zero(x_, upper.all, diagonal_));
    return 0.0;
  }

 private:
  const LevelArguments<Columns>& a_;
  std::int64_t row_;
  int coarse_;  ///< slots, the last ones of `upper`
  SlotsAhead<Columns> upper_;
  double diagonal_;
  double x_;
};

/// The columns of other ranks have arrived.
template <Outer Others, class Columns>
class ForwardAgain {
 public:
  /// Reads x of coarse rows too: as the matrix has entries on both sides of its diagonal, they wait
  /// for this row, and cease to be there after it.
  __device__ __forceinline__ ForwardAgain(const LevelArguments<Columns>& a, std::int64_t row)
      : a_(a),
        row_(row),
        lower_(row_ahead(a.lower, row)),
        diagonal_(load_once(a.diagonal + row)),
        r_(a.r[row]),
        upper_(a.u[row]),
        outer_(Others == Outer::some ? times(a.outer, row, a.x) : 0.0) {
    const SlotRange coarse = a.coarse_slots[row / slice_height];
    if (coarse.begin < coarse.end) {
      const SlotsAhead<Columns> slots(a.upper, coarse.begin, coarse.end,
                                      static_cast<int>(row % slice_height));
      upper_ = slots.add_to(upper_, a.x, 0).all;
      a.u[row] = upper_;
    }
    // Padding names the columns of other rows of the slice: those wait for these rows only.
    __syncwarp();
  }

  __device__ __forceinline__ double run() {
    const double lower = lower_.times(AwaitedVector{a_.y});
    a_.x[row_] = awaited_value();
    store_relaxed(a_.y + row_, forward_again(r_, lower, upper_, outer_, diagonal_));
    return 0.0;
  }

 private:
  const LevelArguments<Columns>& a_;
  std::int64_t row_;
  SlotsAhead<Columns> lower_;
  double diagonal_;
  double r_;
  double upper_;
  double outer_;
};

template <class Columns>
class InnerForwardAgain : public ForwardAgain<Outer::none, Columns> {
  using ForwardAgain<Outer::none, Columns>::ForwardAgain;
};

template <class Columns>
class OuterForwardAgain : public ForwardAgain<Outer::some, Columns> {
  using ForwardAgain<Outer::some, Columns>::ForwardAgain;
};

template <class Columns>
class BackwardAgain {
 public:
  __device__ __forceinline__ BackwardAgain(const LevelArguments<Columns>& a, std::int64_t row)
      : a_(a),
        row_(row),
        diagonal_(load_once(a.diagonal + row)),
        upper_(row_ahead(a.upper, row)),
        x_(a.y[row]),
        before_(load_once(a.u + row)) {}

  __device__ __forceinline__ double run() {
    const double upper = upper_.times(AwaitedVector{a_.x});
    const double now = backward_again(x_, before_, upper, diagonal_);
    a_.y[row_] = awaited_value();
    store_relaxed(a_.x + row_, now);
    upper_product_ = upper;
    return now;
  }

 protected:
  const LevelArguments<Columns>& a_;
  std::int64_t row_;
  double upper_product_ = 0.0;
  double diagonal_;

 private:
  SlotsAhead<Columns> upper_;
  double x_;
  double before_;
};

/// The same with the row's term of r.x, and (D + U) x where that is kept.
template <class Columns>
class BackwardAgainWithProduct : public BackwardAgain<Columns> {
 public:
  __device__ __forceinline__ BackwardAgainWithProduct(const LevelArguments<Columns>& a,
                                                      std::int64_t row)
      : BackwardAgain<Columns>(a, row), r_(a.r[row]) {}

  __device__ __forceinline__ double run() {
    const double now = BackwardAgain<Columns>::run();
    if (this->a_.du != nullptr) {
      __stcs(this->a_.du + this->row_,
             diagonal_and_upper(this->diagonal_, now, this->upper_product_));
    }
    return now * r_;
  }

 private:
  double r_;
};

// Between the sweeps: bodies for rows in any order.

template <Outer Others>
struct RestrictResidual {
  template <class Columns>
  __device__ __forceinline__ void operator()(const LevelArguments<Columns>& a,
                                             std::int64_t row) const {
    const std::int32_t coarse = a.coarse_row[row - a.coarse_begin];
    const double lower = times(a.lower, row, a.x);
    const double upper = times(a.upper, row, a.x);
    const double outer = Others == Outer::some ? times(a.outer, row, a.x) : 0.0;
    if (coarse >= 0) {
      a.coarse_r[coarse] =
          residual(a.r[row], lower, load_once(a.diagonal + row), a.x[row], upper, outer);
    }
  }
};

/// x += P e.
struct Prolong {
  template <class Columns>
  __device__ __forceinline__ void operator()(const LevelArguments<Columns>& a,
                                             std::int64_t row) const {
    const std::int32_t coarse = a.coarse_row[row - a.coarse_begin];
    if (coarse >= 0) {
      a.x[row] += a.coarse_x[coarse];
    }
  }
};

/// body(row) for all rows of a range that begins with a slice.
template <class Body, class Columns>
__global__ void __launch_bounds__(threads_per_block, 4)
    rows_kernel(Range rows, const __grid_constant__ LevelArguments<Columns> a) {
  const std::int64_t row = rows.begin + std::int64_t{blockIdx.x} * threads_per_block + threadIdx.x;
  if (row < rows.end) {
    Body{}(a, row);
  }
}

}  // namespace bankfull::hpcg::cuda
