#pragma once

#include <string>
#include <vector>

namespace bankfull {

/// How messages are sent between ranks.
enum class Transport {
  automatic,   ///< the fastest of those below that all ranks can use
  local,       ///< within one process: no rank has a neighbour other than itself
  peer,        ///< GPUs of one node: kernels store directly into the neighbour's memory
  nccl,        ///< NCCL's send and receive, between any GPUs
  mpi_device,  ///< MPI with GPU buffers
  mpi,         ///< MPI with host buffers; pinned, and accessed by kernels, if fields are on a GPU
};

/// In the order of the enum, with `automatic` and `local`.
const std::vector<Transport>& all_transports();

/// "auto", "local", "peer", "nccl", "mpi-device", "mpi".
std::string to_string(Transport transport);

/// Throws UsageError if the name is not a transport between ranks.
Transport parse_transport(const std::string& text);

}  // namespace bankfull
