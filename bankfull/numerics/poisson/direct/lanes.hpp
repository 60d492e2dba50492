#pragma once

#include "bankfull/core/base/cache_line.hpp"
#include "bankfull/core/base/host_device.hpp"
#include "bankfull/core/base/pack.hpp"
#include "bankfull/core/base/register_tile.hpp"
#include "bankfull/core/base/unrolled.hpp"
#include "bankfull/numerics/poisson/direct/elimination.hpp"
#include "bankfull/numerics/poisson/direct/modes.hpp"
#include "bankfull/numerics/poisson/direct/slabs.hpp"
#include "bankfull/numerics/poisson/direct/spectrum.hpp"

#include <algorithm>
#include <cstdint>

namespace bankfull::poisson {

/// Shape of the memory in which one thread of a CPU eliminates along i, for neighbouring elements
/// of a row's spectrum at once, its lanes. Lengths are in reals.
struct LaneShape {
  std::int64_t cells = 0;  ///< along i
  std::int64_t lanes = 0;  ///< a multiple of those of a pack
  std::int64_t modes = 0;  ///< Modes::count
  bool cyclic = false;

  /// By as many lanes as leave what is kept of all cells in a usual second-level cache, and enough
  /// tiles for a team.
  LaneShape(const Domain& domain, std::size_t element_bytes)
      : LaneShape(domain, domain.i.cells(), domain.i.periodic, element_bytes) {}

  /// The same for a slab of so many cells, whose lower end is coupled to the root below.
  static LaneShape of_slab(const Domain& domain, std::int64_t cells, std::size_t element_bytes) {
    return {domain, cells, true, element_bytes};
  }

  [[nodiscard]] std::int64_t kept_of_cells() const {
    return cells * (4 + modes * (cyclic ? 2 : 1));
  }
  [[nodiscard]] std::int64_t size() const { return lanes * (kept_of_cells() + kept_of_ends); }

  static constexpr std::int64_t max_modes = 4;
  /// Decay, the ends' two couplings and the root's; two twists; three sets of amplitudes.
  static constexpr std::int64_t kept_of_ends = 4 * max_modes + 16;

 private:
  LaneShape(const Domain& domain, std::int64_t of_cells, bool is_cyclic, std::size_t element_bytes)
      : cells(of_cells), modes(modes_of(domain)), cyclic(is_cyclic) {
    constexpr std::int64_t cache_bytes = std::int64_t{512} * 1024;
    const std::int64_t least = cache_line_bytes / static_cast<std::int64_t>(element_bytes);
    constexpr std::int64_t most = 128;
    const std::int64_t lane_bytes = kept_of_cells() * static_cast<std::int64_t>(element_bytes);
    const std::int64_t of_team = (most_for_team(domain) + least - 1) / least;
    lanes = std::clamp(std::min(cache_bytes / lane_bytes / least, of_team) * least, least, most);
  }

  /// Planes of few rows would otherwise have too few tiles to share.
  static std::int64_t most_for_team(const Domain& domain) {
    constexpr std::int64_t tiles = 16;
    const std::int64_t rows = half_spectrum(domain.j.cells());
    const std::int64_t of_row = (tiles + rows - 1) / rows;
    return (half_spectrum(domain.k.cells()) + of_row - 1) / of_row;
  }
};

/// The root's solution in each lane; see above.
template <class T>
BANKFULL_ALWAYS_INLINE Pack<T> root_solution(const Pack<T>& right_side, const Pack<T>& dominance) {
  return where_above(T{0}, dominance, right_side / dominance);
}

/// The elimination along i of some lanes of the spectrum's rows j and j', a pack at a time: those
/// that fill up the last pack must have decays and twists, too.
template <class Real, class Kind, bool Cyclic>
class LaneElimination {
 public:
  /// `memory` is as large as the shape says.
  LaneElimination(Real* memory, const LaneShape& shape, std::int64_t lanes)
      : pitch_(shape.lanes), lanes_(lanes), solution_(memory) {
    up_ = solution_ + shape.cells * cell_values();
    around_ = up_ + shape.cells * cell_modes();
    Real* next = around_ + (Cyclic ? shape.cells * cell_modes() : 0);
    const auto take = [&](std::int64_t rows) {
      Real* const taken = next;
      next += rows * pitch_;
      return taken;
    };
    decay_ = take(LaneShape::max_modes);
    dominance_ = take(LaneShape::max_modes);
    closing_ = take(LaneShape::max_modes);
    root_dominance_ = take(LaneShape::max_modes);
    twist_ = take(4);
    right_side_ = take(4);
    root_side_ = take(4);
    root_solution_ = take(4);
  }

