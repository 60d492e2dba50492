#pragma once

// The public surface of bankfull::numerics, with that of core.
#include "bankfull/core.hpp"
#include "bankfull/core/exec/cpu_executor.hpp"
#include "bankfull/numerics/poisson/direct.hpp"
#include "bankfull/numerics/poisson/field_solver.hpp"
#include "bankfull/numerics/poisson/multigrid.hpp"
#include "bankfull/numerics/random/counter.hpp"
#include "bankfull/numerics/sparse/colouring.hpp"
#include "bankfull/numerics/sparse/csr.hpp"

#if defined(__CUDACC__)
#include "bankfull/core/exec/cuda_executor.cuh"
#endif
