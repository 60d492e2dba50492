#pragma once

#include "bankfull/core/exec/team.hpp"
#include "bankfull/core/memory/buffer.hpp"
#include "bankfull/numerics/poisson/direct/elimination.hpp"
#include "bankfull/numerics/poisson/direct/slabs.hpp"

#include <algorithm>
#include <array>
#include <cstdint>

namespace bankfull::poisson {

/// The equations of the roots of all slabs, for one rank's share of the modes, on a CPU.
template <class Real>
class RootSystems {
 public:
  /// `modes`: Modes::count. Couplings are unset.
  RootSystems(const RootBlocks& blocks, int modes)
      : ranks_(blocks.ranks),
        modes_(modes),
        pitch_(blocks.pitch),
        block_(blocks.size()),
        factors_(MemorySpace::host, static_cast<std::size_t>(size(blocks, modes))) {
    std::fill_n(factors_.data(), size(blocks, modes), Real{0});
  }

  /// Reals that one takes.
  static std::int64_t size(const RootBlocks& blocks, int modes) {
    return blocks.ranks * block_of_couplings(blocks, modes);
  }

  /// Where the couplings of a slab begin: those of each mode after another, and of these each
  /// member of SlabCouplings, for all pairs of the share. They are set once, before `factorise`.
  [[nodiscard]] Real* couplings(int slab) const {
    return factors_.data() + slab * modes_ * SlabCouplings<Real>::count * pitch_;
  }
  static std::int64_t block_of_couplings(const RootBlocks& blocks, int modes) {
    return blocks.pitch * modes * SlabCouplings<Real>::count;
  }

  /// Eliminates all roots' couplings for so many pairs. What the solutions need stays in the place
  /// of the couplings.
  void factorise(std::int64_t pairs) const {
    for (int mode = 0; mode < modes_; ++mode) {
      for (std::int64_t pair = 0; pair < pairs; ++pair) {
        factorise(mode, pair);
      }
    }
  }

  /// Takes sides to solutions in the blocks of all ranks, one after the other, for these pairs.
  void solve(Real* blocks, Range pairs) const {
    for (std::int64_t first = pairs.begin; first < pairs.end; first += lanes) {
      solve_lanes(blocks + first, first, std::min(lanes, pairs.end - first));
    }
  }

 private:
  static constexpr std::int64_t lanes = 64;
  static constexpr int amplitudes = RootBlocks::amplitudes;

  /// In the places of dominance, closing and gain.
  struct Factors {
    Real* inverse;
    Real* up;
    Real* around;
  };

  [[nodiscard]] Factors factors(int slab, int mode, std::int64_t pair) const {
    Real* const at = couplings(slab) + mode * SlabCouplings<Real>::count * pitch_ + pair;
    return {at, at + pitch_, at + 2 * pitch_};
  }

  [[nodiscard]] SlabCouplings<Real> couplings(int slab, int mode, std::int64_t pair) const {
    const Factors at = factors(slab, mode, pair);
    return {*at.inverse, *at.up, *at.around};
  }

  void factorise(int mode, std::int64_t pair) const {
    const int root = ranks_ - 1;
    LowerEnd<Real> end{.closing = couplings(0, mode, pair).closing};
    Real root_dominance = couplings(0, mode, pair).gain;
    for (int slab = 0; slab < root; ++slab) {
      const SlabCouplings<Real> above = couplings(slab + 1, mode, pair);
      const Real dominance = couplings(slab, mode, pair).dominance + above.gain;
      const Pivot<Real> pivot =
          Elimination<true>::eliminate(dominance, above.closing, end, root_dominance);
      const Factors at = factors(slab, mode, pair);
      *at.inverse = pivot.inverse;
      *at.up = pivot.up;
      *at.around = pivot.around;
    }
    const Factors at = factors(root, mode, pair);
    *at.inverse = root_solution(Real{1}, end.dominance + *at.inverse + root_dominance);
  }

  /// An amplitude in one slab's block: its right sides, later its solutions.
  [[nodiscard]] Real* own(Real* blocks, int slab, int amplitude) const {
    return blocks + slab * block_ + amplitude * pitch_;
  }
  [[nodiscard]] Real* below(Real* blocks, int slab, int amplitude) const {
    return own(blocks, slab, amplitudes + amplitude);
  }

  [[nodiscard]] int after(int slab) const { return slab + 1 < ranks_ ? slab + 1 : 0; }

  void solve_lanes(Real* blocks, std::int64_t first, std::int64_t count) const {
    for (int amplitude = 0; amplitude < amplitudes; ++amplitude) {
      const int mode = amplitude * modes_ / amplitudes;
      eliminate(blocks, amplitude, mode, first, count);
      substitute(blocks, amplitude, mode, first, count);
      for (int slab = 0; slab < ranks_; ++slab) {
        std::copy_n(own(blocks, slab, amplitude), count, below(blocks, after(slab), amplitude));
      }
    }
  }

  /// Up to the last root's solution.
  void eliminate(Real* blocks, int amplitude, int mode, std::int64_t first,
                 std::int64_t count) const {
    const int root = ranks_ - 1;
    std::array<Real, lanes> passed{};
    std::array<Real, lanes> root_side{};
    for (int slab = 0; slab < root; ++slab) {
      Real* const side = own(blocks, slab, amplitude);
      const Real* const from_above = below(blocks, slab + 1, amplitude);
      const Factors at = factors(slab, mode, first);
      for (std::int64_t lane = 0; lane < count; ++lane) {
        const auto n = static_cast<std::size_t>(lane);
        const Real right_side = side[lane] + from_above[lane] + passed[n];
        passed[n] = at.up[lane] * right_side;
        root_side[n] += at.around[lane] * right_side;
        side[lane] = at.inverse[lane] * right_side;
      }
    }
    Real* const side = own(blocks, root, amplitude);
    const Real* const from_above = below(blocks, 0, amplitude);
    const Factors at = factors(root, mode, first);
    for (std::int64_t lane = 0; lane < count; ++lane) {
      const auto n = static_cast<std::size_t>(lane);
      side[lane] = at.inverse[lane] * (side[lane] + from_above[lane] + passed[n] + root_side[n]);
    }
  }

  void substitute(Real* blocks, int amplitude, int mode, std::int64_t first,
                  std::int64_t count) const {
    const Real* const root = own(blocks, ranks_ - 1, amplitude);
    for (int slab = ranks_ - 2; slab >= 0; --slab) {
      Real* const solution = own(blocks, slab, amplitude);
      const Real* const next = own(blocks, slab + 1, amplitude);
      const Factors at = factors(slab, mode, first);
      for (std::int64_t lane = 0; lane < count; ++lane) {
        solution[lane] += at.up[lane] * next[lane] + at.around[lane] * root[lane];
      }
    }
  }

  int ranks_;
  int modes_;
  std::int64_t pitch_;
  std::int64_t block_;
  Buffer<Real> factors_;
};

}  // namespace bankfull::poisson
