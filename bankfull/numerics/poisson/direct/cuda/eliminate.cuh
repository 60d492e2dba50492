#pragma once

#include "bankfull/numerics/poisson/direct/elimination.hpp"
#include "bankfull/numerics/poisson/direct/modes.hpp"
#include "bankfull/numerics/poisson/direct/sizes.hpp"
#include "bankfull/numerics/poisson/direct/slabs.hpp"
#include "bankfull/numerics/poisson/direct/spectrum.hpp"

#include <cstddef>
#include <cstdint>

namespace bankfull::poisson {

/// What the elimination on a GPU works on; pointers are to GPU memory.
template <class Real>
struct EliminationData {
  Complex<Real>* spectrum;  ///< of all planes
  std::int64_t row_pitch;   ///< in elements, as all lengths here
  std::int64_t plane_pitch;
  const EliminationCell<Real>* cells;  ///< of a slab there is one before the first, too
  const Real* decay_j;                 ///< see AxisModes
  const Real* decay_k;
  const Complex<Real>* twist_j;
  const Complex<Real>* twist_k;
  Real* checkpoints;
  int ni;
  int nj;
  int nk;
  int pairs;  ///< of columns: (nj / 2 + 1) (nk / 2 + 1)
  Real closing;
  Real length;
  Real mean_response;
  int* decayed_after;  ///< per pair of a slab: the cells after which the root below has no effect
};

/// One thread's elimination along i of the columns (., j, k) and (., j', k).
///
/// The sweep up leaves the pivots' part of the solution in the spectrum's place and the LowerEnd of
/// every segment's first cell in a checkpoint. The sweep down eliminates a segment's couplings
/// again from there: to store those of all cells would move more bytes. Checkpoints of a slab have
/// closing couplings only as far as the root below matters; see SlabReach. Where j' is j, the
/// second column's solution take a spare row.
template <class Real, class Kind, bool Cyclic>
class ColumnPair {
 public:
  __device__ ColumnPair(const EliminationData<Real>& data, int pair)
      : data_(data), pair_(pair), last_(data.ni - 1), decayed_after_(last_), unbound_(pair == 0) {
    const int half_k = data.nk / 2 + 1;
    const int j = pair / half_k;
    const int k = pair - j * half_k;
    a_ = data.spectrum + j * data.row_pitch + k;
    b_ = data.spectrum + spare_or_mirror_row(j, data.nj) * data.row_pitch + k;
    first_b_ = data.spectrum + (data.nj - j) % data.nj * data.row_pitch + k;
    if constexpr (twists) {
      const Complex<Real> along_k = data.twist_k[k];
      twist_a_ = times(data.twist_j[j], along_k);
      twist_b_ = times(data.twist_j[data.nj - j], along_k);
    }
#pragma unroll
    for (int mode = 0; mode < modes; ++mode) {
      decay_[mode] = data.decay_j[Kind::mirrors_j(mode) ? data.nj - j : j] +
                     data.decay_k[Kind::mirrors_k(mode) ? data.nk - k : k];
      end_[mode] = {Real{0}, data.closing};
    }
  }

  static constexpr int modes = Kind::count;

  __device__ void solve() {
    sweep_up<false>();
    turn();
    sweep_down();
  }

  // For a slab: up in one kernel, down in another one. See slabs.hpp.

  /// What the sweep up leaves for the root and for the root below.
  __device__ void find_sides(Amplitudes<Real>& own, Amplitudes<Real>& below) {
    sweep_up<true>();
    data_.decayed_after[pair_] = decayed_after_;
    const EliminationCell<Real> cell = data_.cells[last_];
    const Amplitudes<Real> side = amplitudes(load(last_, first_b_));
#pragma unroll
    for (int n4 = 0; n4 < 4; ++n4) {
      own.of[n4] = right_side_.of[n4] + cell.side_scale * side.of[n4];
      below.of[n4] = root_side_.of[n4];
    }
    response_sum_ += cell.response * (cell.side_scale * side.of[0]);
  }

  /// After it, of the constant mode: the sum of right sides times responses.
  [[nodiscard]] __device__ Real response_sum() const { return response_sum_; }

  /// After it, what is left of the couplings.
  [[nodiscard]] __device__ SlabCouplings<Real> couplings(int mode) const {
    return {end_[mode].dominance + decay_[mode] * data_.cells[last_].width, end_[mode].closing,
            root_dominance_[mode]};
  }

