#pragma once

#include <string>

namespace bankfull {

/// How this program was built; part of every result, because figures depend on it.
struct BuildFacts {
  std::string version;
  std::string git_revision;
  std::string build_type;
  std::string compiler;
  std::string compiler_flags;
  std::string cuda_toolkit;              ///< empty without CUDA
  std::string cuda_architectures;        ///< empty without CUDA
  std::string cuda_unavailable_reason;   ///< empty with CUDA
  std::string eigen_unavailable_reason;  ///< empty with Eigen
  std::string hdf5_version;              ///< empty without HDF5
  std::string hdf5_unavailable_reason;   ///< empty with HDF5
};

const BuildFacts& build_facts();

}  // namespace bankfull
