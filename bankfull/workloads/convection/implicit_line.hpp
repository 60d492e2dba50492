#pragma once

#include "bankfull/core/base/host_device.hpp"
#include "bankfull/workloads/convection/point.hpp"

#include <bit>
#include <cstddef>
#include <cstdint>

namespace bankfull::convection {

/// What places of a line make of the rest 1 - back before them, in Thomas's elimination:
/// (a rest + b) / (c rest + d). None of these is negative, so that nothing cancels where the maps
/// of long lines are formed; their scale is any.
struct RestMap {
  double a = 1.0;
  double b = 0.0;
  double c = 0.0;
  double d = 1.0;

  [[nodiscard]] BANKFULL_HOST_DEVICE double of(double rest) const {
    return (a * rest + b) / (c * rest + d);
  }

  /// This map, then that of the places behind; not scaled.
  [[nodiscard]] BANKFULL_HOST_DEVICE RestMap then(const RestMap& next) const {
    return {next.a * a + next.b * c, next.a * b + next.b * d, next.c * a + next.d * c,
            next.c * b + next.d * d};
  }

  /// The same map by numbers that products of a hundred neither overflow nor vanish of: scaled by a
  /// power of two, which rounds nothing.
  [[nodiscard]] BANKFULL_HOST_DEVICE RestMap scaled() const {
    constexpr std::uint64_t exponent = 0x7ff0000000000000;
    constexpr std::uint64_t of_reciprocal =
        0x7fe0000000000000;  // 1/x is 2^-e for 2^e <= x < 2^(e+1)
    const auto scale =
        std::bit_cast<double>(of_reciprocal - (std::bit_cast<std::uint64_t>(c + d) & exponent));
    return {scale * a, scale * b, scale * c, scale * d};
  }
};

/// What the matrix (1 - time nu D) of one field on a line along one axis follows from, on a host or
/// on a GPU.
struct ImplicitLine {
  const NeighbourWeights<double>* weights = nullptr;  ///< of D, at each place
  int count = 0;
  bool on_faces = false;  ///< the field is the velocity along the axis: zero on the wall below
  double diffusivity = 0.0;
  double ghost[2] = {};  ///< Continuation::factor at both ends

  /// Thomas's factors at all places, `step` apart. Rows of the matrix are - below,
  /// 1 + below + above, - above. A ghost is a part of the unknown beside it; a velocity on its own
  /// wall is no unknown, and zero.
  template <class Real>
  BANKFULL_HOST_DEVICE void form(double time, LineFactors<Real>* factors, int step) const {
    form_part(time, {0, count}, rest_before(), factors, step);
  }

  /// The lanes of a warp, which form one part of a line each: [first, end).
  static constexpr int parts = 32;
  struct Part {
    int first;
    int end;
  };

  [[nodiscard]] BANKFULL_HOST_DEVICE Part part(int number) const {
    const int places = (count + parts - 1) / parts;
    const auto within = [this](int n) { return n < count ? n : count; };
    return {within(number * places), within((number + 1) * places)};
  }

  /// The same of one part. `rest`: 1 - back at the place before.
  template <class Real>
  BANKFULL_HOST_DEVICE void form_part(double time, const Part& part, double rest,
                                      LineFactors<Real>* factors, int step) const {
    const double scale = time * diffusivity;
    for (int n = part.first; n < part.end; ++n) {
      if (on_faces && n == 0) {
        factors[0] = {};
        rest = 1.0;
        continue;
      }
      const double below = scale * weights[n].below;
      const double above = scale * weights[n].above;
      const bool last = n + 1 == count;
      const double less_above = 1.0 + below * rest;
      const double per_diagonal = 1.0 / (less_above + above * (last ? 1.0 - ghost[1] : 1.0));
      rest = less_above * per_diagonal;  // 1 - back would cancel where diffusion is strong
      factors[std::ptrdiff_t{n} * step] = {
          .scale = static_cast<Real>(per_diagonal),
          .carry = static_cast<Real>(n == 0 ? 0.0 : below * per_diagonal),
          .back = static_cast<Real>(last ? 0.0 : above * per_diagonal)};
    }
  }

  /// 1 - back before the first place: a ghost.
  [[nodiscard]] BANKFULL_HOST_DEVICE double rest_before() const { return 1.0 - ghost[0]; }

  /// What a part makes of the rest before it, but for the end of the line, behind which none is
  /// asked for.
  [[nodiscard]] BANKFULL_HOST_DEVICE RestMap passage(double time, const Part& part) const {
    const double scale = time * diffusivity;
    RestMap map;
    for (int n = part.first; n < part.end; ++n) {
      const double below = scale * weights[n].below;
      const double above = scale * weights[n].above;
      const RestMap place = on_faces && n == 0 ? RestMap{0.0, 1.0, 0.0, 1.0}
                                               : RestMap{below, 1.0, below, 1.0 + above}.scaled();
      map = map.then(place);
    }
    return map.scaled();
  }

  /// What the wall beyond one end adds to the right side beside it, for each unit that it gives the
  /// ghost; nothing to a velocity that ends at the wall.
  [[nodiscard]] BANKFULL_HOST_DEVICE double wall_weight(double time, int side) const {
    const double weight = side == 0 ? weights[0].below : weights[count - 1].above;
    return on_faces ? 0.0 : time * diffusivity * weight;
  }

  /// By how much the sum of the matrix's row of the first or the last unknown is larger than 1.
  [[nodiscard]] BANKFULL_HOST_DEVICE double row_excess(double time, int side) const {
    if (on_faces) {
      const int first = count > 1 ? 1 : 0;
      return time * diffusivity * (side == 0 ? weights[first].below : weights[count - 1].above);
    }
    return wall_weight(time, side) * (1.0 - ghost[side]);
  }
};

}  // namespace bankfull::convection