  /// The solution of the slab and of the cell below it from those at the roots; `excess` is the
  /// constant mode's mean right side.
  __device__ void substitute(const Amplitudes<Real>& own, const Amplitudes<Real>& below,
                             Real excess) {
    decayed_after_ = data_.decayed_after[pair_];
    excess_ = excess;
    root_ = below;
    solution_ = below;
    finish(-1, data_.cells[-1]);
    solution_ = own;
    finish(last_, data_.cells[last_]);
    sweep_down();
  }

 private:
  static constexpr std::size_t mode_count = Kind::count;
  static constexpr int segment = GpuSizes::segment_of(modes, Cyclic);
  static constexpr bool twists = Kind::wall_j || Kind::wall_k;

  template <bool OfSlab>
  __device__ void sweep_up() {
    for (int first = 0; first < last_; first += segment) {
      // With one mode the checkpoints are small, and five blocks would not have enough registers.
      if constexpr (OfSlab && modes > 1) {
        drop_closing(first);
      }
      sweep_segment_up(first);
    }
  }

  /// Where it no longer counts.
  __device__ void drop_closing(int first) {
    Real most = 0;
#pragma unroll
    for (int mode = 0; mode < modes; ++mode) {
      most = max(most, end_[mode].closing);
    }
    if (first < decayed_after_ && most <= SlabReach::least<Real> * data_.closing) {
      decayed_after_ = first;
#pragma unroll
      for (int mode = 0; mode < modes; ++mode) {
        end_[mode].closing = 0;
      }
    }
  }

  __device__ void sweep_down() {
    int first = (last_ + segment - 1) / segment * segment;
    while (first > 0) {
      first -= segment;
      sweep_segment_down(first);
    }
  }

  __device__ void sweep_segment_up(int first) {
    store_checkpoint(first);
    ElementPair<Real> sides[segment];
#pragma unroll
    for (int s = 0; s < segment; ++s) {
      if (first + s < last_) {
        sides[s] = load(first + s, first_b_);
      }
    }
#pragma unroll
    for (int s = 0; s < segment; ++s) {
      if (first + s < last_) {
        eliminate(first + s, amplitudes(sides[s]));
      }
    }
  }

  __device__ void eliminate(int n, const Amplitudes<Real>& side) {
    const EliminationCell<Real> cell = data_.cells[n];
    Pivot<Real> pivots[modes];
#pragma unroll
    for (int mode = 0; mode < modes; ++mode) {
      pivots[mode] = Elimination<Cyclic>::eliminate(decay_[mode] * cell.width, cell.above,
                                                    end_[mode], root_dominance_[mode]);
    }
    Amplitudes<Real> solution;
#pragma unroll
    for (int n4 = 0; n4 < 4; ++n4) {
      const Pivot<Real>& pivot = pivots[Kind::mode_of(n4)];
      const Real right_side = right_side_.of[n4] + cell.side_scale * side.of[n4];
      solution.of[n4] = pivot.inverse * right_side;
      right_side_.of[n4] = cell.above * solution.of[n4];
      if constexpr (Cyclic) {
        root_side_.of[n4] += pivot.around * right_side;
      }
    }
    if (unbound_) {
      response_sum_ += cell.response * (cell.side_scale * side.of[0]);
    }
    store(n, {{solution.of[0], solution.of[1]}, {solution.of[2], solution.of[3]}});
  }

  /// Solves for the last cell, the root.
  __device__ void turn() {
    const EliminationCell<Real> cell = data_.cells[last_];
    const Amplitudes<Real> side = amplitudes(load(last_, first_b_));
    Real total = 0;
#pragma unroll
    for (int n4 = 3; n4 >= 0; --n4) {
      const int mode = Kind::mode_of(n4);
      total = right_side_.of[n4] + root_side_.of[n4] + cell.side_scale * side.of[n4];
      root_.of[n4] = root_solution(
          total, end_[mode].dominance + root_dominance_[mode] + decay_[mode] * cell.width);
    }
    if (unbound_) {
      excess_ = total / data_.length;
      root_.of[0] = excess_ * data_.mean_response - response_sum_ / data_.length;
    }
    solution_ = root_;
    finish(last_, cell);
  }

