#include "bankfull/core/comm/parallel_run.hpp"

namespace bankfull {

bool detail::has_mpi_library(const Launch& /*launch*/) { return true; }

std::string detail::advice_on_launchers() {
  return "use the mpirun of the MPI that bankfull was built with, or srun --mpi=pmix";
}

}  // namespace bankfull
