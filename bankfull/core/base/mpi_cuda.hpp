#pragma once

#include <mpi.h>

// Open MPI's extensions; other MPI libraries have no such header.
#if __has_include(<mpi-ext.h>)
#include <mpi-ext.h>
#endif

namespace bankfull {

/// Whether the MPI library reads and writes GPU memory. Only Open MPI can be asked.
inline bool mpi_takes_cuda_memory() {
#if defined(MPIX_CUDA_AWARE_SUPPORT)
  return MPIX_Query_cuda_support() == 1;
#else
  return false;
#endif
}

}  // namespace bankfull