  [[nodiscard]] Real* decay(int mode) const { return decay_ + mode * pitch_; }

  void set_twists(std::int64_t lane, Complex<Real> of_a, Complex<Real> of_b) const {
    twist_[lane] = of_a.re;
    twist_[pitch_ + lane] = of_a.im;
    twist_[2 * pitch_ + lane] = of_b.re;
    twist_[3 * pitch_ + lane] = of_b.im;
  }

  void begin(Real closing) const {
    std::fill_n(dominance_, Kind::count * pitch_, Real{0});
    std::fill_n(root_dominance_, Kind::count * pitch_, Real{0});
    std::fill_n(closing_, Kind::count * pitch_, closing);
    std::fill_n(right_side_, 4 * pitch_, Real{0});
    std::fill_n(root_side_, 4 * pitch_, Real{0});
  }

  /// How many cells before its turn a cell is asked for.
  static constexpr std::int64_t cells_ahead = 4;

  /// Asks the caches for the elements of a later cell: those of a column lie whole planes apart,
  /// where no processor looks for what is wanted next.
  void prefetch(const Real* a, const Real* b) const {
    constexpr std::int64_t line = cache_line_bytes / static_cast<std::int64_t>(sizeof(Real));
    for (std::int64_t n = 0; n < 2 * lanes_; n += line) {
      __builtin_prefetch(a + n);
      __builtin_prefetch(b + n);
    }
  }

  /// Eliminates cell n, whose elements are at `a` and `b`, which may be the same. `Closed`: whether
  /// the closing coupling still counts.
  template <bool Closed = Cyclic>
  void forward(std::int64_t n, const EliminationCell<Real>& cell, const Real* a,
               const Real* b) const {
    const Rows at = rows_of(n);
    const Lanes above = Lanes::broadcast(cell.above);
    for (std::int64_t lane = 0; lane < lanes_; lane += Lanes::width) {
      Pivot<Lanes> pivots[Kind::count];
      unrolled<Kind::count>([&](int mode) {
        const std::int64_t place = mode * pitch_ + lane;
        LowerEnd<Lanes> end{Lanes::load(at.dominance + place), {}};
        Lanes root_dominance{};
        if constexpr (Closed) {
          end.closing = Lanes::load(at.closing + place);
          root_dominance = Lanes::load(at.root_dominance + place);
        }
        pivots[mode] = Elimination<Closed>::eliminate(cell.width * Lanes::load(at.decay + place),
                                                      above, end, root_dominance);
        end.dominance.store(at.dominance + place);
        pivots[mode].up.store(at.up + place);
        if constexpr (Closed) {
          end.closing.store(at.closing + place);
          root_dominance.store(at.root_dominance + place);
          pivots[mode].around.store(at.around + place);
        }
      });
      const Amplitudes<Lanes> side = Kind::separate(twisted(at, lane, a, b));
      unrolled<4>([&](int n4) {
        const std::int64_t place = n4 * pitch_ + lane;
        const Pivot<Lanes>& pivot = pivots[Kind::mode_of(n4)];
        const Lanes right_side = Lanes::load(at.right_side + place) + cell.side_scale * side.of[n4];
        const Lanes solution = pivot.inverse * right_side;
        solution.store(at.solution + place);
        (above * solution).store(at.right_side + place);
        if constexpr (Closed) {
          (Lanes::load(at.root_side + place) + pivot.around * right_side)
              .store(at.root_side + place);
        }
      });
    }
  }

