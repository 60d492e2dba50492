#include "bankfull/core/comm/transport.hpp"

#include "bankfull/core/base/error.hpp"

#include <array>
#include <cstddef>

namespace bankfull {

const std::vector<Transport>& all_transports() {
  static const std::vector<Transport> transports{Transport::automatic,  Transport::local,
                                                 Transport::peer,       Transport::nccl,
                                                 Transport::mpi_device, Transport::mpi};
  return transports;
}

std::string to_string(Transport transport) {
  constexpr std::array names{"auto", "local", "peer", "nccl", "mpi-device", "mpi"};
  return names[static_cast<std::size_t>(transport)];
}

Transport parse_transport(const std::string& text) {
  for (const Transport transport : all_transports()) {
    if (transport != Transport::local && to_string(transport) == text) {
      return transport;
    }
  }
  throw UsageError("--transport " + text + " is no transport",
                   "use auto, peer, nccl, mpi-device or mpi");
}

}  // namespace bankfull
