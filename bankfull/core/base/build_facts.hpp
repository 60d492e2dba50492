#pragma once

#include <string>

namespace bankfull {

/// How this program was built; part of every result, because figures depend on it.
struct BuildFacts {
  std::string version;  ///< the project's: "1.2.0"
  /// As `git describe --always --dirty --abbrev=12` says it, ending in "-dirty" after changes; of a
  /// source archive 12 digits of the commit; "unknown" where neither tells.
  std::string git_revision;
  std::string build_type;  ///< CMake's: "Release"
  std::string compiler;    ///< of C++, by CMake's name: "GNU 12.2.0"
  /// Of C++: those of the build type, then the project's own. Without CMAKE_CXX_FLAGS.
  std::string compiler_flags;
  std::string cuda_toolkit;              ///< empty without CUDA
  std::string cuda_architectures;        ///< empty without CUDA
  std::string cuda_unavailable_reason;   ///< empty with CUDA
  std::string eigen_unavailable_reason;  ///< empty with Eigen
  std::string hdf5_version;              ///< empty without HDF5
  std::string hdf5_unavailable_reason;   ///< empty with HDF5
};

/// As known when the build was configured: later commits may not show in it.
const BuildFacts& build_facts();

}  // namespace bankfull
