#include "bankfull/core/base/error.hpp"
#include "bankfull/core/comm/opened_mpi/choice.hpp"
#include "bankfull/core/comm/opened_mpi/library.hpp"
#include "bankfull/core/comm/opened_mpi/shims.hpp"
#include "bankfull/core/comm/parallel_run.hpp"

#include <memory>
#include <string>

namespace bankfull {
namespace opened_mpi {
namespace {

std::unique_ptr<const Library> open_file(Implementation implementation, const std::string& file) {
  return implementation == Implementation::open_mpi ? open_open_mpi(file) : open_mpich(file);
}

std::unique_ptr<const Library> open_first() {
  std::string reasons;
  for (const Implementation implementation : candidates()) {
    for (const std::string& file : library_files(implementation)) {
      try {
        return open_file(implementation, file);
      } catch (const RuntimeFailure& failure) {
        reasons += (reasons.empty() ? "" : "; ") + std::string(failure.what());
      }
    }
  }
  throw UsageError("no MPI library for the launcher of this process: " + reasons,
                   "name its folder in LD_LIBRARY_PATH or MPI_HOME, or run alone with "
                   "BANKFULL_MPI=none");
}

}  // namespace

const Library& library() {
  static const std::unique_ptr<const Library> opened = open_first();
  return *opened;
}

}  // namespace opened_mpi

bool detail::has_mpi_library(const Launch& launch) {
  return launch.by_launcher && !opened_mpi::candidates().empty();
}

std::string detail::advice_on_launchers() {
  return "use the mpirun of that MPI library, choose another with BANKFULL_MPI=openmpi or mpich, "
         "or with Slurm try srun --mpi=pmix or pmi2";
}

}  // namespace bankfull
