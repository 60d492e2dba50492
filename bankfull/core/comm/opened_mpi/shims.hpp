#pragma once

#include "bankfull/core/comm/opened_mpi/library.hpp"

#include <memory>
#include <string>

namespace bankfull::opened_mpi {

// Each in a source that is compiled with its implementation's <mpi.h>. Both throw RuntimeFailure
// unless the shared library `file` can be opened and is of that implementation.
std::unique_ptr<const Library> open_open_mpi(const std::string& file);
std::unique_ptr<const Library> open_mpich(const std::string& file);

}  // namespace bankfull::opened_mpi
