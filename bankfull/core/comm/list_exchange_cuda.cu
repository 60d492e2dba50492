#include "bankfull/core/base/expects.hpp"
#include "bankfull/core/comm/device_copy.hpp"
#include "bankfull/core/comm/gpu_transport.hpp"
#include "bankfull/core/comm/list_exchange.hpp"
#include "bankfull/core/comm/peer_signals.cuh"
#include "bankfull/core/comm/rank_survey.hpp"
#include "bankfull/core/exec/launch.cuh"
#include "bankfull/core/memory/buffer.hpp"

#include <algorithm>
#include <vector>

namespace bankfull {
namespace {

constexpr int threads = 256;
constexpr int elements_per_thread = 4;
constexpr int tile_elements = threads * elements_per_thread;

/// Few enough to leave most of the GPU to other work while they wait for the link.
constexpr std::int64_t max_blocks = 128;

/// A piece of one message that a block copies at once. Messages differ in size from a face of a
/// grid to a single point, so that blocks share pieces, not messages.
struct ListTile {
  std::int64_t at = 0;          ///< its first element: of the sent list, or of the vector
  std::int64_t in_message = 0;  ///< the same one
  int neighbour = 0;
  int count = 0;
};

/// What both kernels copy between a vector and messages, and how they signal neighbours.
struct ListCopies {
  const ListTile* tile = nullptr;
  int tiles = 0;
  int neighbours = 0;
  const GpuMessageEnds* ends = nullptr;  ///< of each neighbour
  unsigned* epoch = nullptr;             ///< null for transports without slots and counters
  unsigned* ticket = nullptr;            ///< counts blocks that are done; 0 between launches
};

/// to[n] = read(n) for the elements of a tile: all reads of a thread are issued before its first
/// write, which may be slow.
template <class T, class Read>
__device__ __forceinline__ void copy_tile(int count, T* to, const Read& read) {
  T value[elements_per_thread];
#pragma unroll
  for (int n = 0; n < elements_per_thread; ++n) {
    const int at = static_cast<int>(threadIdx.x) + n * threads;
    if (at < count) {
      value[n] = read(at);
    }
  }
#pragma unroll
  for (int n = 0; n < elements_per_thread; ++n) {
    const int at = static_cast<int>(threadIdx.x) + n * threads;
    if (at < count) {
      to[at] = value[n];
    }
  }
}

/// Packs the elements that neighbours need into messages.
template <class T>
__device__ __forceinline__ void pack_tiles(const T* vector, const std::int32_t* sent,
                                           const ListCopies& a, unsigned epoch) {
  for (int n = static_cast<int>(blockIdx.x); n < a.tiles; n += static_cast<int>(gridDim.x)) {
    const ListTile tile = a.tile[n];
    const std::int32_t* const list = sent + tile.at;
    T* const message = outgoing_message<T>(a.ends[tile.neighbour], epoch) + tile.in_message;
    copy_tile(tile.count, message, [=](int at) { return vector[__ldg(list + at)]; });
  }
  // Neighbours that receive nothing are signalled too: they alternate between two slots and must
  // know when one is free.
  if (a.epoch != nullptr && is_last_block(a.ticket)) {
    for (int n = static_cast<int>(threadIdx.x); n < a.neighbours; n += threads) {
      raise(a.ends[n].sent_count, epoch + 1);
    }
  }
}

/// Unpacks messages, which have arrived, into the vector.
template <class T>
__device__ __forceinline__ void unpack_tiles(T* vector, const ListCopies& a, unsigned epoch) {
  for (int n = static_cast<int>(blockIdx.x); n < a.tiles; n += static_cast<int>(gridDim.x)) {
    const ListTile tile = a.tile[n];
    const T* const message = incoming_message<T>(a.ends[tile.neighbour], epoch) + tile.in_message;
    copy_tile(tile.count, vector + tile.at, [=](int at) { return __ldcg(message + at); });
  }
  if (a.epoch != nullptr && is_last_block(a.ticket) && threadIdx.x == 0) {
    *a.epoch = epoch + 1;
  }
}

__device__ __forceinline__ void await_neighbours(const ListCopies& a, unsigned epoch) {
  for (int n = static_cast<int>(threadIdx.x); n < a.neighbours; n += static_cast<int>(blockDim.x)) {
    wait_until(a.ends[n].received_count, epoch + 1);
  }
}

template <class T>
__global__ void __launch_bounds__(threads)
    pack_lists(const T* vector, const std::int32_t* sent, ListCopies a) {
  pack_tiles(vector, sent, a, epoch_of(a.epoch));
}

/// Waits for all messages in one small block, so that the unpacking blocks do not occupy
/// multiprocessors that other work could use.
__global__ void await_lists(ListCopies a) { await_neighbours(a, *a.epoch); }

template <class T>
__global__ void __launch_bounds__(threads) unpack_lists(T* vector, ListCopies a) {
  unpack_tiles(vector, a, epoch_of(a.epoch));
}

/// A whole exchange between GPUs that store into each other's memory, with no other work alongside
/// it. Each block packs before it waits, so that all blocks must be on the GPU at once.
template <class T>
__global__ void __launch_bounds__(threads)
    exchange_lists(T* vector, const std::int32_t* sent, ListCopies packed, ListCopies unpacked) {
  const unsigned epoch = *packed.epoch;
  pack_tiles(static_cast<const T*>(vector), sent, packed, epoch);
  await_neighbours(unpacked, epoch);
  __syncthreads();
  unpack_tiles(vector, unpacked, epoch);
}

/// Appends the tiles of one message, whose first element is number `at`.
void add_tiles(int neighbour, std::int64_t at, std::int64_t elements,
               std::vector<ListTile>& tiles) {
  for (std::int64_t begin = 0; begin < elements; begin += tile_elements) {
    const std::int64_t count = std::min<std::int64_t>(tile_elements, elements - begin);
    tiles.push_back({.at = at + begin,
                     .in_message = begin,
                     .neighbour = neighbour,
                     .count = static_cast<int>(count)});
  }
}

/// At least one block even if there is nothing to copy: it signals the neighbours.
LaunchShape shape_for(int tiles) {
  return {dim3(static_cast<unsigned>(std::clamp<std::int64_t>(tiles, 1, max_blocks))),
          dim3(threads)};
}

template <class T>
class CudaListExchange final : public ListExchange<T> {
 public:
  CudaListExchange(const ListSetup& setup, const Stream& work)
      : work_(work), halo_(work.device(), StreamPriority::high) {
    const std::vector<ListNeighbour> neighbours = detail::partners(setup);
    sent_bytes_ = detail::leaving_bytes(neighbours, sizeof(T));
    shared_gpu_ = sharers_of_device(setup.ranks, work.device()) > 1;
    chosen_ = make_gpu_transport(setup.transport, setup.ranks, sizes_of(neighbours), halo_);
    describe(neighbours);
  }

