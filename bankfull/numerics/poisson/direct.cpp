#include "bankfull/numerics/poisson/direct.hpp"

#include "bankfull/build_config.hpp"
#include "bankfull/core/base/build_facts.hpp"
#include "bankfull/core/base/error.hpp"
#include "bankfull/core/exec/cufft.hpp"
#include "bankfull/core/machine/cpu.hpp"
#include "bankfull/numerics/poisson/direct/cpu/root_exchange.hpp"
#include "bankfull/numerics/poisson/direct/lanes.hpp"
#include "bankfull/numerics/poisson/direct/root_systems.hpp"
#include "bankfull/numerics/poisson/direct/sizes.hpp"
#include "bankfull/numerics/poisson/direct/slabs.hpp"
#include "bankfull/numerics/poisson/direct/spectrum.hpp"
#include "bankfull/numerics/poisson/direct/three_pass/sizes.hpp"

#include <algorithm>
#include <string>

namespace bankfull::poisson {

namespace {

/// Why this program has no direct solver of the domain on any device; empty if it has.
std::string unavailable_anywhere(const Domain& domain) {
  if (!is_transformed(domain) && !build::eigen) {
    return "two axes must be uniform, for this program has no Eigen: " +
           build_facts().eigen_unavailable_reason;
  }
  return "";
}

}  // namespace

void require_direct(const Domain& domain) {
  require_cells(domain);
  const std::string reason = unavailable_anywhere(domain);
  require(reason.empty(), "no direct solver of a domain stretched along j or k: " + reason,
          "stretch axis i alone, or use multigrid");
}

std::string direct_unavailable(Device device, const Domain& domain) {
  if (std::string reason = unavailable_anywhere(domain); !reason.empty()) {
    return reason;
  }
  if (!device.is_cuda()) {
    return "";
  }
  if constexpr (build::cufft) {
    return cufft_unavailable_reason().empty()
               ? ""
               : "cuFFT cannot be used: " + cufft_unavailable_reason();
  } else {
    return build::cuda
               ? "no cuFFT was found when this program was built"
               : "this program has no CUDA backend: " + build_facts().cuda_unavailable_reason;
  }
}

std::int64_t direct_bytes(const Domain& domain, std::size_t element_bytes, bool on_gpu,
                          int threads) {
  const auto bytes = static_cast<std::int64_t>(element_bytes);
  if (!on_gpu) {
    const SpectrumLayout layout(domain.extents(), element_bytes);
    const LaneShape lanes(domain, element_bytes);
    const bool past_caches = goes_past_caches(domain, element_bytes, second_level_cache_of_core());
    return bytes * (layout.size + threads * work_reals(domain, element_bytes, lanes, past_caches) +
                    matrix_reals_of_j(domain) + matrix_reals_of_k(domain, element_bytes));
  }
  const SpectrumLayout layout(domain.extents(), element_bytes, spare_rows(domain.j.cells()));
  const GpuSizes sizes(domain, element_bytes);
  const std::int64_t in_place = bytes * (layout.size + sizes.checkpoint_reals + sizes.table_reals) +
                                sizes.max_transform_bytes;
  // Which of both it is depends on the GPU.
  return three_passes_serve(domain) ? std::max(in_place, three_pass_bytes(domain, element_bytes))
                                    : in_place;
}

Decomposition direct_slabs(const Domain& domain, int ranks) {
  const std::int64_t planes = domain.i.cells();
  const auto counted = [](std::int64_t count, const std::string& noun) {
    return std::to_string(count) + ' ' + noun + (count == 1 ? "" : "s");
  };
  require(ranks <= planes,
          "the direct pressure solver cannot share " + counted(planes, "plane") + " among " +
              counted(ranks, "rank"),
          "use at most " + counted(planes, "rank") + ", or multigrid");
  const Periodicity periodic{domain.i.periodic, domain.j.periodic, domain.k.periodic};
  return {domain.extents(), {ranks, 1, 1}, periodic};
}

std::int64_t direct_slab_bytes(const Domain& domain, std::size_t element_bytes, bool on_gpu,
                               int threads, int ranks) {
  if (ranks == 1) {
    return direct_bytes(domain, element_bytes, on_gpu, threads);
  }
  const auto bytes = static_cast<std::int64_t>(element_bytes);
  const std::int64_t planes = slab_of(domain, 0, ranks).size();
  if (on_gpu) {
    const RootBlocks blocks(domain, ranks, RootBlocks::Constant::sums);
    return direct_bytes(ring_of_slab(domain, slab_of(domain, 0, ranks)), element_bytes, true) +
           gpu_root_bytes(domain, blocks, element_bytes);
  }
  const RootBlocks blocks(domain, ranks, RootBlocks::Constant::column);
  const SpectrumLayout layout = slab_layout(domain, planes + 1, element_bytes);
  const LaneShape lanes = LaneShape::of_slab(domain, planes, element_bytes);
  return bytes *
         (layout.size + threads * work_reals(domain, element_bytes, lanes, false) +
          matrix_reals_of_j(domain) + matrix_reals_of_k(domain, element_bytes) +
          RootExchange<double>::size(blocks) + RootSystems<double>::size(blocks, modes_of(domain)));
}

DirectCost direct_cost(const Domain& domain, std::size_t element_bytes, bool on_gpu, int ranks) {
  if (ranks == 1) {
    return {.traffic = on_gpu ? gpu_direct_traffic(domain, element_bytes)
                              : cpu_direct_traffic(domain, element_bytes)};
  }
  using Constant = RootBlocks::Constant;
  const Range slab = slab_of(domain, 0, ranks);
  const RootBlocks blocks(domain, ranks, on_gpu ? Constant::sums : Constant::column);
  DirectCost cost{.sent_bytes = blocks.sent_bytes(element_bytes), .messages = 2 * (ranks - 1)};
  if (on_gpu) {
    cost.traffic = gpu_direct_traffic(ring_of_slab(domain, slab), element_bytes);
  } else {
    SlabSweeps whole(slab.size(), SlabReach{slab.size() - 1, 0});
    whole.below = 1.0;
    cost.traffic = cpu_slab_traffic(domain, whole, ranks, element_bytes);
  }
  return cost;
}

}  // namespace bankfull::poisson
