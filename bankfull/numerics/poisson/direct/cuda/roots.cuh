#pragma once

#include "bankfull/core/base/expects.hpp"
#include "bankfull/core/comm/communicator.hpp"
#include "bankfull/core/comm/device_copy.hpp"
#include "bankfull/core/comm/gpu_transport.hpp"
#include "bankfull/core/comm/peer_signals.cuh"
#include "bankfull/core/exec/launch.cuh"
#include "bankfull/core/memory/buffer.hpp"
#include "bankfull/core/memory/memory.hpp"
#include "bankfull/numerics/poisson/direct/root_systems.hpp"
#include "bankfull/numerics/poisson/direct/slabs.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace bankfull::poisson {

/// The blocks that travel between slabs and the ranks that solve for their roots, as kernels see
/// them. A solve is two exchanges of one transport: sides, then solutions.
struct RootMessages {
  RootBlocks blocks;
  const GpuMessageEnds* ends = nullptr;  ///< of all ranks, the own one too
  unsigned* epoch = nullptr;             ///< null for transports without slots and counters
  unsigned* ticket = nullptr;            ///< counts blocks that are done; 0 between launches

  static constexpr unsigned exchanges = 2;

  /// Called by all threads of all blocks when they have written the messages of exchange `number`
  /// of this solve.
  __device__ void tell(unsigned solve, unsigned number) const {
    if (epoch != nullptr && is_last_block(ticket)) {
      for (int n = static_cast<int>(threadIdx.x); n < blocks.ranks;
           n += static_cast<int>(blockDim.x)) {
        raise(ends[n].sent_count, solve + number + 1);
      }
    }
  }

  /// Called by all threads of all blocks when they have read the solve's last messages.
  __device__ void end(unsigned solve) const {
    if (epoch != nullptr && is_last_block(ticket) && threadIdx.x == 0) {
      *epoch = solve + exchanges;
    }
  }
};

/// Waits for the messages of all ranks in one small block, so that blocks that read them hold no
/// places meanwhile.
static __global__ void await_root_messages(const __grid_constant__ RootMessages messages,
                                           unsigned number) {
  const unsigned solve = *messages.epoch;
  for (int n = static_cast<int>(threadIdx.x); n < messages.blocks.ranks;
       n += static_cast<int>(blockDim.x)) {
    wait_until(messages.ends[n].received_count, solve + number + 1);
  }
}

/// What RootSystems has, in GPU memory.
template <class Real>
struct RootFactors {
  const Real* factors;  ///< of slab, mode and place, for all pairs of the share
  Real* particular;     ///< room for a solution of each slab and amplitude
  int modes;
  int pairs;           ///< of the share
  bool constant;       ///< whether the first pair has the constant mode
  Real length;         ///< see EliminationTable
  Real mean_response;  ///< likewise
};

/// One amplitude of a pair of columns: the roots of all slabs, by one thread. See RootSystems.
template <class Real>
class RootColumn {
 public:
  __device__ RootColumn(const RootFactors<Real>& systems, const RootMessages& messages,
                        unsigned solve, int pair, int amplitude)
      : systems_(systems),
        messages_(messages),
        solve_(solve),
        pair_(pair),
        amplitude_(amplitude),
        root_(messages.blocks.ranks - 1) {}

  __device__ void run() const {
    const Real root = eliminate();
    Real next = root;
    put(root_, next);
    for (int slab = root_ - 1; slab >= 0; --slab) {
      next = *particular(slab) + factor(slab, 1) * next + factor(slab, 2) * root;
      put(slab, next);
    }
  }

 private:
  static constexpr int amplitudes = RootBlocks::amplitudes;

  /// Up to the last root's solution.
  [[nodiscard]] __device__ Real eliminate() const {
    Real passed = 0;
    Real root_side = 0;
    for (int slab = 0; slab < root_; ++slab) {
      const Real right_side =
          side(slab, amplitude_) + side(slab + 1, amplitudes + amplitude_) + passed;
      passed = factor(slab, 1) * right_side;
      root_side += factor(slab, 2) * right_side;
      *particular(slab) = factor(slab, 0) * right_side;
    }
    const Real total =
        side(root_, amplitude_) + side(0, amplitudes + amplitude_) + passed + root_side;
    return systems_.constant && pair_ == 0 && amplitude_ == 0 ? root_of_constant_mode(total)
                                                              : factor(root_, 0) * total;
  }

  /// Its rows have no dominance: all right sides have come to `total`. See ColumnPair::turn.
  [[nodiscard]] __device__ Real root_of_constant_mode(Real total) const {
    const std::int64_t place = messages_.blocks.column();
    Real response_sum = 0;
    for (int slab = 0; slab <= root_; ++slab) {
      response_sum += __ldcg(received(slab) + place);
    }
    const Real excess = total / systems_.length;
    for (int slab = 0; slab <= root_; ++slab) {
      sent(slab)[place] = excess;
    }
    return excess * systems_.mean_response - response_sum / systems_.length;
  }

  [[nodiscard]] __device__ const Real* received(int slab) const {
    return incoming_message<Real>(messages_.ends[slab], solve_);
  }
  [[nodiscard]] __device__ Real* sent(int slab) const {
    return outgoing_message<Real>(messages_.ends[slab], solve_ + 1);
  }