  void start(T* vector) override {
    if (pack_.neighbours == 0) {
      return;
    }
    vector_ = vector;
    ready_.record(work_);
    halo_.wait_for(ready_);
    launch(halo_, shape_for(pack_.tiles), pack_lists<T>, static_cast<const T*>(vector),
           static_cast<const std::int32_t*>(sent_list_.data()), pack_);
    chosen_.transport->packed(halo_);
    if (recordable()) {
      unpack();
    }
  }

  void finish() override {
    if (pack_.neighbours == 0) {
      return;
    }
    if (!recordable()) {
      unpack();
    }
    work_.wait_for(arrived_);
  }

  void exchange(T* vector) override {
    if (pack_.neighbours == 0 || pack_.epoch == nullptr || shared_gpu_) {
      ListExchange<T>::exchange(vector);
      return;
    }
    const int most = multiprocessors_of(work_.device());
    LaunchShape shape = shape_for(std::max(pack_.tiles, unpack_.tiles));
    shape.grid.x = std::min(shape.grid.x, static_cast<unsigned>(most));
    launch(work_, shape, exchange_lists<T>, vector,
           static_cast<const std::int32_t*>(sent_list_.data()), pack_, unpack_);
  }

  [[nodiscard]] Transport transport() const override { return chosen_.kind; }
  [[nodiscard]] bool recordable() const override { return chosen_.transport->recordable(); }
  [[nodiscard]] std::int64_t sent_bytes() const override { return sent_bytes_; }

