#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

namespace bankfull {

/// A block of memory sent to or received from another rank. An exchange has at most one block from
/// any rank to any other.
struct Message {
  int rank = 0;  ///< the other rank
  /// Not owned; only read if the message is sent. May be GPU memory where the communicator
  /// `takes_device_memory`.
  void* data = nullptr;
  std::size_t bytes = 0;  ///< may be 0, or more than an int can count
};

/// A persistent exchange: the same messages, sent and received repeatedly with the same buffers.
class MessageExchange {
 public:
  virtual ~MessageExchange() = default;

  /// Begins all sends and receives: the buffers belong to the exchange until `finish`.
  virtual void start() = 0;

  /// Waits until everything has arrived and everything sent may be overwritten.
  virtual void finish() = 0;

  /// Both, for callers with nothing to do in between.
  void exchange() {
    start();
    finish();
  }
};

/// The ranks that work on one problem. If built or started without MPI, this process is the only
/// rank and all functions work the same.
///
/// Functions marked *collective* must be called by all ranks, in the same order. Failures of the
/// machine or of MPI throw RuntimeFailure.
class Communicator {
 public:
  virtual ~Communicator() = default;

  /// The index of this rank: 0 to size() - 1.
  [[nodiscard]] int rank() const { return rank_; }
  /// The number of ranks, at least 1.
  [[nodiscard]] int size() const { return size_; }
  /// Whether this is rank 0.
  [[nodiscard]] bool is_root() const { return rank_ == 0; }

  /// The index of this rank among those of the communicator on its node.
  [[nodiscard]] int local_rank() const { return local_rank_; }
  /// The number of ranks of the communicator on this rank's node, this one included.
  [[nodiscard]] int local_size() const { return local_size_; }
  /// Whether all ranks are on one node. The same on all ranks.
  [[nodiscard]] bool on_one_node() const { return local_size_ == size_; }

  /// The index of this rank's node; nodes are numbered in the order of their lowest ranks.
  [[nodiscard]] int node() const { return node_; }

  /// Whether messages may lie in GPU memory.
  [[nodiscard]] virtual bool takes_device_memory() const { return false; }

  /// Storage for the communicator that GPU transports derive from this one; it has the same
  /// lifetime.
  [[nodiscard]] std::shared_ptr<void>& gpu_companion() const { return gpu_companion_; }

  /// Collective: waits for all ranks.
  virtual void barrier() const = 0;

  /// Collective: like `barrier`, for ranks that may wait long and must yield their cores to others.
  virtual void patient_barrier() const = 0;

  /// Collective: all ranks receive the bytes of `root`.
  virtual void broadcast(void* data, std::size_t bytes, int root) const = 0;

  /// Collective: the blocks of all ranks, in the order of ranks. Blocks may differ in size.
  [[nodiscard]] virtual std::vector<std::vector<std::byte>> all_gather_bytes(
      std::span<const std::byte> mine) const = 0;

  /// Not collective, but every send needs a receive of equal size on the other side, and
  /// two ranks that share several exchanges must prepare them in the same order. Throws UsageError
  /// for messages to the own rank, or one that there is not. The buffers must outlive the exchange.
  [[nodiscard]] virtual std::unique_ptr<MessageExchange> prepare(
      std::span<const Message> sends, std::span<const Message> receives) const = 0;

  /// Collective: an exchange of message n of `sends` and of `receives` with rank n, for all ranks,
  /// the own one too, which is copied when the exchange starts. Each rank begins with the one after
  /// it. Throws UsageError unless there is a message for each rank.
  [[nodiscard]] std::unique_ptr<MessageExchange> prepare_all_to_all(
      std::span<const Message> sends, std::span<const Message> receives) const;

  /// Collective: sends block n of `sent` to rank n and receives a block from every rank; both
  /// buffers hold their blocks contiguously in the order of ranks. Block n of rank m has as
  /// many bytes as rank n expects from rank m, possibly none. All memory is the host's.
  void all_to_all(const void* sent, std::span<const std::size_t> sent_bytes, void* received,
                  std::span<const std::size_t> received_bytes) const;

