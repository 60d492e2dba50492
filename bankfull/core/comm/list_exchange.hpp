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

/// What a rank exchanges with another one. The two may differ in number, and either may be nothing;
/// the other side says the same from its own point of view.
struct ListNeighbour {
  int rank = 0;                     ///< of the other side; never the own one
  std::vector<std::int32_t> sent;   ///< elements of the vector that go there, in any order
  std::int64_t received_begin = 0;  ///< the first of the elements that come from there
  std::int64_t received = 0;        ///< how many these are; they lie side by side
};

/// What a list exchange is made from.
struct ListSetup {
  const Communicator& ranks;
  std::vector<ListNeighbour> neighbours;  ///< in any order, each rank at most once
  Transport transport = Transport::automatic;
};

/// Brings listed elements of a vector to the ranks that need them, while other work runs: the halo
/// of a sparse matrix.
///
/// Making one and destroying one is collective, also for ranks without neighbours, for which
/// `start` and `finish` do nothing. On a GPU, `start` and `finish` only queue work wherever the
/// transport allows it: the exchange begins when the work queued before `start` is done, and work
/// queued after `finish` finds the elements in place.
template <class T>
class ListExchange {
 public:
  virtual ~ListExchange() = default;

  /// Begins to exchange elements of `vector`. Until `finish`, those that come in must not be read
  /// and those that go out not be written.
  virtual void start(T* vector) = 0;

  /// Completes what `start` began.
  virtual void finish() = 0;

  /// Both, where there is nothing to do meanwhile; on a GPU one kernel where that is possible.
  virtual void exchange(T* vector) {
    start(vector);
    finish();
  }

  /// How messages travel, the same on all ranks; never `automatic`.
  [[nodiscard]] virtual Transport transport() const = 0;

  /// Whether `start` and `finish` may be recorded in a Graph.
  [[nodiscard]] virtual bool recordable() const { return false; }

  /// Bytes of listed elements that this rank sends in one exchange.
  [[nodiscard]] virtual std::int64_t sent_bytes() const = 0;
};

/// For vectors in host memory, packed and unpacked by `team`.
template <class T>
std::unique_ptr<ListExchange<T>> make_list_exchange(const ListSetup& setup, const Team& team);

/// For vectors on the GPU of `work`, in step with the work queued there. `work` must outlive it.
/// Throws UsageError where the transport asked for is not to be had, with the reason.
template <class T>
std::unique_ptr<ListExchange<T>> make_list_exchange(const ListSetup& setup, const Stream& work);

namespace detail {
/// Those with whom anything is exchanged, in the order of ranks. Both sides of a pair are in each
/// other's list or neither is.
std::vector<ListNeighbour> partners(const ListSetup& setup);

std::int64_t leaving_bytes(const std::vector<ListNeighbour>& neighbours, std::size_t element_bytes);
}  // namespace detail

}  // namespace bankfull
