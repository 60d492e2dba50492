#include "bankfull/numerics/poisson/direct/sizes.hpp"

#include "bankfull/numerics/poisson/direct/cpu/plane_transforms.hpp"
#include "bankfull/numerics/poisson/direct/lanes.hpp"
#include "bankfull/numerics/poisson/direct/matrix_product.hpp"
#include "bankfull/numerics/poisson/direct/modes.hpp"
#include "bankfull/numerics/poisson/direct/slabs.hpp"
#include "bankfull/numerics/poisson/direct/spectrum.hpp"

#include <algorithm>
#include <cmath>

namespace bankfull::poisson {
namespace {

/// How a solver takes planes to modes, and what the elimination meets there.
struct PlaneModes {
  bool product_j = false;  ///< or a transform
  bool product_k = false;
  int count = 1;  ///< of different modes in a pair of elements
  bool twisted = false;

  static PlaneModes on_cpu(const Domain& domain) {
    PlaneModes modes{.product_j = has_own_basis(domain.j),
                     .product_k = has_own_basis(domain.k),
                     .count = modes_of(domain)};
    modes.twisted = modes.product_j ? two_in_an_element(domain.k) : modes.count > 1;
    return modes;
  }

  static PlaneModes on_gpu(const Domain& domain) {
    return is_transformed(domain) ? on_cpu(domain)
                                  : PlaneModes{.product_j = true,
                                               .product_k = true,
                                               .count = RowModes<true>::count,
                                               .twisted = true};
  }
};

/// Operations on one pair of columns.
struct EliminationFlops {
  static constexpr int amplitudes = 4;

  int forward = 0;  ///< of a cell on the way up
  int back = 0;     ///< and on the way down
  int reach = 0;    ///< of these from a cell's elements to its amplitudes
  int leave = 0;    ///< and back

