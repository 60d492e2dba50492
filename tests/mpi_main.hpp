#pragma once

#include "bankfull/core/comm/communicator.hpp"

namespace bankfull {

/// All ranks that this test was started with; see bankfull_mpi_test in tests/CMakeLists.txt.
const Communicator& test_ranks();

}  // namespace bankfull
