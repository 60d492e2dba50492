#include "bankfull/core/comm/transport.hpp"

#include "bankfull/core/base/enum_names.hpp"

namespace bankfull {
namespace {

constexpr auto transport_names = enum_names<Transport>({
    {Transport::automatic, "auto"},
    {Transport::local, "local"},
    {Transport::peer, "peer"},
    {Transport::nccl, "nccl"},
    {Transport::mpi_device, "mpi-device"},
    {Transport::mpi, "mpi"},
});

}  // namespace

const std::vector<Transport>& all_transports() {
  static const auto values = transport_names.values();
  static const std::vector<Transport> transports(values.begin(), values.end());
  return transports;
}

std::string to_string(Transport transport) { return transport_names.to_string(transport); }

Transport parse_transport(const std::string& text) {
  return transport_names.without(Transport::local)
      .parse(text, "--transport " + text + " is not a transport");
}

}  // namespace bankfull
