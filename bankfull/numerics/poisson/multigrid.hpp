#pragma once

#include "bankfull/numerics/poisson/poisson.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>

namespace bankfull::poisson {

/// Geometric multigrid for any domain: any numbers of cells, anisotropic cells, stretched axes.
///
/// The iterate and the right side are Real; each cycle finds a correction for the residual in fp32
/// (mixed-precision defect correction). The smoother is red-black Gauss-Seidel, over-relaxed after
/// I. Yavneh, "On red-black SOR smoothing in multigrid", SIAM J. Sci. Comput. 17 (1996) 180-192.
/// A solve starts from solution(); where that is worse than zero, or after forget(), by full
/// multigrid from zero. It ends with converged = false after Stopping::max_cycles, or when the
/// residual no longer falls.
///
/// Results are bitwise the same for any number of threads.
template <class Real>
std::unique_ptr<Solver<Real>> make_cpu_multigrid(const Domain& domain, Stopping stopping,
                                                 int threads);

/// In builds with CUDA only.
template <class Real>
std::unique_ptr<Solver<Real>> make_cuda_multigrid(const Domain& domain, Stopping stopping,
                                                  const Stream& stream);

/// All memory that a solver for fields of `element_bytes` an element takes, on its device.
std::int64_t multigrid_bytes(const Domain& domain, std::size_t element_bytes, bool on_gpu);

}  // namespace bankfull::poisson
