#pragma once

#include "bankfull/core/comm/communicator.hpp"
#include "bankfull/core/comm/halo_regions.hpp"
#include "bankfull/core/comm/transport.hpp"
#include "bankfull/core/exec/team.hpp"
#include "bankfull/core/field/layout.hpp"
#include "bankfull/core/machine/device.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <type_traits>

namespace bankfull {

class Stream;

/// The parameters of a halo exchange.
struct HaloSetup {
  const Communicator& ranks;           ///< must outlive the exchange
  const Decomposition& decomposition;  ///< into as many blocks as there are ranks
  /// The layout of every field on this rank: its interior is the rank's block, and its ghosts have
  /// room for the halo. See also `in_window`.
  const Layout& layout;
  HaloShape shape = {};  ///< which ghost cells are filled
  int fields = 1;        ///< exchanged at once
  /// Fields in host memory go by `automatic` or `mpi` only.
  Transport transport = Transport::automatic;
  /// Nothing else runs between `start` and `finish`, so the exchange may use the whole GPU.
  bool alone = false;
  /// The block and the halo around it both lie in the interior of the layout, of which only the
  /// pitches count then.
  bool in_window = false;
  /// Excludes neighbours; both sides of a pair must agree.
  std::function<bool(const Offset&)> wanted = [](const Offset&) { return true; };
};

/// Fills the ghost cells of fields with the cells of neighbouring ranks while other work runs.
///
/// Making one and destroying it are collective. Ghost cells beyond a non-periodic end of the grid
/// are left alone. On a GPU, `start` and `finish` only queue work if the transport allows it: the
/// exchange begins when the work queued before `start` is done, and work queued after `finish`
/// sees the filled ghost cells.
template <class T>
class HaloExchange {
  static_assert(std::is_same_v<T, float> || std::is_same_v<T, double>,
                "halos are exchanged of fields of float or double");

 public:
  virtual ~HaloExchange() = default;

  /// Begins to exchange `fields` (pointers to interior cell (0, 0, 0), as many as were set up).
  /// Until `finish`, their ghost cells must not be read and the cells being sent not be written.
  /// Throws UsageError if there are more of them, or fewer.
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

/// For fields in host memory, packed and unpacked by `team`. If the setup does not fit on any rank,
/// or if ranks differ in decomposition, shape or number of fields, all ranks throw UsageError.
template <class T>
std::unique_ptr<HaloExchange<T>> make_halo_exchange(const HaloSetup& setup, const Team& team);

/// For fields on the GPU of `work`, ordered with the work queued there. `work` must outlive it.
/// Throws UsageError with the reason if the requested transport is unavailable, and on all ranks as
/// the one above.
template <class T>
std::unique_ptr<HaloExchange<T>> make_halo_exchange(const HaloSetup& setup, const Stream& work);

/// Collective. Throws UsageError with the reason if the transport is unavailable for fields on such
/// devices.
void require_transport(Transport transport, const Communicator& ranks, Device device);

namespace detail {
/// Collective: all ranks throw UsageError if the setup does not fit on any of them, so that none
/// waits for the others, or if it is not the same exchange. `require_more` may throw, too.
void require_fit(const HaloSetup& setup, const std::function<void()>& require_more);
/// Throws UsageError unless as many fields are given as were set up.
void require_fields(std::size_t given, int set_up);
/// Bytes of `fields` fields that the rank sends.
std::int64_t leaving_bytes(const std::vector<HaloMessage>& messages, int own_rank, int fields,
                           std::size_t element_bytes);
// Defined in gpu_transport.cpp, which exists in builds with CUDA only.
void require_gpu_transport(Transport transport, const Communicator& ranks, Device gpu);
}  // namespace detail

}  // namespace bankfull
