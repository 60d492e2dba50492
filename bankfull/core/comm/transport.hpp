#pragma once

#include <string>
#include <vector>

namespace bankfull {

/// How messages travel between ranks.
enum class Transport {
  automatic,   ///< the fastest of those below that all ranks can use
  local,       ///< within one process: no rank has a neighbour but itself
  peer,        ///< GPUs of one node: kernels store straight into the neighbour's memory
  nccl,        ///< NCCL's send and receive, between any GPUs
  mpi_device,  ///< MPI, given GPU memory
  mpi,  ///< MPI, given host memory; pinned, and written by kernels, where fields are on a GPU
};

const std::vector<Transport>& all_transports();

/// "auto", "local", "peer", "nccl", "mpi-device", "mpi".
std::string to_string(Transport transport);

/// Throws UsageError for a name that is not a transport between ranks.
Transport parse_transport(const std::string& text);

}  // namespace bankfull