  [[nodiscard]] __device__ Real side(int slab, int row) const {
    return __ldcg(received(slab) + row * messages_.blocks.pitch + pair_);
  }

  /// To its slab and to the one above. All sides have been read: where one memory serves both ways
  /// nothing is lost.
  __device__ void put(int slab, Real solution) const {
    const std::int64_t pitch = messages_.blocks.pitch;
    const int above = slab < root_ ? slab + 1 : 0;
    sent(slab)[amplitude_ * pitch + pair_] = solution;
    sent(above)[(amplitudes + amplitude_) * pitch + pair_] = solution;
  }

  [[nodiscard]] __device__ Real factor(int slab, int which) const {
    const int mode = amplitude_ * systems_.modes / amplitudes;
    const int row = (slab * systems_.modes + mode) * SlabCouplings<Real>::count + which;
    return systems_.factors[row * messages_.blocks.pitch + pair_];
  }

  [[nodiscard]] __device__ Real* particular(int slab) const {
    return systems_.particular + (slab * amplitudes + amplitude_) * messages_.blocks.pitch + pair_;
  }

  const RootFactors<Real>& systems_;
  const RootMessages& messages_;
  unsigned solve_;
  int pair_;
  int amplitude_;
  int root_;
};

/// blockIdx.y: the amplitude.
template <class Real>
__global__ void solve_for_roots(const __grid_constant__ RootFactors<Real> systems,
                                const __grid_constant__ RootMessages messages) {
  const unsigned solve = epoch_of(messages.epoch);
  const int pair = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (pair < systems.pairs) {
    RootColumn<Real>(systems, messages, solve, pair, static_cast<int>(blockIdx.y)).run();
  }
  messages.tell(solve, 1);
}

/// The systems of the roots of this rank's share, and their messages.
template <class Real>
class CudaRoots {
 public:
  /// Collective, as is destroying it.
  CudaRoots(const Communicator& ranks, const RootBlocks& blocks, Transport wanted,
            const Stream& stream)
      : blocks_(blocks), share_(blocks.share_of(ranks.rank())), stream_(&stream) {
    select(stream.device());
    std::vector<MessageSize> sizes;
    for (int rank = 0; rank < blocks.ranks; ++rank) {
      sizes.push_back({rank, static_cast<std::size_t>(blocks.size()) * sizeof(Real)});
    }
    chosen_ = make_gpu_transport(wanted, ranks, sizes, stream);
    ends_ = device_copy(chosen_.transport->ends(), stream);
    ticket_ = device_copy(std::vector<unsigned>{0}, stream);
  }

  /// Collective: `couplings` of this rank's slab, a block for each rank's share in GPU memory.
  void factorise(const Communicator& ranks, const Buffer<Real>& couplings, int modes,
                 const EliminationData<Real>& data) {
    const RootSystems<Real> systems(blocks_, modes);
    std::vector<Real> sent(couplings.size());
    copy_bytes(sent.data(), couplings.data(), couplings.bytes(), *stream_);
    stream_->synchronize();
    const std::vector<std::size_t> bytes(
        static_cast<std::size_t>(blocks_.ranks),
        static_cast<std::size_t>(RootSystems<Real>::block_of_couplings(blocks_, modes)) *
            sizeof(Real));
    ranks.all_to_all(sent.data(), bytes, systems.couplings(0), bytes);
    systems.factorise(share_.size());
    const Real* const first = systems.couplings(0);
    factors_ = device_copy(std::vector<Real>(first, first + couplings.size()), *stream_);
    particular_ = Buffer<Real>(
        MemorySpace::device,
        static_cast<std::size_t>(blocks_.ranks * RootBlocks::amplitudes * blocks_.pitch));
    systems_ = {.factors = factors_.data(),
                .particular = particular_.data(),
                .modes = modes,
                .pairs = static_cast<int>(share_.size()),
                .constant = share_.holds(0),
                .length = data.length,
                .mean_response = data.mean_response};
  }

  [[nodiscard]] RootMessages messages() const {
    return {blocks_, ends_.data(), chosen_.transport->epoch(), ticket_.data()};
  }
  [[nodiscard]] bool recordable() const { return chosen_.transport->recordable(); }

  /// Once a kernel is queued that writes sides and notifies the other ranks: what is queued after
  /// it finds solutions.
  void queue_solve() const {
    exchange(0);
    constexpr unsigned threads = 128;
    // One block even if there is no pair: it notifies the other ranks.
    const auto count = static_cast<unsigned>(share_.size());
    const unsigned blocks = count > 0 ? (count + threads - 1) / threads : 1;
    launch(*stream_, {dim3(blocks, RootBlocks::amplitudes), dim3(threads)}, solve_for_roots<Real>,
           systems_, messages());
    exchange(1);
  }

 private:
  void exchange(unsigned number) const {
    chosen_.transport->packed(*stream_);
    chosen_.transport->before_unpacking(*stream_);
    if (chosen_.transport->epoch() != nullptr) {
      launch(*stream_, {dim3(1), dim3(32)}, await_root_messages, messages(), number);
    }
  }

  RootBlocks blocks_;
  Range share_;
  const Stream* stream_;
  ChosenTransport chosen_;
  Buffer<GpuMessageEnds> ends_;
  Buffer<unsigned> ticket_;
  Buffer<Real> factors_;
  Buffer<Real> particular_;
  RootFactors<Real> systems_{};
};

}  // namespace bankfull::poisson
