#pragma once

#include "bankfull/core/exec/team.hpp"
#include "bankfull/core/field/layout.hpp"
#include "bankfull/core/memory/buffer.hpp"
#include "bankfull/numerics/poisson/multigrid/cpu/rows.hpp"
#include "bankfull/numerics/poisson/multigrid/cpu/wave.hpp"
#include "bankfull/numerics/poisson/multigrid/levels.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace bankfull::poisson::multigrid {

/// Values of all cells of a level, with a ghost cell at both ends of rows.
template <class T>
class CpuField {
 public:
  CpuField(const Extents& cells, const Team& team)
      : layout_(cells, 1, sizeof(T)),
        values_(MemorySpace::host, static_cast<std::size_t>(layout_.size())) {
    clear(team);
  }

  static std::int64_t bytes(const Extents& cells) {
    return Layout(cells, 1, sizeof(T)).size() * static_cast<std::int64_t>(sizeof(T));
  }

  [[nodiscard]] const Layout& layout() const { return layout_; }

  [[nodiscard]] T* row(std::int64_t i, std::int64_t j) const {
    return values_.data() + layout_.origin() + layout_.offset(i, j, 0);
  }

  void clear(const Team& team) const {
#pragma omp parallel num_threads(team.threads())
    {
      const Range mine = my_share(layout_.size());
      std::fill(values_.data() + mine.begin, values_.data() + mine.end, T{0});
    }
  }

 private:
  Layout layout_;
  Buffer<T> values_;
};

/// AxisLevel in the precision of a field. Portions and nearness are padded to whole pairs.
template <class T>
struct CpuAxis {
  explicit CpuAxis(const AxisLevel& axis)
      : cells(axis.cells),
        periodic(axis.periodic),
        coarsened(axis.coarsened),
        lower(axis.lower.begin(), axis.lower.end()),
        upper(axis.upper.begin(), axis.upper.end()),
        portion(axis.portion.begin(), axis.portion.end()),
        nearness(axis.nearness.begin(), axis.nearness.end()) {
    if (coarsened && cells % 2 != 0) {
      portion.push_back(T{0});
      nearness.push_back(T{1});
    }
  }

  std::int64_t cells;
  bool periodic;
  bool coarsened;
  std::vector<T> lower;
  std::vector<T> upper;
  std::vector<T> portion;
  std::vector<T> nearness;

  /// The cells beside cell n; beyond a wall the cell itself, whose coefficient there is 0.
  [[nodiscard]] std::int64_t below(std::int64_t n) const {
    return n > 0 ? n - 1 : (periodic ? cells - 1 : n);
  }
  [[nodiscard]] std::int64_t above(std::int64_t n) const {
    return n + 1 < cells ? n + 1 : (periodic ? 0 : n);
  }

  [[nodiscard]] std::int64_t coarse_cells() const { return coarsened ? (cells + 1) / 2 : cells; }

  /// The cells that parent c has.
  [[nodiscard]] Range children(std::int64_t c) const {
    return coarsened ? Range{2 * c, std::min(2 * c + 2, cells)} : Range{c, c + 1};
  }
};

template <class T>
struct CpuAxes {
  explicit CpuAxes(const Level& level) : i(level.i), j(level.j), k(level.k) {}

  CpuAxis<T> i;
  CpuAxis<T> j;
  CpuAxis<T> k;

  [[nodiscard]] Surroundings<T> around(const CpuField<T>& field, std::int64_t at_i,
                                       std::int64_t at_j) const {
    const auto of = [](const std::vector<T>& values, std::int64_t n) {
      return values[static_cast<std::size_t>(n)];
    };
    return {field.row(i.below(at_i), at_j),
            field.row(i.above(at_i), at_j),
            field.row(at_i, j.below(at_j)),
            field.row(at_i, j.above(at_j)),
            of(i.lower, at_i),
            of(i.upper, at_i),
            of(j.lower, at_j),
            of(j.upper, at_j),
            k.lower.data(),
            k.upper.data()};
  }
};