  /// Solves for the last cell, the root.
  void turn(const EliminationCell<Real>& cell, Real* a, Real* b) const {
    const Rows at = rows_of(0);
    for (std::int64_t lane = 0; lane < lanes_; lane += Lanes::width) {
      Amplitudes<Lanes> x = Kind::separate(twisted(at, lane, a, b));
      unrolled<4>([&](int n4) {
        const std::int64_t mode = Kind::mode_of(n4) * pitch_ + lane;
        const std::int64_t place = n4 * pitch_ + lane;
        const Lanes dominance = Lanes::load(at.dominance + mode) +
                                cell.width * Lanes::load(at.decay + mode) +
                                Lanes::load(at.root_dominance + mode);
        const Lanes right_side = Lanes::load(at.right_side + place) + cell.side_scale * x.of[n4] +
                                 Lanes::load(at.root_side + place);
        x.of[n4] = root_solution(right_side, dominance);
        x.of[n4].store(at.root_solution + place);
        x.of[n4].store(at.right_side + place);
      });
      untwist(at, lane, Kind::join(x), a, b);
    }
  }

  // The last cell of a slab, in place of `turn`: `reduce` on the way up, and on the way down
  // `store`, after which `back` continues.

  /// Adds the last cell's own right side: side() and side_below() are those of the roots' rows.
  void reduce(const EliminationCell<Real>& cell, const Real* a, const Real* b) const {
    const Rows at = rows_of(0);
    for (std::int64_t lane = 0; lane < lanes_; lane += Lanes::width) {
      const Amplitudes<Lanes> x = Kind::separate(twisted(at, lane, a, b));
      unrolled<4>([&](int n4) {
        Real* const side = at.right_side + n4 * pitch_ + lane;
        (Lanes::load(side) + cell.side_scale * x.of[n4]).store(side);
      });
    }
  }

  [[nodiscard]] Real* side(int amplitude) const { return right_side_ + amplitude * pitch_; }
  [[nodiscard]] Real* side_below(int amplitude) const { return root_side_ + amplitude * pitch_; }

  /// What the elimination has left of one lane's couplings, of a last cell of this width.
  [[nodiscard]] SlabCouplings<Real> couplings(int mode, std::int64_t lane, Real width) const {
    const std::int64_t place = mode * pitch_ + lane;
    return {.dominance = dominance_[place] + decay_[place] * width,
            .closing = closing_[place],
            .gain = root_dominance_[place]};
  }

  /// The reach over all lanes, after all cells but the last were eliminated: cells that are further
  /// apart influence each other by less than `least`.
  [[nodiscard]] SlabReach reach(std::int64_t cells, Real least) const {
    SlabReach reach{cells - 1, 0};
    const auto pass = [&](std::int64_t n, Real* passed) {
      Real most{0};
      for (int mode = 0; mode < Kind::count; ++mode) {
        for (std::int64_t lane = 0; lane < lanes_; ++lane) {
          Real& value = passed[mode * pitch_ + lane];
          value *= up_[n * cell_modes() + mode * pitch_ + lane];
          most = std::max(most, value);
        }
      }
      return most;
    };
    // In rows that nothing else needs any more.
    Real* const passed = dominance_;
    std::fill_n(passed, Kind::count * pitch_, Real{1});
    for (std::int64_t n = 0; n + 1 < cells; ++n) {
      if (pass(n, passed) < least) {
        reach.of_root_below = n + 1;
        break;
      }
    }
    std::fill_n(passed, Kind::count * pitch_, Real{1});
    for (std::int64_t n = cells - 1; n-- > 0;) {
      if (pass(n, passed) < least) {
        reach.of_root = n;
        break;
      }
    }
    return reach;
  }

  /// Goes on as if nothing were below; what was found of side_below() stays.
  void restart() const {
    std::fill_n(dominance_, Kind::count * pitch_, Real{0});
    std::fill_n(right_side_, 4 * pitch_, Real{0});
  }

  /// Where the solutions at the own root and at the one below belong before the way down.
  [[nodiscard]] Real* solution(int amplitude) const { return right_side_ + amplitude * pitch_; }
  [[nodiscard]] Real* solution_below(int amplitude) const {
    return root_solution_ + amplitude * pitch_;
  }

  /// Stores one of them, the first of its amplitudes being at `solution`, as a cell's elements.
  void store(const Real* solution, Real* a, Real* b) const {
    const Rows at = rows_of(0);
    for (std::int64_t lane = 0; lane < lanes_; lane += Lanes::width) {
      Amplitudes<Lanes> x{};
      unrolled<4>([&](int n4) { x.of[n4] = Lanes::load(solution + n4 * pitch_ + lane); });
      untwist(at, lane, Kind::join(x), a, b);
    }
  }

