#include "bankfull/core/exec/peer_access.hpp"

#include "bankfull/core/base/cuda_check.hpp"
#include "bankfull/core/exec/stream.hpp"

#include <cuda_runtime_api.h>

namespace bankfull {

bool can_access_peer(Device from, Device to) {
  int accessible = 0;
  cuda_check(cudaDeviceCanAccessPeer(&accessible, from.index, to.index), "asking for peer access");
  return accessible != 0;
}

void allow_peer_access(Device from, Device to) {
  select(from);
  const cudaError_t status = cudaDeviceEnablePeerAccess(to.index, 0);
  if (status == cudaErrorPeerAccessAlreadyEnabled) {
    static_cast<void>(cudaGetLastError());
    return;
  }
  cuda_check(status, "allowing peer access");
}

}  // namespace bankfull
