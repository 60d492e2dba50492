#pragma once

#include "bankfull/core/comm/communicator.hpp"
#include "bankfull/core/comm/halo_regions.hpp"
#include "bankfull/core/comm/transport.hpp"
#include "bankfull/core/exec/team.hpp"
#include "bankfull/core/field/layout.hpp"
#include "bankfull/core/machine/device.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>

namespace bankfull {

class Stream;

/// The parameters of a halo exchange.
struct HaloSetup {
  const Communicator& ranks;
  const Decomposition& decomposition;
  /// The layout of every field on this rank, with room for the halo around the own cells.
  const Layout& layout;
  HaloShape shape = {};
  int fields = 1;  ///< exchanged at once
  Transport transport = Transport::automatic;
  /// Nothing else runs between `start` and `finish`, so the exchange may use the whole GPU.
  bool alone = false;
  /// Excludes neighbours; both sides of a pair must agree.
  std::function<bool(const Offset&)> wanted = [](const Offset&) { return true; };
};

/// Fills the ghost cells of fields with the cells of neighbouring ranks while other work runs.
///
/// Constructor and destructor are collective. Ghost cells beyond a non-periodic end of the grid are
/// left alone. On a GPU, `start` and `finish` only queue work if the transport allows it: the
/// exchange begins when the work queued before `start` is done, and work queued after `finish`
/// sees the filled ghost cells.
template <class T>
class HaloExchange {
 public:
  virtual ~HaloExchange() = default;

  /// Begins to exchange `fields` (pointers to interior cell (0, 0, 0), as many as were set up).
  /// Until `finish`, their ghost cells must not be read and the cells being sent not be written.
  virtual void start(std::span<T* const> fields) = 0;

  /// Completes what `start` began.
  virtual void finish() = 0;

  /// Both, for callers with nothing to do in between.
  void exchange(std::span<T* const> fields) {
    start(fields);
    finish();
  }

  /// The transport in use; never `automatic`.
  [[nodiscard]] virtual Transport transport() const = 0;

  /// Whether `start` and `finish` may be recorded in a Graph.
  [[nodiscard]] virtual bool recordable() const { return false; }

  /// Bytes that this rank sends to other ranks in one exchange.
  [[nodiscard]] virtual std::int64_t sent_bytes() const = 0;
};

/// For fields in host memory, packed and unpacked by `team`.
template <class T>
std::unique_ptr<HaloExchange<T>> make_halo_exchange(const HaloSetup& setup, const Team& team);

/// For fields on the GPU of `work`, ordered with the work queued there. `work` must outlive it.
/// Throws UsageError with the reason if the requested transport is unavailable.
template <class T>
std::unique_ptr<HaloExchange<T>> make_halo_exchange(const HaloSetup& setup, const Stream& work);

/// Collective. Throws UsageError with the reason if the transport is unavailable for fields on such
/// devices.
void require_transport(Transport transport, const Communicator& ranks, Device device);

namespace detail {
/// Bytes of `fields` fields that the rank sends.
std::int64_t leaving_bytes(const std::vector<HaloMessage>& messages, int own_rank, int fields,
                           std::size_t element_bytes);
// Defined in gpu_transport.cpp, which exists in builds with CUDA only.
void require_gpu_transport(Transport transport, const Communicator& ranks, Device gpu);
}  // namespace detail

}  // namespace bankfull
