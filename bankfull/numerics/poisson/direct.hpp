#pragma once

#include "bankfull/core/comm/communicator.hpp"
#include "bankfull/core/comm/decomposition.hpp"
#include "bankfull/core/comm/transport.hpp"
#include "bankfull/core/exec/stream.hpp"
#include "bankfull/core/machine/device.hpp"
#include "bankfull/numerics/poisson/poisson.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

namespace bankfull::poisson {

// The direct solver: along j and k Fourier transforms of periodic axes, cosine transforms of those
// that end at walls, and products with the eigenvectors of stretched ones; an elimination along i
// for each mode, and back. The solution is exact to rounding and has no mean. Right side and
// solution share one memory.
//
// Axis i may be stretched at no cost. A product along j or k takes 4 operations per cell and mode,
// and its rounding grows with the square root of the ratio of widths: let i be the axis that is
// stretched the most.

/// Why this program has no direct solver of this domain for the device; empty if it has.
std::string direct_unavailable(Device device, const Domain& domain);

/// Throws UsageError where this program cannot solve a domain directly on any device: where the
/// domain lacks cells (see require_cells), or where j or k is stretched and there is no Eigen.
void require_direct(const Domain& domain);

/// Bytes that the solver allocates at most, on the GPU or, with a team of `threads`, on the host.
std::int64_t direct_bytes(const Domain& domain, std::size_t element_bytes, bool on_gpu,
                          int threads = 1);

/// By transforms of our own (see PlaneTransforms) and, where j or k is stretched, in builds with
/// build::eigen only, by products with eigenvectors that Eigen finds. A solution has the same bits
/// in every run and for any number of threads. Throws as require_direct does, like all functions
/// that make a direct solver.
template <class Real>
std::unique_ptr<Solver<Real>> make_cpu_direct(const Domain& domain, int threads);

/// The same for cores with so much of a second-level cache, in place of this machine's: see
/// goes_past_caches. The bits are the same.
template <class Real>
std::unique_ptr<Solver<Real>> make_cpu_direct(const Domain& domain, int threads,
                                              std::int64_t second_level_bytes);

/// The planes of each rank: slabs along i, whose other axes are whole. Throws UsageError where a
/// rank would get no plane.
Decomposition direct_slabs(const Domain& domain, int ranks);

/// Bytes that a rank's solver allocates at most, on its GPU or, with a team of `threads`, on the
/// host.
std::int64_t direct_slab_bytes(const Domain& domain, std::size_t element_bytes, bool on_gpu,
                               int threads, int ranks);

/// What a solve costs the rank with the thickest slab, known before there is a solver. On a GPU
/// that of the passes that serve all domains: a solver's traffic() knows better.
struct DirectCost {
  Traffic traffic;  ///< on CPUs of several ranks at most: sweeps for sides may end early
  std::int64_t sent_bytes = 0;  ///< to other ranks; 0 on one rank
  int messages = 0;             ///< that it sends, in two exchanges
};

/// The cost of one solve on so many ranks; `element_bytes` is the size of a Real.
DirectCost direct_cost(const Domain& domain, std::size_t element_bytes, bool on_gpu, int ranks);

/// The same solver on ranks: cell (0, 0, 0) of its slots is the first cell of this rank's slab. It
/// reads the right side of the slab only, and leaves the solution of the slab and of the plane
/// before it, i = -1, which costs no message: there is none below a wall, and around a periodic
/// axis it is the last one of the domain.
///
/// Collective, as is every solve; `ranks` must outlive it. The solution has the same bits in every
/// run on as many ranks, for any number of threads, and agrees with that of one rank to rounding.
/// traffic() is that of all ranks together. On one rank it is the solver of one rank.
template <class Real>
std::unique_ptr<Solver<Real>> make_cpu_direct(const Domain& domain, int threads,
                                              const Communicator& ranks);

/// Where j and k are periodic, of 64, 96, 128, 192, 256, 384 or 512 uniform cells, and i ends at
/// walls, of 32 to 512 cells, and where the GPU has clusters of blocks (compute capability 9.0 or
/// newer): by transforms of our own, in three passes over memory, the first of which can form the
/// divergence of a velocity itself; see direct/three_pass/sizes.hpp.
///
/// Elsewhere by cuFFT, which has no cosine transform: axes that end at walls are folded, see
/// CellSlots. Where j or k is stretched, in builds with build::eigen only, by products along both
/// of them. Throws RuntimeFailure where cuFFT is missing. Exists in builds with build::cufft only.
template <class Real>
std::unique_ptr<Solver<Real>> make_cuda_direct(const Domain& domain, const Stream& stream);

/// The same on ranks; see make_cpu_direct. What travels is written by the kernels that make it,
/// into the memory of other GPUs where the transport can. solve() may be recorded where
/// recordable() says so. Throws UsageError where the requested transport is not available.
template <class Real>
std::unique_ptr<Solver<Real>> make_cuda_direct(const Domain& domain, const Stream& stream,
                                               const Communicator& ranks,
                                               Transport transport = Transport::automatic);

}  // namespace bankfull::poisson
