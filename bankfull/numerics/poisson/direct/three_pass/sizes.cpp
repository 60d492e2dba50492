#include "bankfull/numerics/poisson/direct/three_pass/sizes.hpp"

#include "bankfull/core/base/expects.hpp"
#include "bankfull/numerics/poisson/direct/constant_mode.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <numeric>

namespace bankfull::poisson {
namespace three_pass {
namespace {

/// A quarter of those that a cluster of eight blocks shares: with that even so few took less time
/// than by cuFFT, 0.84 to 0.89 of it with 512 x 512 columns on an H200. Smaller clusters take less;
/// for fewer planes nobody has measured them.
constexpr std::int64_t fewest_planes = planes_of_parts / 4;
constexpr std::int64_t most_planes = std::int64_t{planes_of_parts} * most_own_parts;

/// Lengths that blocks of rows know: a transform's lanes have to fit a warp, and the rest of j is
/// 32 points.
bool is_served(const Axis& axis) {
  constexpr std::array<std::int64_t, 7> lengths{64, 96, 128, 192, 256, 384, 512};
  return axis.periodic && axis.uniform() &&
         std::find(lengths.begin(), lengths.end(), axis.cells()) != lengths.end();
}

/// The mode n - m is as fast as m: the smaller argument has the smaller rounding.
std::vector<double> decays_of(const Axis& axis) {
  const std::int64_t cells = axis.cells();
  std::vector<double> decays;
  for (std::int64_t mode = 0; mode < cells; ++mode) {
    const auto wavenumber = static_cast<double>(std::min(mode, cells - mode));
    const double root = 2.0 / axis.widths.front() *
                        std::sin(std::numbers::pi * wavenumber / static_cast<double>(cells));
    decays.push_back(root * root);
  }
  return decays;
}

/// Of angles that are not rounded to fp64, whose powers the passes form.
template <class Real>
std::vector<Complex<Real>> roots_of(std::int64_t length) {
  std::vector<Complex<Real>> roots;
  for (std::int64_t n = 0; n < length; ++n) {
    const long double angle = 2 * std::numbers::pi_v<long double> * static_cast<long double>(n) /
                              static_cast<long double>(length);
    roots.push_back({static_cast<Real>(std::cos(angle)), static_cast<Real>(-std::sin(angle))});
  }
  return roots;
}

/// The fewest with places for all planes, of those that there are kernels for; but six of one part
/// only where there are many clusters: with 64 x 64 columns of 96 planes pass 2 takes 0.98 (fp64)
/// and 1.07 (fp32) of the time with eight, with 512 x 512 0.90.
int blocks_of_cluster(const Extents& extents, int own_parts) {
  const std::int64_t places_of_block = std::int64_t{own_parts} * radix;
  if (own_parts == 1 && extents.ni <= quarter_of_cluster * places_of_block) {
    return quarter_of_cluster;
  }
  if (own_parts == 1 && extents.ni <= half_of_cluster * places_of_block) {
    return half_of_cluster;
  }
  constexpr std::int64_t few_columns = 64 * 64;
  const bool sixes = own_parts == 2 || (own_parts == 1 && extents.nj * extents.nk > few_columns);
  return sixes && extents.ni <= three_quarters_of_cluster * places_of_block
             ? three_quarters_of_cluster
             : cluster_blocks;
}

template <class Real>
std::vector<PartCell<Real>> cells_of(const Axis& axis, int padded) {
  const AxisCouplings couplings(axis);
  const std::size_t cells = axis.widths.size();
  std::vector<PartCell<Real>> result{{Real{0}, Real{0}}};
  for (std::size_t n = 0; n < static_cast<std::size_t>(padded); ++n) {
    const double width = n < cells ? axis.widths[n] : 0.0;
    const double above = couplings.above[std::min(n, cells - 2)];
    result.push_back({static_cast<Real>(width), static_cast<Real>(above)});
  }
  return result;
}

/// Of a column of modes (k, r, s).
double column_flops(int planes) {
  const int parts = (planes + radix - 1) / radix;
  const int steps = static_cast<int>(std::ceil(std::log2(parts)));
  return static_cast<double>(parts) * (part_flops() + link_flops(steps));
}

}  // namespace

int part_flops() {
  constexpr int couplings = 11;
  constexpr int sides = 11;
  constexpr int substitution = 11;
  constexpr int ends = 2 + 2;  // the separator's dominance, the flow from below
  return Part<double>::eliminated * (couplings + sides + substitution) + ends;
}

int link_flops(int steps) {
  constexpr int own_and_next = 3;  // what two parts add to a row
  constexpr int inverse = 3;
  constexpr int shares = 2 * 5;
  constexpr int taken = 2 * 3;
  constexpr int solution = 3;
  return own_and_next + steps * (inverse + shares + taken) + solution;
}

Sizes::Sizes(const Extents& extents)
    : planes(static_cast<int>(extents.ni)),
      rows(static_cast<int>(extents.nj)),
      columns(static_cast<int>(extents.nk)),
      radix_j(rows / RestTransform<double>::count),
      own_parts((planes + planes_of_parts - 1) / planes_of_parts),
      blocks(blocks_of_cluster(extents, own_parts)) {}

template <class Real>
Tables<Real>::Tables(const Domain& domain) {
  expects(three_passes_serve(domain), "three passes serve the domain");
  const Extents extents = domain.extents();
  const auto rounded = [](const std::vector<double>& values) {
    return std::vector<Real>(values.begin(), values.end());
  };
  cells = cells_of<Real>(domain.i, Sizes(extents).padded_planes());
  for (const double width : domain.i.widths) {
    side_scale.push_back(
        static_cast<Real>(-width / (2.0 * static_cast<double>(extents.nj * extents.nk))));
    per_width_i.push_back(static_cast<Real>(1.0 / width));
  }
  per_width_j = static_cast<Real>(1.0 / domain.j.widths.front());
  per_width_k = static_cast<Real>(1.0 / domain.k.widths.front());
  decay_j = rounded(decays_of(domain.j));
  decay_k = rounded(decays_of(domain.k));
  decay_k.resize(static_cast<std::size_t>(extents.nk / 2 + 1));
  roots_j = roots_of<Real>(extents.nj);
  roots_k = roots_of<Real>(extents.nk);
  inverse_length =
      static_cast<Real>(1.0 / std::reduce(domain.i.widths.begin(), domain.i.widths.end()));
}

template struct Tables<float>;
template struct Tables<double>;

}  // namespace three_pass

bool three_passes_serve(const Domain& domain) {
  const std::int64_t planes = domain.i.cells();
  return !domain.i.periodic && planes >= three_pass::fewest_planes &&
         planes <= three_pass::most_planes && three_pass::is_served(domain.j) &&
         three_pass::is_served(domain.k);
}

std::int64_t three_pass_bytes(const Domain& domain, std::size_t element_bytes) {
  const three_pass::Sizes sizes(domain.extents());
  const auto spectrum_reals = [&](auto real) {
    using Places = three_pass::Tiles<decltype(real)>;
    return 2 * Places(sizes.columns, sizes.radix_j).count() * Places::pitch(sizes.planes);
  };
  const std::int64_t spectrum =
      element_bytes == sizeof(float) ? spectrum_reals(float{}) : spectrum_reals(double{});
  const std::int64_t tables =
      2 * (sizes.padded_planes() + 1) + 2 * sizes.planes + 3 * sizes.rows + 3 * sizes.columns;
  return static_cast<std::int64_t>(element_bytes) * (domain.extents().count() + spectrum + tables);
}

Traffic three_pass_traffic(const Domain& domain, std::size_t element_bytes) {
  const Extents n = domain.extents();
  const three_pass::Sizes sizes(n);
  const auto cells = static_cast<double>(n.count());
  const double one_way = 3.0 * cells * static_cast<double>(element_bytes);
  const double transforms = 2.0 * 2.5 * std::log2(static_cast<double>(n.nj * n.nk)) * cells;
  const std::int64_t columns = n.nj * (n.nk / 2 + 1);
  return {one_way, one_way,
          transforms + static_cast<double>(columns) * three_pass::column_flops(sizes.planes)};
}

Traffic traffic_after_first_pass(const Domain& domain, std::size_t element_bytes) {
  Traffic traffic = three_pass_traffic(domain, element_bytes);
  const double field =
      static_cast<double>(domain.extents().count()) * static_cast<double>(element_bytes);
  traffic.bytes_read -= field;
  traffic.bytes_written -= field;
  return traffic;
}

}  // namespace bankfull::poisson
