#pragma once

#include "bankfull/numerics/fft/butterflies.hpp"
#include "bankfull/numerics/fft/sign.hpp"

#include <cstdint>

namespace bankfull {

/// The points that one thread holds in registers.
template <int Count>
using Points = ComplexPoints<double2, Count>;

/// Count that a thread of a BlockFft holds, unless specified otherwise: what divides log2 of the
/// length into the fewest steps.
constexpr int points_per_thread(int length) { return length == 512 || length <= 64 ? 8 : 16; }

/// Complex transforms of `Columns` sequences of `Length` points by one block, each thread with
/// `Count` points in registers.
///
/// Stockham's self-sorting algorithm (C. Van Loan, Computational Frameworks for the Fast Fourier
/// Transform, section 1.7) in steps of `Count`, the first of fewer where the length asks for it.
/// Between steps points change threads through shared memory, where the columns stand side by side,
/// so that no stride makes threads meet in a bank.
///
/// Before and after, point i of a thread is element `element(i)` of column `column()`.
template <int Length, int Columns, int Count = points_per_thread(Length)>
class BlockFft {
 public:
  static constexpr int length = Length;                         ///< points of a sequence
  static constexpr int columns = Columns;                       ///< sequences of a block
  static constexpr int points = Count;                          ///< of one thread
  static constexpr int threads_per_column = Length / Count;     ///< that transform one sequence
  static constexpr int threads = threads_per_column * Columns;  ///< of a block

 private:
  static constexpr int log2_length = detail::log2_of(Length);
  static constexpr int log2_points = detail::log2_of(Count);
  static constexpr int first_radix =
      1 << (log2_length % log2_points == 0 ? log2_points : log2_length % log2_points);

  static_assert(Length == 1 << log2_length && Length >= Count && Count <= 32);
  static_assert(Columns == 1 << detail::log2_of(Columns));

  /// Rows of fewer columns than a wave of threads reads at once are padded.
  static constexpr bool padded = Columns < 8;
  static constexpr int padding(int row) { return padded ? row / first_radix : 0; }
  static_assert(!padded || threads_per_column % first_radix == 0);

 public:
  /// Shared memory that a block's transforms exchange points through, in points.
  static constexpr int shared_points = (Length + padding(Length)) * Columns;

  /// `roots`: `Length` values of `fft_root`; `shared` has room for `shared_points`. `threads`
  /// threads in a row make a block.
  __device__ __forceinline__ BlockFft(const double2* roots, double2* shared)
      : roots_(roots),
        shared_(shared),
        position_(static_cast<int>(threadIdx.x) / Columns),
        column_(static_cast<int>(threadIdx.x) % Columns) {}

  /// The sequence that this thread works on.
  [[nodiscard]] __device__ __forceinline__ int column() const { return column_; }
  /// Position in the sequence of point `point` of this thread.
  [[nodiscard]] __device__ __forceinline__ int element(int point) const {
    return position_ + point * threads_per_column;
  }

  /// All threads of the block call it, when none uses `shared` any more.
  template <FftSign Sign>
  __device__ __forceinline__ void transform(Points<Count>& x) const {
    exchange_parts<Sign>(x);
    step<1, first_radix>(x);
    exchange_parts<Sign>(x);
  }

 private:
  /// exp(+i t) = i conj(i conj(exp(-i t))): exchanging real and imaginary parts on the way in and
  /// out changes the sign.
  template <FftSign Sign>
  static __device__ __forceinline__ void exchange_parts(Points<Count>& x) {
    if constexpr (Sign == FftSign::plus) {
#pragma unroll
      for (int i = 0; i < Count; ++i) {
        x[i] = {x[i].y, x[i].x};
      }
    }
  }

  /// Takes transforms of `Done` points to `Done Radix` points, and so on to the end.
  template <int Done, int Radix>
  __device__ __forceinline__ void step(Points<Count>& x) const {
    constexpr int together = Count / Radix;  // transforms of one thread
    constexpr bool last = Done * Radix == Length;
#pragma unroll
    for (int m = 0; m < together; ++m) {
      const int number = position_ + m * threads_per_column;
      Points<Radix> few;
#pragma unroll
      for (int j = 0; j < Radix; ++j) {
        few[j] = x[m + j * together];
      }
      if constexpr (Done == 1) {
        detail::transform_few<false>(few, double2{1.0, 0.0});
      } else {
        detail::transform_few<true>(few, __ldg(roots_ + number % Done * (Length / (Done * Radix))));
      }
      if constexpr (!last) {
        if (Done > 1 && m == 0) {
          __syncthreads();  // all have taken what the step before left
        }
      }
#pragma unroll
      for (int k = 0; k < Radix; ++k) {
        const double2 value = few[detail::reversed(k, detail::log2_of(Radix))];
        if constexpr (last) {
          x[m + k * together] = value;
        } else {
          const int row = number / Done * (Done * Radix) + number % Done;
          at(row, k * Done) = value;
        }
      }
    }
    if constexpr (!last) {
      __syncthreads();
#pragma unroll
      for (int i = 0; i < Count; ++i) {
        x[i] = at(position_, i * threads_per_column);
      }
      step<Done * Radix, Count>(x);
    }
  }

  /// Row `row + further` of shared memory; `further` is known when compiled, and is either less
  /// than the first radix, which `row` is then a multiple of, or a multiple of it.
  __device__ __forceinline__ double2& at(int row, int further) const {
    return shared_[(row + padding(row)) * Columns + column_ +
                   (further + padding(further)) * Columns];
  }

  const double2* roots_;
  double2* shared_;
  int position_;
  int column_;
};

/// The n-th of `length` roots that a BlockFft of that length needs: exp(-2 pi i n / length).
__device__ __forceinline__ double2 fft_root(int n, int length) {
  double2 root;
  sincospi(-2.0 * n / length, &root.y, &root.x);
  return root;
}

}  // namespace bankfull
