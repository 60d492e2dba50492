#include "bankfull/core/base/error.hpp"
#include "bankfull/core/base/expects.hpp"
#include "bankfull/core/base/mpi_cuda.hpp"
#include "bankfull/core/comm/mpi.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <climits>
#include <cstddef>
#include <exception>
#include <numeric>
#include <set>
#include <string>
#include <thread>
#include <utility>

namespace bankfull {
namespace {

/// MPI counts in int, so longer messages go in parts.
constexpr std::size_t max_bytes = std::size_t{1} << 30;

int count_of(std::size_t bytes) { return static_cast<int>(bytes); }

/// Calls `act(offset, count)` for every part of a long message.
template <class Act>
void for_each_part(std::size_t bytes, const Act& act) {
  for (std::size_t begin = 0; begin < bytes; begin += max_bytes) {
    act(begin, count_of(std::min(max_bytes, bytes - begin)));
  }
}

int rank_in(MPI_Comm comm) {
  int rank = 0;
  mpi_check(MPI_Comm_rank(comm, &rank), "asking for the rank");
  return rank;
}

int size_of(MPI_Comm comm) {
  int size = 0;
  mpi_check(MPI_Comm_size(comm, &size), "asking for the number of ranks");
  return size;
}

/// The largest tag that messages may have. MPI keeps it with the world only.
int largest_tag() {
  void* value = nullptr;
  int found = 0;
  mpi_check(MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, static_cast<void*>(&value), &found),
            "asking for the largest tag");
  constexpr int promised_by_the_standard = 32767;
  return found != 0 ? *static_cast<const int*>(value) : promised_by_the_standard;
}

/// The ranks that `colour` puts together; null for MPI_UNDEFINED.
std::unique_ptr<Communicator> split_off(MPI_Comm comm, int colour) {
  MPI_Comm part = MPI_COMM_NULL;
  mpi_check(MPI_Comm_split(comm, colour, rank_in(comm), &part), "splitting the ranks");
  return part == MPI_COMM_NULL ? nullptr
                               : make_mpi_communicator(std::make_shared<const MpiHandle>(part));
}

/// Persistent requests: MPI matches and sets up its buffers once.
class MpiExchange final : public MessageExchange {
 public:
  explicit MpiExchange(std::shared_ptr<const MpiHandle> handle) : handle_(std::move(handle)) {}

  ~MpiExchange() override {
    for (MPI_Request& request : requests_) {
      static_cast<void>(MPI_Request_free(&request));  // nothing to do about a failure
    }
  }
  MpiExchange(const MpiExchange&) = delete;
  MpiExchange& operator=(const MpiExchange&) = delete;

  void add_receive(const Message& message, int tag) {
    add(message, [&](void* data, int count, MPI_Request* request) {
      return MPI_Recv_init(data, count, MPI_BYTE, message.rank, tag, handle_->get(), request);
    });
  }

  void add_send(const Message& message, int tag) {
    add(message, [&](const void* data, int count, MPI_Request* request) {
      return MPI_Send_init(data, count, MPI_BYTE, message.rank, tag, handle_->get(), request);
    });
  }

  void start() override {
    // One by one: MPI_Startall may start them in any order, and the parts of a long message are
    // distinguished by their order.
    for (MPI_Request& request : requests_) {
      mpi_check(MPI_Start(&request), "starting an exchange");
    }
  }

  void finish() override {
    mpi_check(
        MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE),
        "exchanging messages");
  }

 private:
  template <class Init>
  void add(const Message& message, const Init& init) {
    for_each_part(message.bytes, [&](std::size_t begin, int count) {
      MPI_Request request = MPI_REQUEST_NULL;
      mpi_check(init(static_cast<std::byte*>(message.data) + begin, count, &request),
                "preparing an exchange");
      requests_.push_back(request);
    });
  }

  std::shared_ptr<const MpiHandle> handle_;
  std::vector<MPI_Request> requests_;
};

/// A rank's position among the nodes.
struct NodePlace {
  int local_rank = 0;
  int local_size = 1;
  int node = 0;
};

