#pragma once

#include "bankfull/core/exec/stream.hpp"
#include "bankfull/workloads/hpcg/cg_backend.hpp"

#include <memory>
#include <vector>

namespace bankfull::hpcg::cuda {

// The versions of E. Phillips and M. Fatica, "A CUDA implementation of the High Performance
// Conjugate Gradient benchmark", PMBS 2014, section 4. All are collective; the arguments must
// outlive the backend.

/// A or B: cuSPARSE, CSR, in the natural order of rows (`cusparse_csr`) or in that of colours
/// (`cusparse_coloured`). The library must be there. Throws UsageError where its 32-bit indices do
/// not hold the matrix. Exists in builds with build::cusparse only.
std::unique_ptr<CgBackend> make_cusparse_backend(const Problem& problem, Variant variant,
                                                 const Communicator& ranks, const Stream& stream,
                                                 const std::vector<Level>& levels);

/// C: own kernels, CSR, in the order of colours.
std::unique_ptr<CgBackend> make_csr_backend(const Problem& problem, const Communicator& ranks,
                                            const Stream& stream, const std::vector<Level>& levels);

/// D: own kernels, ELLPACK, in the order of colours, with less work from x = 0 and with messages
/// hidden behind products.
std::unique_ptr<CgBackend> make_ell_backend(const Problem& problem, const Communicator& ranks,
                                            const Stream& stream, const std::vector<Level>& levels);

}  // namespace bankfull::hpcg::cuda
