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

/// What a halo exchange is made from.
struct HaloSetup {
  const Communicator& ranks;
  const Decomposition& decomposition;
  const Layout&
      layout;  ///< of every field on this rank; its ghosts are at least as wide as the halo
  HaloShape shape = {};
  int fields = 1;  ///< exchanged at once
  Transport transport = Transport::automatic;
  /// Nothing else runs between `start` and `finish`: the exchange may take the whole GPU.
  bool alone = false;
  /// Leaves out neighbours; both sides of a pair must agree.
  std::function<bool(const Offset&)> wanted = [](const Offset&) { return true; };
};

/// Fills the ghost cells of fields with the cells of neighbouring ranks, while other work runs.
///
/// Making one and destroying one is collective. Ghost cells beyond an end of the grid are left as
/// they are. On a GPU, `start` and `finish` only queue work wherever the transport allows it: the
/// exchange begins when the work queued before `start` is done, and work queued after `finish`
/// finds the ghost cells filled.
template <class T>
class HaloExchange {
 public:
  virtual ~HaloExchange() = default;

  /// Begins to exchange `fields` (pointers to interior cell (0, 0, 0), as many as were set up).
  /// Until `finish`, their ghost cells must not be read and the cells that go out not be written.
  virtual void start(std::span<T* const> fields) = 0;

  /// Completes what `start` began.
  virtual void finish() = 0;

  /// Both, where there is nothing to do in between.
  void exchange(std::span<T* const> fields) {
    start(fields);
    finish();
  }

  /// How messages travel; never `automatic`.
  [[nodiscard]] virtual Transport transport() const = 0;

  /// Whether `start` and `finish` may be recorded in a Graph.
  [[nodiscard]] virtual bool recordable() const { return false; }

  /// Bytes of fields that this rank sends to other ranks in one exchange.
  [[nodiscard]] virtual std::int64_t sent_bytes() const = 0;
};

/// For fields in host memory, packed and unpacked by `team`.
template <class T>
std::unique_ptr<HaloExchange<T>> make_halo_exchange(const HaloSetup& setup, const Team& team);

/// For fields on the GPU of `work`, in step with the work queued there. `work` must outlive it.
/// Throws UsageError where the transport asked for is not to be had, with the reason.
template <class T>
std::unique_ptr<HaloExchange<T>> make_halo_exchange(const HaloSetup& setup, const Stream& work);

/// Collective. Throws UsageError where fields on such devices cannot travel that way, with the
/// reason.
void require_transport(Transport transport, const Communicator& ranks, Device device);

namespace detail {
/// Bytes of `fields` fields that leave the rank.
std::int64_t leaving_bytes(const std::vector<HaloMessage>& messages, int own_rank, int fields,
                           std::size_t element_bytes);
// Defined in gpu_transport.cpp, which exists in builds with CUDA only.
void require_gpu_transport(Transport transport, const Communicator& ranks, Device gpu);
}  // namespace detail

}  // namespace bankfull