/// One level on a CPU: the correction e and the residual r that it is for.
struct CpuLevel {
  CpuLevel(const Level& level, const Team& team)
      : axes(level),
        omega(static_cast<float>(level.omega)),
        sweeps_before(level.sweeps_before),
        sweeps_after(level.sweeps_after),
        e(level.extents(), team),
        r(level.extents(), team) {
    for (std::size_t parity = 0; parity < 2; ++parity) {
      for (std::int64_t k = 0; k < level.k.cells; ++k) {
        omegas[parity].push_back((static_cast<std::size_t>(k) + parity) % 2 == 0 ? omega : 0.0F);
      }
    }
  }

  static std::int64_t bytes(const Level& level) {
    return 2 * CpuField<float>::bytes(level.extents());
  }

  CpuAxes<float> axes;
  float omega;
  int sweeps_before;
  int sweeps_after;
  std::array<std::vector<float>, 2> omegas;  ///< of the even and of the odd cells of a row
  CpuField<float> e;
  CpuField<float> r;

  /// With slabs of rows of which the second cache holds what the stages between them need of
  /// `fields` fields of fp32.
  [[nodiscard]] WaveShape shape(std::int64_t planes_at_once) const {
    constexpr std::int64_t cache_bytes = std::int64_t{1} << 20;
    const std::int64_t row_bytes =
        e.layout().row_pitch() * static_cast<std::int64_t>(sizeof(float));
    const std::int64_t slab =
        std::max<std::int64_t>(16, cache_bytes / (planes_at_once * row_bytes));
    // A single plane or row has no neighbours.
    return {axes.i.cells, axes.i.periodic && axes.i.cells > 1, axes.j.cells,
            axes.j.periodic && axes.j.cells > 1, slab};
  }
};

/// What a thread works in, for levels with rows of up to so many cells.
class CpuWorkspace {
 public:
  explicit CpuWorkspace(std::int64_t cells)
      : sum_(static_cast<std::size_t>(cells + 1), 0.0F),
        blend_(static_cast<std::size_t>(cells + 2), 0.0F),
        gains_{std::vector<float>(static_cast<std::size_t>(cells), 0.0F),
               std::vector<float>(static_cast<std::size_t>(cells), 0.0F)} {}

  /// Of one row, and a zero at the end of an odd one.
  [[nodiscard]] float* sum(std::int64_t cells) {
    sum_[static_cast<std::size_t>(cells)] = 0.0F;
    return sum_.data();
  }

  /// A magnitude, in order to know the largest of all; see magnitude_bits.
  void note(std::int64_t bits) { largest_ = std::max(largest_, bits); }
  [[nodiscard]] std::int64_t take_largest() { return std::exchange(largest_, 0); }

  /// With ghosts.
  [[nodiscard]] float* blend() { return blend_.data() + 1; }

  /// For the cells of a row whose k has this parity.
  [[nodiscard]] ColourFactors factors(const CpuLevel& level, const Surroundings<float>& around,
                                      std::size_t parity) {
    const float beside = (around.lower_i + around.upper_i) + (around.lower_j + around.upper_j);
    if (&level != level_ || beside != beside_) {
      form_gains(level, around);
      level_ = &level;
      beside_ = beside;
    }
    return {level.omegas[parity].data(), gains_[parity].data()};
  }

 private:
  void form_gains(const CpuLevel& level, const Surroundings<float>& around) {
    for (std::size_t parity = 0; parity < 2; ++parity) {
      const float* const omega = level.omegas[parity].data();
      float* const gain = gains_[parity].data();
      for (std::int64_t k = 0; k < level.axes.k.cells; ++k) {
        gain[k] = relaxation_gain(omega[k], diagonal(coefficients_at(around, k)));
      }
    }
  }

  std::int64_t largest_ = 0;
  std::vector<float> sum_;
  std::vector<float> blend_;
  std::array<std::vector<float>, 2> gains_;
  // Rows with equal coefficients beside them have equal gains; most rows of a uniform grid.
  const CpuLevel* level_ = nullptr;
  float beside_ = 0.0F;
};

}  // namespace bankfull::poisson::multigrid