  /// Solves for cell n, after the cell above it.
  template <bool Closed = Cyclic>
  void back(std::int64_t n, Real* a, Real* b) const {
    const Rows at = rows_of(n);
    for (std::int64_t lane = 0; lane < lanes_; lane += Lanes::width) {
      Amplitudes<Lanes> x{};
      unrolled<4>([&](int n4) {
        const std::int64_t mode = Kind::mode_of(n4) * pitch_ + lane;
        const std::int64_t place = n4 * pitch_ + lane;
        Pivot<Lanes> pivot{{}, Lanes::load(at.up + mode), {}};
        Lanes root{};
        if constexpr (Closed) {
          pivot.around = Lanes::load(at.around + mode);
          root = Lanes::load(at.root_solution + place);
        }
        x.of[n4] = Elimination<Closed>::solution(pivot, Lanes::load(at.solution + place),
                                                 Lanes::load(at.right_side + place), root);
        x.of[n4].store(at.right_side + place);
      });
      untwist(at, lane, Kind::join(x), a, b);
    }
  }

 private:
  using Lanes = Pack<Real>;

  /// Pointers by value, so that loops keep them in registers.
  struct Rows {
    const Real* decay;
    const Real* twist;
    Real* dominance;
    Real* closing;
    Real* root_dominance;
    Real* right_side;  ///< passed to the next cell; on the way back the solution of the cell above
    Real* root_side;
    Real* root_solution;
    Real* solution;  ///< of this cell, before its neighbours' parts
    Real* up;
    Real* around;
  };

  [[nodiscard]] std::int64_t cell_values() const { return 4 * pitch_; }
  [[nodiscard]] std::int64_t cell_modes() const { return Kind::count * pitch_; }

  [[nodiscard]] Rows rows_of(std::int64_t n) const {
    return {decay_,
            twist_,
            dominance_,
            closing_,
            root_dominance_,
            right_side_,
            root_side_,
            root_solution_,
            solution_ + n * cell_values(),
            up_ + n * cell_modes(),
            around_ + (Cyclic ? n * cell_modes() : 0)};
  }

  static constexpr bool twists = Kind::wall_j || Kind::wall_k;

  BANKFULL_ALWAYS_INLINE ElementPair<Lanes> twisted(const Rows& at, std::int64_t lane,
                                                    const Real* a, const Real* b) const {
    const Complex<Lanes> of_a = elements_at(a + 2 * lane);
    const Complex<Lanes> of_b = elements_at(b + 2 * lane);
    if constexpr (twists) {
      return {times(twist_of(at, lane, 0), of_a), times(twist_of(at, lane, 1), of_b)};
    } else {
      return {of_a, of_b};
    }
  }

  BANKFULL_ALWAYS_INLINE void untwist(const Rows& at, std::int64_t lane,
                                      const ElementPair<Lanes>& pair, Real* a, Real* b) const {
    ElementPair<Lanes> plain = pair;
    if constexpr (twists) {
      plain = {times(conjugate(twist_of(at, lane, 0)), pair.a),
               times(conjugate(twist_of(at, lane, 1)), pair.b)};
    }
    ComplexPack<Real>{plain.a.re, plain.a.im}.store_alternating(a + 2 * lane);
    ComplexPack<Real>{plain.b.re, plain.b.im}.store_alternating(b + 2 * lane);
  }

  BANKFULL_ALWAYS_INLINE static Complex<Lanes> elements_at(const Real* from) {
    const auto elements = ComplexPack<Real>::load_alternating(from);
    return {elements.re, elements.im};
  }

  BANKFULL_ALWAYS_INLINE Complex<Lanes> twist_of(const Rows& at, std::int64_t lane,
                                                 std::int64_t element) const {
    return {Lanes::load(at.twist + 2 * element * pitch_ + lane),
            Lanes::load(at.twist + (2 * element + 1) * pitch_ + lane)};
  }

  std::int64_t pitch_;
  std::int64_t lanes_;
  Real* solution_;
  Real* up_ = nullptr;
  Real* around_ = nullptr;
  Real* decay_ = nullptr;
  Real* dominance_ = nullptr;
  Real* closing_ = nullptr;
  Real* root_dominance_ = nullptr;
  Real* twist_ = nullptr;
  Real* right_side_ = nullptr;
  Real* root_side_ = nullptr;
  Real* root_solution_ = nullptr;
};

}  // namespace bankfull::poisson
