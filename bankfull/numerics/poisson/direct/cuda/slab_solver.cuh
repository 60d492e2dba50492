#pragma once

#include "bankfull/core/base/expects.hpp"
#include "bankfull/core/exec/launch.cuh"
#include "bankfull/numerics/poisson/direct.hpp"
#include "bankfull/numerics/poisson/direct/cuda/eliminate.cuh"
#include "bankfull/numerics/poisson/direct/cuda/modal_planes.cuh"
#include "bankfull/numerics/poisson/direct/cuda/roots.cuh"
#include "bankfull/numerics/poisson/direct/sizes.hpp"
#include "bankfull/numerics/poisson/direct/slabs.hpp"
#include "bankfull/numerics/poisson/direct/spectrum.hpp"

#include <cstddef>

namespace bankfull::poisson {

/// Leaves the pivots' part of the solution in the spectrum's place and sends the sides of the roots
/// to the ranks that solve for them.
template <class Real, class Kind>
__global__ void __launch_bounds__(GpuSizes::max_threads)
    send_sides(const __grid_constant__ EliminationData<Real> data,
               const __grid_constant__ RootMessages messages) {
  constexpr int amplitudes = RootBlocks::amplitudes;
  const RootBlocks& blocks = messages.blocks;
  const unsigned solve = epoch_of(messages.epoch);
  const int pair = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (pair < data.pairs) {
    ColumnPair<Real, Kind, true> columns(data, pair);
    Amplitudes<Real> own;
    Amplitudes<Real> below;
    columns.find_sides(own, below);
    const int owner = blocks.owner_of(pair);
    Real* const message = outgoing_message<Real>(messages.ends[owner], solve);
    Real* const at = message + (pair - blocks.share_of(owner).begin);
#pragma unroll
    for (int n4 = 0; n4 < amplitudes; ++n4) {
      at[n4 * blocks.pitch] = own.of[n4];
      at[(amplitudes + n4) * blocks.pitch] = below.of[n4];
    }
    if (pair == 0) {
      message[blocks.column()] = columns.response_sum();
    }
  }
  messages.tell(solve, 0);
}

/// From the solutions at the roots, which have arrived, down.
template <class Real, class Kind>
__global__ void __launch_bounds__(GpuSizes::max_threads)
    substitute_from_roots(const __grid_constant__ EliminationData<Real> data,
                          const __grid_constant__ RootMessages messages) {
  constexpr int amplitudes = RootBlocks::amplitudes;
  const RootBlocks& blocks = messages.blocks;
  const unsigned solve = epoch_of(messages.epoch);
  const int pair = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (pair < data.pairs) {
    const int owner = blocks.owner_of(pair);
    const Real* const message = incoming_message<Real>(messages.ends[owner], solve + 1);
    const Real* const at = message + (pair - blocks.share_of(owner).begin);
    Amplitudes<Real> own;
    Amplitudes<Real> below;
#pragma unroll
    for (int n4 = 0; n4 < amplitudes; ++n4) {
      own.of[n4] = __ldcg(at + n4 * blocks.pitch);
      below.of[n4] = __ldcg(at + (amplitudes + n4) * blocks.pitch);
    }
    const Real excess = pair == 0 ? __ldcg(message + blocks.column()) : Real{0};
    ColumnPair<Real, Kind, true>(data, pair).substitute(own, below, excess);
  }
  messages.end(solve);
}

/// What a sweep over an empty spectrum leaves of the couplings, in a block for each rank's share:
/// see RootSystems.
template <class Real, class Kind>
__global__ void __launch_bounds__(GpuSizes::max_threads)
    find_couplings(const __grid_constant__ EliminationData<Real> data,
                   const __grid_constant__ RootBlocks blocks, Real* couplings) {
  const int pair = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (pair >= data.pairs) {
    return;
  }
  ColumnPair<Real, Kind, true> columns(data, pair);
  Amplitudes<Real> own;
  Amplitudes<Real> below;
  columns.find_sides(own, below);
  const int owner = blocks.owner_of(pair);
  constexpr int rows = Kind::count * SlabCouplings<Real>::count;
  Real* at = couplings + owner * rows * blocks.pitch + (pair - blocks.share_of(owner).begin);
#pragma unroll
  for (int mode = 0; mode < Kind::count; ++mode) {
    const SlabCouplings<Real> left = columns.couplings(mode);
    at[0] = left.dominance;
    at[blocks.pitch] = left.closing;
    at[2 * blocks.pitch] = left.gain;
    at += SlabCouplings<Real>::count * blocks.pitch;
  }
}

/// The direct solver on the GPU of one of several ranks; see slabs.hpp. The memory traffic is that
/// of one GPU, where both sweeps cross memory, too, and of one plane more.
template <class Real>
class CudaSlabDirect final : public Solver<Real> {
 public:
  /// `sizes`: of the slab's ring.
  CudaSlabDirect(const Domain& domain, const Stream& stream, const Communicator& ranks,
                 Transport transport, const GpuSizes& sizes)
      : slab_(slab_of(domain, ranks.rank(), ranks.size())),
        stream_(&stream),
        blocks_(domain, ranks.size(), RootBlocks::Constant::sums),
        planes_(ring_of_slab(domain, slab_),
                EliminationTable<Real>(domain, gpu_length_of_transforms(domain)), slab_, stream,
                sizes),
        roots_(ranks, blocks_, transport, stream) {
    expects(direct_unavailable(stream.device(), domain).empty(), "this build serves the domain");
    planes_.with_kind([&]<class Kind>(Kind /*kind*/) { factorise<Kind>(ranks); });
    const Traffic mine = gpu_direct_traffic(ring_of_slab(domain, slab_), sizeof(Real));
    traffic_ = {ranks.sum(mine.bytes_read), ranks.sum(mine.bytes_written), ranks.sum(mine.flops)};
  }

  [[nodiscard]] CellSlots<Real> right_side() const override { return planes_.slots(); }
  [[nodiscard]] CellSlots<Real> solution() const override { return planes_.slots(); }

  void solve() override {
    planes_.queue_forward();
    planes_.with_kind([this]<class Kind>(Kind /*kind*/) {
      const LaunchShape shape = planes_.shape_for_columns();
      launch(*stream_, shape, send_sides<Real, Kind>, planes_.data(), roots_.messages());
      roots_.queue_solve();
      launch(*stream_, shape, substitute_from_roots<Real, Kind>, planes_.data(), roots_.messages());
    });
    planes_.queue_back();
  }

  [[nodiscard]] bool recordable() const override { return roots_.recordable(); }
  [[nodiscard]] Traffic traffic() const override { return traffic_; }

 private:
  template <class Kind>
  void factorise(const Communicator& ranks) {
    const std::int64_t reals =
        blocks_.ranks * RootSystems<Real>::block_of_couplings(blocks_, Kind::count);
    const Buffer<Real> couplings(MemorySpace::device, static_cast<std::size_t>(reals));
    fill_bytes(couplings.data(), 0, couplings.bytes(), *stream_);
    launch(*stream_, planes_.shape_for_columns(), find_couplings<Real, Kind>, planes_.data(),
           blocks_, couplings.data());
    roots_.factorise(ranks, couplings, Kind::count, planes_.data());
  }

  Range slab_;
  const Stream* stream_;
  RootBlocks blocks_;
  CudaModalPlanes<Real> planes_;
  CudaRoots<Real> roots_;
  Traffic traffic_;
};

}  // namespace bankfull::poisson