/// Collective.
NodePlace node_place(MPI_Comm comm) {
  const auto local = ranks_of_node(comm);
  NodePlace place{.local_rank = rank_in(local->get()), .local_size = size_of(local->get())};
  // Nodes are known by their lowest rank.
  int lowest = rank_in(comm);
  mpi_check(MPI_Bcast(&lowest, 1, MPI_INT, 0, local->get()), "numbering the nodes");
  std::vector<int> all(static_cast<std::size_t>(size_of(comm)));
  mpi_check(MPI_Allgather(&lowest, 1, MPI_INT, all.data(), 1, MPI_INT, comm),
            "numbering the nodes");
  const std::set<int> nodes(all.begin(), all.end());
  place.node = static_cast<int>(std::distance(nodes.begin(), nodes.find(lowest)));
  return place;
}

class MpiCommunicator final : public Communicator {
 public:
  MpiCommunicator(std::shared_ptr<const MpiHandle> handle, const NodePlace& place)
      : Communicator(rank_in(handle->get()), size_of(handle->get()), place.local_rank,
                     place.local_size, place.node),
        handle_(std::move(handle)),
        largest_tag_(largest_tag()),
        next_tags_(static_cast<std::size_t>(size()), 0) {}

  [[nodiscard]] bool takes_device_memory() const override { return mpi_takes_cuda_memory(); }

  void barrier() const override { mpi_check(MPI_Barrier(comm()), "waiting for all ranks"); }

