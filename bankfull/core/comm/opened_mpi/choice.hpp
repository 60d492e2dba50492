#pragma once

#include "bankfull/core/comm/launch.hpp"

#include <string>
#include <vector>

namespace bankfull::opened_mpi {

/// Families of MPI libraries with one binary interface: mpich includes MPICH, Intel MPI, Cray MPICH
/// and MVAPICH.
enum class Implementation { open_mpi, mpich };

/// Those whose libraries to try, in this order: the one that BANKFULL_MPI names ("openmpi" or
/// "mpich"), else those that the launcher may serve. None: BANKFULL_MPI=none. Throws UsageError for
/// other values.
std::vector<Implementation> candidates(const ReadVariable& variable = read_environment);

/// What to open, in this order: the file that BANKFULL_MPI_LIBRARY names, else below MPI_HOME, else
/// where the system's loader finds it.
std::vector<std::string> library_files(Implementation implementation,
                                       const ReadVariable& variable = read_environment);

}  // namespace bankfull::opened_mpi
