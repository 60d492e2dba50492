#pragma once

// Stands for Open MPI's header of extensions, as mpi.h beside it does for <mpi.h>.

#include <mpi.h>

#define MPIX_CUDA_AWARE_SUPPORT 1

inline int MPIX_Query_cuda_support() {
  return bankfull::opened_mpi::library().takes_cuda_memory() ? 1 : 0;
}
