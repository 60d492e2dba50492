#pragma once

#include "bankfull/core/exec/stream.hpp"
#include "bankfull/core/machine/device.hpp"
#include "bankfull/numerics/poisson/poisson.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

namespace bankfull::poisson {

// The direct solver: Fourier transforms along periodic axes j and k, cosine transforms along those
// that end at walls, an elimination along i for each mode, and back. The solution is exact to
// rounding and has no mean. Right side and solution share one memory.

/// Whether the direct solver can be used on this domain: axes j and k are uniform.
bool direct_serves(const Domain& domain);

/// Why this program has no direct solver for the device; empty if it has.
std::string direct_unavailable(Device device);

/// Bytes that the solver allocates at most, on the GPU or, with a team of `threads`, on the host.
std::int64_t direct_bytes(const Domain& domain, std::size_t element_bytes, bool on_gpu,
                          int threads = 1);

/// By FFTW. Its plans are estimated, not measured: so a solution has the same bits in every run and
/// for any number of threads. Exists in builds with build::fftw only.
template <class Real>
std::unique_ptr<Solver<Real>> make_cpu_direct(const Domain& domain, int threads);

/// By cuFFT, which has no cosine transform: axes that end at walls are folded, see CellSlots.
/// Throws RuntimeFailure where cuFFT is missing. Exists in builds with build::cufft only.
template <class Real>
std::unique_ptr<Solver<Real>> make_cuda_direct(const Domain& domain, const Stream& stream);

}  // namespace bankfull::poisson