 private:
  /// A transport's messages have the same length in both directions: the longer of the two, on
  /// which both sides agree.
  static std::vector<MessageSize> sizes_of(const std::vector<ListNeighbour>& neighbours) {
    std::vector<MessageSize> sizes;
    sizes.reserve(neighbours.size());
    for (const ListNeighbour& neighbour : neighbours) {
      const std::size_t elements =
          std::max(neighbour.sent.size(), static_cast<std::size_t>(neighbour.received));
      sizes.push_back({neighbour.rank, elements * sizeof(T)});
    }
    return sizes;
  }

  /// Fixes the arguments of the kernels but for the vector.
  void describe(const std::vector<ListNeighbour>& neighbours) {
    std::vector<std::int32_t> sent_list;
    std::vector<ListTile> sent;
    std::vector<ListTile> received;
    for (std::size_t n = 0; n < neighbours.size(); ++n) {
      const ListNeighbour& neighbour = neighbours[n];
      const auto list_begin = static_cast<std::int64_t>(sent_list.size());
      sent_list.insert(sent_list.end(), neighbour.sent.begin(), neighbour.sent.end());
      add_tiles(static_cast<int>(n), list_begin, static_cast<std::int64_t>(neighbour.sent.size()),
                sent);
      add_tiles(static_cast<int>(n), neighbour.received_begin, neighbour.received, received);
    }
    sent_list_ = device_copy(sent_list, halo_);
    sent_tiles_ = device_copy(sent, halo_);
    received_tiles_ = device_copy(received, halo_);
    ends_ = device_copy(chosen_.transport->ends(), halo_);
    tickets_ = device_copy(std::vector<unsigned>{0, 0}, halo_);
    pack_ = copies(sent_tiles_, tickets_.data());
    unpack_ = copies(received_tiles_, tickets_.data() + 1);
    halo_.synchronize();  // exchanges may also be queued on the other stream
  }

  [[nodiscard]] ListCopies copies(const Buffer<ListTile>& tiles, unsigned* ticket) const {
    return {.tile = tiles.data(),
            .tiles = static_cast<int>(tiles.size()),
            .neighbours = static_cast<int>(ends_.size()),
            .ends = ends_.data(),
            .epoch = chosen_.transport->epoch(),
            .ticket = ticket};
  }

  void unpack() {
    chosen_.transport->before_unpacking(halo_);
    if (unpack_.epoch != nullptr) {
      launch(halo_, {dim3(1), dim3(32)}, await_lists, unpack_);
    }
    launch(halo_, shape_for(unpack_.tiles), unpack_lists<T>, vector_, unpack_);
    arrived_.record(halo_);
  }

  const Stream& work_;
  Stream halo_;
  Event ready_;
  Event arrived_;
  std::int64_t sent_bytes_ = 0;
  bool shared_gpu_ = false;  ///< with other ranks, whose blocks may occupy it
  ChosenTransport chosen_;
  Buffer<std::int32_t> sent_list_;  ///< of all neighbours
  Buffer<ListTile> sent_tiles_;
  Buffer<ListTile> received_tiles_;
  Buffer<GpuMessageEnds> ends_;
  Buffer<unsigned> tickets_;  ///< of the packing and of the unpacking blocks
  ListCopies pack_;
  ListCopies unpack_;
  T* vector_ = nullptr;  ///< in flight
};

/// Of a single rank, which needs neither streams nor buffers for it.
template <class T>
class NoExchange final : public ListExchange<T> {
 public:
  void start(T* /*vector*/) override {}
  void finish() override {}
  [[nodiscard]] Transport transport() const override { return Transport::local; }
  [[nodiscard]] bool recordable() const override { return true; }
  [[nodiscard]] std::int64_t sent_bytes() const override { return 0; }
};

}  // namespace

template <class T>
std::unique_ptr<ListExchange<T>> make_list_exchange(const ListSetup& setup, const Stream& work) {
  if (setup.ranks.size() == 1) {
    expects(setup.neighbours.empty(), "a neighbour is another rank");
    return std::make_unique<NoExchange<T>>();
  }
  return std::make_unique<CudaListExchange<T>>(setup, work);
}

template std::unique_ptr<ListExchange<float>> make_list_exchange(const ListSetup&, const Stream&);
template std::unique_ptr<ListExchange<double>> make_list_exchange(const ListSetup&, const Stream&);

}  // namespace bankfull
