#include "bankfull/numerics/poisson/direct/sizes.hpp"

#include "bankfull/numerics/poisson/direct/lanes.hpp"
#include "bankfull/numerics/poisson/direct/matrix_product.hpp"
#include "bankfull/numerics/poisson/direct/spectrum.hpp"

#include <algorithm>
#include <cmath>

namespace bankfull::poisson {
namespace {

/// Operations a cell, there and back.
double transform_flops(const Axis& axis) {
  const double one_way = has_own_basis(axis) ? product_flops({1, axis.cells(), 1})
                                             : 2.5 * std::log2(static_cast<double>(axis.cells()));
  return 2.0 * one_way;
}

Traffic direct_traffic(const Domain& domain, std::size_t element_bytes, int passes) {
  const Extents n = domain.extents();
  const auto cells = static_cast<double>(n.count());
  const double one_way = cells * static_cast<double>(element_bytes) * passes;
  const double transforms = cells * (transform_flops(domain.j) + transform_flops(domain.k));
  const auto pairs = static_cast<double>(half_spectrum(n.nj) * half_spectrum(n.nk));
  return {one_way, one_way, transforms + pairs * elimination_flops(domain)};
}

}  // namespace

std::int64_t work_reals(const Domain& domain, std::size_t element_bytes) {
  constexpr std::int64_t alignment = 64;
  const SpectrumLayout layout(domain.extents(), element_bytes);
  const std::int64_t needed =
      std::max(layout.plane_pitch + layout.row_pitch, LaneShape(domain, element_bytes).size());
  return (needed + alignment - 1) / alignment * alignment;
}

std::int64_t matrix_reals_of_j(const Domain& domain) {
  return has_own_basis(domain.j) ? 2 * domain.j.cells() * domain.j.cells() : 0;
}

std::int64_t matrix_reals_of_k(const Domain& domain, std::size_t element_bytes) {
  const std::int64_t cells = domain.k.cells();
  const SpectrumLayout layout(domain.extents(), element_bytes);
  return has_own_basis(domain.k) ? (cells + 2 * half_spectrum(cells)) * layout.row_pitch : 0;
}

double elimination_flops(const Domain& domain) {
  const int modes = modes_of(domain);
  const bool cyclic = domain.i.periodic;
  constexpr int amplitudes = 4;
  // Of a pair of elements: two complex products a way; sums of their parts, and back halves of
  // them.
  const bool rows_are_modes = has_own_basis(domain.j);
  const int twists = (rows_are_modes ? two_in_an_element(domain.k) : modes > 1) ? 2 * 6 : 0;
  const int separate = modes > 1 && !rows_are_modes ? 4 : 0;
  const int join = modes > 1 && !rows_are_modes ? 8 : 0;
  // Of a mode: its decay, the pivot, what is left; around, what goes to the root and is left there.
  const int eliminate = 1 + 5 + (cyclic ? 5 : 0);
  const int forward = twists + separate + modes * eliminate + amplitudes * (4 + (cyclic ? 2 : 0));
  const int back = join + twists + amplitudes * (2 + (cyclic ? 2 : 0));
  const int root = 2 * twists + separate + join + amplitudes * (3 + 3 + 1);
  return static_cast<double>(domain.i.cells() - 1) * (forward + back) + root;
}

Traffic cpu_direct_traffic(const Domain& domain, std::size_t element_bytes) {
  return direct_traffic(domain, element_bytes, 3);
}

Traffic gpu_direct_traffic(const Domain& domain, std::size_t element_bytes) {
  return direct_traffic(domain, element_bytes, 4);
}

GpuSizes::GpuSizes(const Domain& domain, std::size_t element_bytes, std::int64_t bytes_at_once) {
  const Extents n = domain.extents();
  const SpectrumLayout layout(n, element_bytes, spare_rows(n.nj));
  const auto plane_bytes = layout.plane_pitch * static_cast<std::int64_t>(element_bytes);
  // As many in every chunk, where that comes out even.
  const std::int64_t most = std::clamp<std::int64_t>(bytes_at_once / plane_bytes, 1, n.ni);
  const std::int64_t chunks = (n.ni + most - 1) / most;
  planes_at_once = (n.ni + chunks - 1) / chunks;
  // Lengths with large prime factors take cuFFT several times the memory of the data.
  constexpr std::int64_t times_data = 8;
  constexpr std::int64_t some = std::int64_t{1024} * 1024;
  max_transform_bytes = times_data * planes_at_once * plane_bytes + some;
  pairs = half_spectrum(n.nj) * half_spectrum(n.nk);
  const int modes = modes_of(domain);
  const int segment = segment_of(modes, domain.i.periodic);
  const std::int64_t checkpoints = (n.ni - 1 + segment - 1) / segment;
  // Cells of the elimination; decays and twists of both axes.
  table_reals = 4 * n.ni + 3 * (n.nj + 1 + n.nk + 1);
  checkpoint_reals = checkpoints * pairs * modes * (domain.i.periodic ? 2 : 1);
}

}  // namespace bankfull::poisson