  /// Collective: a communicator of the first `count` ranks; null on the others.
  [[nodiscard]] virtual std::unique_ptr<Communicator> first(int count) const = 0;

  /// Collective: a communicator of the ranks that pass the same `colour`, in the same order; null
  /// for those that pass a negative one.
  [[nodiscard]] virtual std::unique_ptr<Communicator> split(int colour) const = 0;

  /// Collective: the values of all ranks, in the order of ranks.
  template <class T>
  [[nodiscard]] std::vector<T> all_gather(const T& mine) const {
    static_assert(std::is_trivially_copyable_v<T>, "ranks exchange plain data");
    std::vector<T> all(static_cast<std::size_t>(size_));
    all_gather_equal(&mine, all.data(), sizeof(T));
    return all;
  }

  /// Collective: the lists of all ranks.
  template <class T>
  [[nodiscard]] std::vector<std::vector<T>> all_gather(const std::vector<T>& mine) const {
    static_assert(std::is_trivially_copyable_v<T>, "ranks exchange plain data");
    const auto blocks = all_gather_bytes(std::as_bytes(std::span(mine)));
    std::vector<std::vector<T>> all(blocks.size());
    for (std::size_t n = 0; n < blocks.size(); ++n) {
      all[n].resize(blocks[n].size() / sizeof(T));
      copy_block(all[n].data(), blocks[n]);
    }
    return all;
  }

  /// Collective: sum over the ranks, added in the order of ranks: bitwise equal on all ranks and
  /// in all runs with the same number of ranks.
  [[nodiscard]] double sum(double mine) const;
  /// Collective: sum over the ranks, which must fit in 64 bits.
  [[nodiscard]] std::int64_t sum(std::int64_t mine) const;
  [[nodiscard]] double max(double mine) const;  ///< NaN if any rank has NaN
  /// Collective: the largest value of all ranks, returned on each of them.
  [[nodiscard]] std::int64_t max(std::int64_t mine) const;
  /// Collective: the least value of all ranks, returned on each of them.
  [[nodiscard]] std::int64_t min(std::int64_t mine) const;

  /// Collective: whether `mine` holds on every rank.
  [[nodiscard]] bool all(bool mine) const;

  /// Collective: runs `body`; if it throws on any rank, all ranks throw the exception of the lowest
  /// such rank. A failure on one rank (its GPU is full) thus gives one message and no hang. `body`
  /// must not be collective. UsageError and RuntimeFailure keep their type, and the message names
  /// the rank unless all ranks failed alike.
  template <class Body>
  void agree(const Body& body) const {
    throw_if_any_failed(failure_of(body), NamesRank::yes);
  }

  /// Collective: runs `body` on the root alone; all ranks throw what it throws, as with `agree`.
  /// For tasks that belong to no particular rank, such as opening the result file.
  template <class Body>
  void on_root(const Body& body) const {
    throw_if_any_failed(is_root() ? failure_of(body) : Failure{}, NamesRank::no);
  }

 protected:
  /// What the functions of these names return. Unchecked.
  Communicator(int rank, int size, int local_rank, int local_size, int node)
      : rank_(rank), size_(size), local_rank_(local_rank), local_size_(local_size), node_(node) {}

  /// Collective: `bytes` bytes of every rank, in the order of ranks. Solvers sum single numbers in
  /// their loops, so this must not exchange sizes first.
  virtual void all_gather_equal(const void* mine, void* all, std::size_t bytes) const = 0;

 private:
  enum class NamesRank { no, yes };

  struct Failure {
    enum class Kind : int { none, usage, runtime };
    Kind kind = Kind::none;
    std::string message;
  };

  template <class Body>
  static Failure failure_of(const Body& body) {
    try {
      body();
    } catch (...) {
      return describe_current_exception();
    }
    return {};
  }

  static void copy_block(void* to, std::span<const std::byte> block);
  static Failure describe_current_exception();
  void throw_if_any_failed(const Failure& mine, NamesRank names_rank) const;

  int rank_;
  int size_;
  int local_rank_;
  int local_size_;
  int node_;
  mutable std::shared_ptr<void> gpu_companion_;
};

/// A communicator of this process alone.
std::unique_ptr<Communicator> make_self_communicator();

}  // namespace bankfull
