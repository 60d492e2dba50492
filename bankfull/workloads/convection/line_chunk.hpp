#pragma once

#include "bankfull/core/base/host_device.hpp"
#include "bankfull/workloads/convection/point.hpp"

#include <cstddef>

namespace bankfull::convection {

/// constant + through * x: what a part of a line makes of what comes into it.
template <class Real>
struct Passage {
  Real constant = 0;
  Real through = 1;

  /// This one behind another.
  [[nodiscard]] BANKFULL_HOST_DEVICE Passage behind(const Passage& before) const {
    return {plus_product(through, before.constant, constant), through * before.through};
  }
};

/// Thomas's factors at the places of a line, each kind by itself.
template <class Real>
struct FactorLists {
  Real* scale;
  Real* carry;
  Real* back;

  BANKFULL_HOST_DEVICE void set(int n, const LineFactors<Real>& factors) const {
    scale[n] = factors.scale;
    carry[n] = factors.carry;
    back[n] = factors.back;
  }
};

/// One of `chunks` parts of a line that are solved at the same time: each goes its way as if
/// nothing came into it, and adds what does once the parts before it are known. Elimination and
/// substitution are first-order recurrences, so that what comes in is only multiplied on the way.
template <class Real>
struct LineChunk {
  static constexpr int chunks = 32;

  FactorLists<Real> factors;
  Real* values;  ///< at place 0
  int step;      ///< to the next place, odd
  int first;
  int last;  ///< behind the last place; `first` where there is none

  /// Chunks are of an odd length: so lanes that are as far in theirs lie in different banks.
  BANKFULL_HOST_DEVICE static LineChunk of(const FactorLists<Real>& factors, Real* values, int step,
                                           int count, int chunk) {
    const int length = (count + chunks - 1) / chunks | 1;
    const int first = chunk * length < count ? chunk * length : count;
    return {factors, values, step, first, first + length < count ? first + length : count};
  }

  [[nodiscard]] BANKFULL_HOST_DEVICE Real& value(int n) const {
    return values[static_cast<std::ptrdiff_t>(n * step)];
  }

  [[nodiscard]] BANKFULL_HOST_DEVICE Passage<Real> eliminate() const {
    Passage<Real> passage;
    for (int n = first; n < last; ++n) {
      const LineFactors<Real> here{.scale = factors.scale[n], .carry = factors.carry[n]};
      passage.constant = eliminated(here, value(n), passage.constant);
      passage.through = passage.through * here.carry;
      value(n) = passage.constant;
    }
    return passage;
  }

  BANKFULL_HOST_DEVICE void add_from_below(Real inflow) const {
    for (int n = first; n < last; ++n) {
      inflow = inflow * factors.carry[n];
      Real& here = value(n);
      here = here + inflow;
    }
  }

  [[nodiscard]] BANKFULL_HOST_DEVICE Passage<Real> substitute() const {
    Passage<Real> passage;
    for (int n = last - 1; n >= first; --n) {
      const LineFactors<Real> here{.back = factors.back[n]};
      passage.constant = substituted(here, value(n), passage.constant);
      passage.through = passage.through * here.back;
      value(n) = passage.constant;
    }
    return passage;
  }

  BANKFULL_HOST_DEVICE void add_from_above(Real inflow) const {
    for (int n = last - 1; n >= first; --n) {
      inflow = inflow * factors.back[n];
      Real& here = value(n);
      here = here + inflow;
    }
  }
};

}  // namespace bankfull::convection
