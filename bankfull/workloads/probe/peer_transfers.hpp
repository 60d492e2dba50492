#pragma once

#include "bankfull/core/machine/device.hpp"

#include <cstdint>
#include <memory>
#include <vector>

namespace bankfull::probe {

/// A copy between two GPUs of this process, or between one and pinned host memory (Device::cpu()).
struct Route {
  Device from;
  Device to;
};

/// One pass of a GPU over memory of another.
struct PeerRead {
  double seconds = 0.0;   ///< by the reader's clock
  bool is_right = false;  ///< the sum of all words is that of the contents
};

/// Copies and reads between all GPUs of one process.
class PeerTransfers {
 public:
  virtual ~PeerTransfers() = default;

  /// Of a copy.
  [[nodiscard]] virtual std::int64_t bytes() const = 0;

  /// Copies that follow each other on a route in one sample.
  static constexpr int copies_in_a_row = 8;

  /// Seconds for `copies_in_a_row` copies over each of the routes, all routes at the same time, by
  /// the clock of a GPU: from before the first copy begins until the last has ended. No route may
  /// occur twice, and none may go from host to host.
  virtual double copy_seconds(const std::vector<Route>& routes) = 0;

  /// Copies contents that name their sender and returns how many words arrived wrong.
  virtual std::int64_t wrong_words(const Route& route) = 0;

  /// Whether kernels of `reader` can read the memory of `owner`.
  [[nodiscard]] virtual bool can_read(Device reader, Device owner) const = 0;

  /// A kernel reads `bytes` of another GPU, 16 bytes per load. Requires `can_read`.
  virtual PeerRead read(Device reader, Device owner) = 0;
};

/// Bytes that `gpus` GPUs take on each of them, and in host memory.
struct PeerMemory {
  std::int64_t each_gpu = 0;
  std::int64_t host = 0;
};
constexpr PeerMemory peer_memory(int gpus, std::int64_t bytes) {
  return {.each_gpu = (gpus + 2) * bytes, .host = std::int64_t{2} * gpus * bytes};
}

/// Between GPU 0 and `gpus` - 1, with peer access where the driver grants it. `bytes`: a multiple
/// of 16, at most 1 GiB. Defined in builds with CUDA only.
std::unique_ptr<PeerTransfers> make_cuda_peer_transfers(int gpus, std::int64_t bytes);

}  // namespace bankfull::probe