  __device__ void sweep_segment_down(int first) {
    ElementPair<Real> particular[segment];
#pragma unroll
    for (int s = 0; s < segment; ++s) {
      if (first + s < last_) {
        particular[s] = load(first + s, b_);
      }
    }
    load_checkpoint(first);
    Pivot<Real> pivots[segment][modes];
#pragma unroll
    for (int s = 0; s < segment; ++s) {
      if (first + s < last_) {
        const EliminationCell<Real> cell = data_.cells[first + s];
#pragma unroll
        for (int mode = 0; mode < modes; ++mode) {
          pivots[s][mode] = Elimination<Cyclic>::eliminate(decay_[mode] * cell.width, cell.above,
                                                           end_[mode], root_dominance_[mode]);
        }
      }
    }
#pragma unroll
    for (int s = segment - 1; s >= 0; --s) {
      if (first + s < last_) {
        substitute(particular[s], pivots[s]);
        finish(first + s, data_.cells[first + s]);
      }
    }
  }

  __device__ void substitute(const ElementPair<Real>& particular, const Pivot<Real>* pivots) {
    const Amplitudes<Real> own{
        {particular.a.re, particular.a.im, particular.b.re, particular.b.im}};
#pragma unroll
    for (int n4 = 0; n4 < 4; ++n4) {
      solution_.of[n4] = Elimination<Cyclic>::solution(pivots[Kind::mode_of(n4)], own.of[n4],
                                                       solution_.of[n4], root_.of[n4]);
    }
  }

  /// Stores the solution of cell n. The mode that is without dominance is solved with its mean
  /// right side, whose response is taken out here.
  __device__ void finish(int n, const EliminationCell<Real>& cell) {
    Amplitudes<Real> result = solution_;
    if (unbound_) {
      result.of[0] -= excess_ * cell.response;
    }
    ElementPair<Real> pair = Kind::join(result);
    if constexpr (twists) {
      pair = {times(conjugate(twist_a_), pair.a), times(conjugate(twist_b_), pair.b)};
    }
    store(n, pair);
  }

  __device__ Amplitudes<Real> amplitudes(const ElementPair<Real>& pair) const {
    if constexpr (twists) {
      return Kind::separate(ElementPair<Real>{times(twist_a_, pair.a), times(twist_b_, pair.b)});
    } else {
      return Kind::separate(pair);
    }
  }

  __device__ ElementPair<Real> load(int n, const Complex<Real>* b) const {
    const std::int64_t plane = n * data_.plane_pitch;
    return {a_[plane], b[plane]};
  }

  __device__ void store(int n, const ElementPair<Real>& pair) const {
    const std::int64_t plane = n * data_.plane_pitch;
    a_[plane] = pair.a;
    b_[plane] = pair.b;
  }

  __device__ Real* checkpoint(int first) const {
    constexpr int reals = modes * (Cyclic ? 2 : 1);
    return data_.checkpoints + std::int64_t{first / segment} * reals * data_.pairs + pair_;
  }

  __device__ void store_checkpoint(int first) const {
    Real* at = checkpoint(first);
#pragma unroll
    for (int mode = 0; mode < modes; ++mode, at += data_.pairs) {
      *at = end_[mode].dominance;
      if constexpr (Cyclic) {
        at += data_.pairs;
        if (first < decayed_after_) {
          *at = end_[mode].closing;
        }
      }
    }
  }

  __device__ void load_checkpoint(int first) {
    const Real* at = checkpoint(first);
#pragma unroll
    for (int mode = 0; mode < modes; ++mode, at += data_.pairs) {
      end_[mode].dominance = *at;
      if constexpr (Cyclic) {
        at += data_.pairs;
        end_[mode].closing = first < decayed_after_ ? *at : Real{0};
      }
    }
  }

  const EliminationData<Real>& data_;
  int pair_;
  int last_;
  int decayed_after_;  ///< the first cell of a segment without closing couplings
  bool unbound_;
  Complex<Real>* a_;
  Complex<Real>* b_;
  const Complex<Real>* first_b_;  ///< the second column of the right side
  Complex<Real> twist_a_{};
  Complex<Real> twist_b_{};
  Real decay_[mode_count];
  LowerEnd<Real> end_[mode_count];
  Real root_dominance_[mode_count] = {};
  Amplitudes<Real> right_side_{};  ///< into the next cell
  Amplitudes<Real> root_side_{};
  Amplitudes<Real> root_{};  ///< solution of the last cell
  Amplitudes<Real> solution_{};
  Real response_sum_ = 0;  ///< sum of right sides times EliminationCell::response
  Real excess_ = 0;        ///< mean right side
};

template <class Real, class Kind, bool Cyclic>
__global__ void __launch_bounds__(GpuSizes::max_threads)
    eliminate_columns(const __grid_constant__ EliminationData<Real> data) {
  const int pair = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (pair < data.pairs) {
    ColumnPair<Real, Kind, Cyclic>(data, pair).solve();
  }
}

}  // namespace bankfull::poisson