  void patient_barrier() const override {
    MPI_Request request = MPI_REQUEST_NULL;
    mpi_check(MPI_Ibarrier(comm(), &request), "waiting for all ranks");
    int done = 0;
    mpi_check(MPI_Test(&request, &done, MPI_STATUS_IGNORE), "waiting for all ranks");
    while (done == 0) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
      mpi_check(MPI_Test(&request, &done, MPI_STATUS_IGNORE), "waiting for all ranks");
    }
  }

  void broadcast(void* data, std::size_t bytes, int root) const override {
    for_each_part(bytes, [&](std::size_t begin, int count) {
      mpi_check(MPI_Bcast(static_cast<std::byte*>(data) + begin, count, MPI_BYTE, root, comm()),
                "broadcasting");
    });
  }

  [[nodiscard]] std::vector<std::vector<std::byte>> all_gather_bytes(
      std::span<const std::byte> mine) const override {
    const std::vector<std::size_t> sizes = all_gather(mine.size());
    const std::size_t total = std::accumulate(sizes.begin(), sizes.end(), std::size_t{0});
    return total <= max_bytes ? gather_at_once(mine, sizes) : gather_in_turn(mine, sizes);
  }

  [[nodiscard]] std::unique_ptr<MessageExchange> prepare(
      std::span<const Message> sends, std::span<const Message> receives) const override {
    const std::vector<int> tags = tags_for(sends, receives);
    auto exchange = std::make_unique<MpiExchange>(handle_);
    // Receives are posted first, so that messages find a matching receive on arrival.
    for (const Message& message : receives) {
      exchange->add_receive(message, tags[static_cast<std::size_t>(message.rank)]);
    }
    for (const Message& message : sends) {
      exchange->add_send(message, tags[static_cast<std::size_t>(message.rank)]);
    }
    return exchange;
  }

  [[nodiscard]] std::unique_ptr<Communicator> first(int count) const override {
    return split_off(comm(), rank() < count ? 0 : MPI_UNDEFINED);
  }

  [[nodiscard]] std::unique_ptr<Communicator> split(int colour) const override {
    return split_off(comm(), colour >= 0 ? colour : MPI_UNDEFINED);
  }

 protected:
  void all_gather_equal(const void* mine, void* all, std::size_t bytes) const override {
    expects(bytes <= max_bytes, "single values are small");
    mpi_check(
        MPI_Allgather(mine, count_of(bytes), MPI_BYTE, all, count_of(bytes), MPI_BYTE, comm()),
        "gathering from all ranks");
  }

 private:
  using Blocks = std::vector<std::vector<std::byte>>;

  [[nodiscard]] MPI_Comm comm() const { return handle_->get(); }

  [[nodiscard]] Blocks gather_at_once(std::span<const std::byte> mine,
                                      const std::vector<std::size_t>& sizes) const {
    std::vector<int> counts;
    std::vector<int> begins;
    std::size_t total = 0;
    for (const std::size_t bytes : sizes) {
      counts.push_back(count_of(bytes));
      begins.push_back(count_of(total));
      total += bytes;
    }
    std::vector<std::byte> joined(total);
    mpi_check(MPI_Allgatherv(mine.data(), count_of(mine.size()), MPI_BYTE, joined.data(),
                             counts.data(), begins.data(), MPI_BYTE, comm()),
              "gathering from all ranks");
    Blocks blocks;
    for (std::size_t n = 0; n < sizes.size(); ++n) {
      const std::byte* const begin = joined.data() + begins[n];
      blocks.emplace_back(begin, begin + sizes[n]);
    }
    return blocks;
  }

  /// For more than MPI can count.
  [[nodiscard]] Blocks gather_in_turn(std::span<const std::byte> mine,
                                      const std::vector<std::size_t>& sizes) const {
    Blocks blocks;
    for (int root = 0; root < size(); ++root) {
      std::vector<std::byte>& block = blocks.emplace_back(sizes[static_cast<std::size_t>(root)]);
      if (root == rank()) {
        std::copy(mine.begin(), mine.end(), block.begin());
      }
      broadcast(block.data(), block.size(), root);
    }
    return blocks;
  }

  /// The tag of a new exchange with every rank that takes part in it.
  ///
  /// Exchanges between the same ranks may be under way together, so each has its own tag. Each rank
  /// counts on its own, and ranks that are not neighbours prepare different exchanges: so there is
  /// a counter for each pair, and its two ranks, which prepare what they share in the same order,
  /// agree on it.
  [[nodiscard]] std::vector<int> tags_for(std::span<const Message> sends,
                                          std::span<const Message> receives) const {
    std::set<int> others;
    for (const auto& messages : {sends, receives}) {
      for (const Message& message : messages) {
        if (message.rank < 0 || message.rank >= size() || message.rank == rank()) {
          throw UsageError("a message between rank " + std::to_string(rank()) + " and rank " +
                               std::to_string(message.rank) + " of " + std::to_string(size()),
                           "name another rank that there is");
        }
        others.insert(message.rank);
      }
    }
    std::vector<int> tags(next_tags_.size(), 0);
    for (const int other : others) {
      int& next = next_tags_[static_cast<std::size_t>(other)];
      tags[static_cast<std::size_t>(other)] = next;
      next = next < largest_tag_ ? next + 1 : 0;
    }
    return tags;
  }

  std::shared_ptr<const MpiHandle> handle_;
  int largest_tag_;
  mutable std::vector<int> next_tags_;  ///< of the exchanges with each rank
};

}  // namespace

void mpi_check(int status, const char* while_doing) {
  if (status == MPI_SUCCESS) {
    return;
  }
  std::array<char, MPI_MAX_ERROR_STRING> text{};
  int length = 0;
  static_cast<void>(MPI_Error_string(status, text.data(), &length));
  throw RuntimeFailure(std::string("MPI failed while ") + while_doing + ": " +
                       std::string(text.data(), static_cast<std::size_t>(length)));
}

MpiHandle::~MpiHandle() {
  if (std::uncaught_exceptions() == 0) {
    static_cast<void>(MPI_Comm_free(&comm_));  // nothing to do about a failure
  }
}

std::shared_ptr<const MpiHandle> ranks_of_node(MPI_Comm comm) {
  MPI_Comm local = MPI_COMM_NULL;
  mpi_check(MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, rank_in(comm), MPI_INFO_NULL, &local),
            "finding the ranks of this node");
  return std::make_shared<const MpiHandle>(local);
}

std::unique_ptr<Communicator> make_mpi_communicator(std::shared_ptr<const MpiHandle> handle) {
  const NodePlace place = node_place(handle->get());
  return std::make_unique<MpiCommunicator>(std::move(handle), place);
}

}  // namespace bankfull