  EliminationFlops(bool cyclic, const PlaneModes& modes) {
    // Per pair of elements and direction: two complex products; their parts are added on the way
    // out, and their halves on the way back.
    const int twists = modes.twisted ? 2 * 6 : 0;
    const bool separated = modes.count > 1 && !modes.product_j;
    reach = twists + (separated ? 4 : 0);
    leave = twists + (separated ? 8 : 0);
    // Per mode: its decay, the pivot and the remainder; if cyclic, also what goes to the root and
    // what remains there.
    const int eliminate = 1 + 5 + (cyclic ? 5 : 0);
    forward = reach + modes.count * eliminate + amplitudes * (4 + (cyclic ? 2 : 0));
    back = leave + amplitudes * (2 + (cyclic ? 2 : 0));
  }
};

double flops_of_elimination(const Axis& axis, const PlaneModes& modes) {
  const EliminationFlops flops(axis.periodic, modes);
  const int root = flops.reach + flops.leave + EliminationFlops::amplitudes * (3 + 3 + 1);
  return static_cast<double>(axis.cells() - 1) * (flops.forward + flops.back) + root;
}

/// Operations per cell, there and back.
double transform_flops(std::int64_t cells, bool by_product) {
  const double one_way =
      by_product ? product_flops({1, cells, 1}) : 2.5 * std::log2(static_cast<double>(cells));
  return 2.0 * one_way;
}

Traffic direct_traffic(const Domain& domain, std::size_t element_bytes, int passes,
                       const PlaneModes& modes) {
  const Extents n = domain.extents();
  const auto cells = static_cast<double>(n.count());
  const double one_way = cells * static_cast<double>(element_bytes) * passes;
  const double transforms =
      cells * (transform_flops(n.nj, modes.product_j) + transform_flops(n.nk, modes.product_k));
  const auto pairs = static_cast<double>(half_spectrum(n.nj) * half_spectrum(n.nk));
  return {one_way, one_way, transforms + pairs * flops_of_elimination(domain.i, modes)};
}

/// The sizes of the matrices that take rows along j and places along k to modes, and back.
std::int64_t product_reals(const Extents& n) {
  return 2 * n.nj * n.nj + 4 * n.nk * half_spectrum(n.nk);
}

}  // namespace

bool goes_past_caches(const Domain& domain, std::size_t element_bytes,
                      std::int64_t second_level_bytes) {
  constexpr std::int64_t large_cache = 2 * mib;
  constexpr std::int64_t least_bytes = 16 * mib;
  constexpr std::int64_t most_of_plane = 4 * mib;
  const auto bytes = static_cast<std::int64_t>(element_bytes);
  const std::int64_t rows = element_bytes == sizeof(float)
                                ? PlaneTransforms<float>::rows_at_once()
                                : PlaneTransforms<double>::rows_at_once();
  const SpectrumLayout layout(domain.extents(), element_bytes);
  return second_level_bytes >= large_cache && is_transformed(domain) && domain.j.cells() >= rows &&
         layout.size * bytes >= least_bytes && layout.plane_pitch * bytes <= most_of_plane;
}

std::int64_t work_reals(const Domain& domain, std::size_t element_bytes, const LaneShape& lanes,
                        bool past_caches) {
  constexpr std::int64_t alignment = 64;
  const auto of_transforms = element_bytes == sizeof(float) ? PlaneTransforms<float>::work_reals
                                                            : PlaneTransforms<double>::work_reals;
  const bool has_plane = !is_transformed(domain) || past_caches;
  const std::int64_t between = has_plane ? slab_layout(domain, 1, element_bytes).plane_pitch : 0;
  const std::int64_t needed =
      std::max(of_transforms(domain.j.cells(), domain.k.cells()) + between, lanes.size());
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

bool is_transformed(const Domain& domain) {
  return !has_own_basis(domain.j) && !has_own_basis(domain.k);
}

double elimination_flops(const Domain& domain) {
  return flops_of_elimination(domain.i, PlaneModes::on_cpu(domain));
}

double slab_elimination_flops(const Domain& domain, const SlabSweeps& sweeps) {
  const PlaneModes modes = PlaneModes::on_cpu(domain);
  const EliminationFlops closed(true, modes);
  const EliminationFlops open(false, modes);
  const int root = open.reach + EliminationFlops::amplitudes * 2 + open.leave;
  return sweeps.closed * (2 * closed.forward + closed.back) +
         (sweeps.sides - sweeps.closed) * open.forward +
         (sweeps.cells - 1.0 - sweeps.closed) * (open.forward + open.back) + root;
}

double root_system_flops(int ranks) {
  // Per amplitude: two sums, three products and a sum on the way up, two sums and two products on
  // the way down; at the last root three sums and a product.
  constexpr int of_a_root = 6 + 4;
  constexpr int of_the_last = 4;
  return EliminationFlops::amplitudes * static_cast<double>((ranks - 1) * of_a_root + of_the_last);
}

Traffic cpu_direct_traffic(const Domain& domain, std::size_t element_bytes) {
  return direct_traffic(domain, element_bytes, 3, PlaneModes::on_cpu(domain));
}

Traffic cpu_traffic_after_divergence(const Domain& domain, std::size_t element_bytes) {
  return direct_traffic(domain, element_bytes, 2, PlaneModes::on_cpu(domain));
}

Traffic cpu_slab_traffic(const Domain& domain, const SlabSweeps& sweeps, int ranks,
                         std::size_t element_bytes) {
  const Extents n = domain.extents();
  const PlaneModes modes = PlaneModes::on_cpu(domain);
  const RootBlocks blocks(domain, ranks, RootBlocks::Constant::column);
  const auto plane = static_cast<double>(n.nj * n.nk);
  const double cells = plane * sweeps.cells;
  const double again = plane * (sweeps.sides + 1.0);
  const double below = plane * sweeps.below;
  const auto pairs = static_cast<double>(blocks.pairs);
  const auto bytes = static_cast<double>(element_bytes);
  // Blocks of the slab, those of the share, and here the factors of as many systems.
  const double sides = pairs * RootBlocks::sides;
  const double factors = pairs * modes.count * SlabCouplings<double>::count;
  const double transform =
      transform_flops(n.nj, modes.product_j) + transform_flops(n.nk, modes.product_k);
  const double eliminate =
      slab_elimination_flops(domain, sweeps) + root_system_flops(ranks) / ranks;
  return {bytes * (3.0 * cells + again + below + 2.0 * sides + factors),
          bytes * (3.0 * cells + 2.0 * below + 2.0 * sides),
          (cells + 0.5 * below) * transform + pairs * eliminate};
}

Traffic gpu_direct_traffic(const Domain& domain, std::size_t element_bytes) {
  return direct_traffic(domain, element_bytes, 4, PlaneModes::on_gpu(domain));
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
  const int modes = PlaneModes::on_gpu(domain).count;
  const int segment = segment_of(modes, domain.i.periodic);
  const std::int64_t checkpoints = (n.ni - 1 + segment - 1) / segment;
  // Cells of the elimination; decays and twists of both axes.
  table_reals = 4 * n.ni + 3 * (n.nj + 1 + n.nk + 1);
  if (!is_transformed(domain)) {
    table_reals += product_reals(n);
    max_transform_bytes = planes_at_once * plane_bytes;
  }
  checkpoint_reals = checkpoints * pairs * modes * (domain.i.periodic ? 2 : 1);
}

std::int64_t gpu_root_bytes(const Domain& domain, const RootBlocks& blocks,
                            std::size_t element_bytes) {
  const auto bytes = static_cast<std::int64_t>(element_bytes);
  // Two slots of an inbox, or what goes out and what comes in, both on lines of their own; an inbox
  // is a whole allocation of the driver's.
  constexpr std::int64_t line = 128;
  constexpr std::int64_t own_allocation = 2 * mib;
  const std::int64_t message = bytes * blocks.size() + line;
  const int modes = PlaneModes::on_gpu(domain).count;
  const std::int64_t couplings = blocks.pitch * modes * SlabCouplings<double>::count;
  const std::int64_t particular = RootBlocks::amplitudes * blocks.pitch;
  // Couplings leave by memory of their own while the solver is made.
  return blocks.ranks * (2 * message + line + bytes * (2 * couplings + particular)) +
         own_allocation + line + blocks.pairs * static_cast<std::int64_t>(sizeof(int));
}

}  // namespace bankfull::poisson
