#pragma once

#include "bankfull/core/comm/communicator.hpp"
#include "bankfull/core/comm/transport.hpp"
#include "bankfull/core/exec/team.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace bankfull {

class Stream;

/// What a rank exchanges with another. The numbers sent and received may differ, and either may be
/// 0; the other rank lists the same exchange from its side.
struct ListNeighbour {
  int rank = 0;                     ///< the other rank; never the own one
  std::vector<std::int32_t> sent;   ///< elements of the vector that go there, in any order
  std::int64_t received_begin = 0;  ///< the first of the elements that come from there
  std::int64_t received = 0;        ///< their number; they are contiguous
};

/// The parameters of a list exchange.
struct ListSetup {
  const Communicator& ranks;              ///< must outlive the exchange
  std::vector<ListNeighbour> neighbours;  ///< in any order, each rank at most once
  /// Vectors in host memory go by `automatic` or `mpi` only.
  Transport transport = Transport::automatic;
};

/// Sends listed elements of a vector to the ranks that need them while other work runs: the halo
/// exchange of a sparse matrix.
///
/// Constructor and destructor are collective, even for ranks without neighbours, for which
/// `start` and `finish` do nothing. On a GPU, `start` and `finish` only queue work if the
/// transport allows it: the exchange begins when the work queued before `start` is done, and work
/// queued after `finish` sees the received elements.
template <class T>
class ListExchange {
 public:
  virtual ~ListExchange() = default;

  /// Begins to exchange elements of `vector`. Until `finish`, those being received must not be read
  /// and those being sent must not be written.
  virtual void start(T* vector) = 0;

  /// Completes what `start` began.
  virtual void finish() = 0;

  /// Both, for callers with nothing to do in between; on a GPU a single kernel if possible.
  virtual void exchange(T* vector) {
    start(vector);
    finish();
  }

  /// The transport in use, the same on all ranks; never `automatic`.
  [[nodiscard]] virtual Transport transport() const = 0;

  /// Whether `start` and `finish` may be recorded in a Graph.
  [[nodiscard]] virtual bool recordable() const { return false; }

  /// Bytes of listed elements that this rank sends in one exchange.
  [[nodiscard]] virtual std::int64_t sent_bytes() const = 0;
};

/// For vectors in host memory, packed and unpacked by `team`.
template <class T>
std::unique_ptr<ListExchange<T>> make_list_exchange(const ListSetup& setup, const Team& team);

/// For vectors on the GPU of `work`, ordered with the work queued there. `work` must outlive it.
/// Throws UsageError with the reason if the requested transport is unavailable.
template <class T>
std::unique_ptr<ListExchange<T>> make_list_exchange(const ListSetup& setup, const Stream& work);

namespace detail {
/// Neighbours with which anything is exchanged, in the order of ranks. Either both sides of a pair
/// are in each other's list or neither is.
std::vector<ListNeighbour> partners(const ListSetup& setup);

std::int64_t leaving_bytes(const std::vector<ListNeighbour>& neighbours, std::size_t element_bytes);
}  // namespace detail

}  // namespace bankfull
