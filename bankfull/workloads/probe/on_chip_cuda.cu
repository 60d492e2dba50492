#include "bankfull/core/exec/cluster.cuh"
#include "bankfull/core/exec/dynamic_shared.cuh"
#include "bankfull/core/exec/launch.cuh"
#include "bankfull/core/exec/multiprocessor.cuh"
#include "bankfull/core/exec/stream.hpp"
#include "bankfull/core/exec/vector16.cuh"
#include "bankfull/core/memory/buffer.hpp"
#include "bankfull/workloads/probe/on_chip.hpp"

#include <algorithm>
#include <cstddef>
#include <map>
#include <utility>
#include <vector>

namespace bankfull::probe {
namespace {

constexpr int read_threads = 1024;
constexpr int own_loads = 2;                           // in flight per thread of two blocks: 64 KiB
constexpr int cluster_loads = 8;                       // one block only, and a longer way
constexpr int own_vectors = own_loads * read_threads;  // 32 KiB
constexpr int cluster_vectors = cluster_loads * read_threads;  // 128 KiB: no second block fits
constexpr int own_rounds = 4096;
constexpr int cluster_rounds = 512;
constexpr unsigned chain_words = 4096;
constexpr int walk_loads = 1 << 16;

/// Word n of the memory that block `block` fills: a small integer.
__host__ __device__ constexpr unsigned chip_word(unsigned block, unsigned n) {
  return (5 * n + 3 * block) % 13;
}

/// Sum of the four words of vector n.
__host__ __device__ constexpr unsigned chip_sum(unsigned block, unsigned n) {
  return chip_word(block, 4 * n) + chip_word(block, 4 * n + 1) + chip_word(block, 4 * n + 2) +
         chip_word(block, 4 * n + 3);
}

__device__ uint4 chip_vector(unsigned block, unsigned n) {
  return {chip_word(block, 4 * n), chip_word(block, 4 * n + 1), chip_word(block, 4 * n + 2),
          chip_word(block, 4 * n + 3)};
}

/// A full cycle through all words of a chain (Hull and Dobell, 1962).
__host__ __device__ constexpr unsigned next_word(unsigned n) { return (5 * n + 1) % chain_words; }

/// When a block began and ended by the clock of its multiprocessor.
struct BlockTimes {
  long long begin;
  long long end;
  unsigned multiprocessor;
};

// Loads of vector n of a region.

struct SharedReader {
  unsigned begin;
  __device__ __forceinline__ uint4 operator()(unsigned n) const {
    uint4 words;
    asm volatile("ld.shared.v4.u32 {%0,%1,%2,%3}, [%4];"
                 : "=r"(words.x), "=r"(words.y), "=r"(words.z), "=r"(words.w)
                 : "r"(begin + 16 * n));
    return words;
  }
};

struct L1Reader {
  const uint4* begin;
  __device__ __forceinline__ uint4 operator()(unsigned n) const {
    uint4 words;
    asm volatile("ld.global.ca.v4.u32 {%0,%1,%2,%3}, [%4];"
                 : "=r"(words.x), "=r"(words.y), "=r"(words.z), "=r"(words.w)
                 : "l"(begin + n));
    return words;
  }
};

struct ClusterReader {
  unsigned begin;
  __device__ __forceinline__ uint4 operator()(unsigned n) const {
    return load_vector_in_cluster(begin + 16 * n);
  }
};

/// `Loads` vectors per thread and round; neighbouring threads read neighbouring vectors. The loads
/// of even and odd number swap their vectors from round to round: the assembler would load what
/// does not change only once. Three-operand additions keep the arithmetic at half an instruction
/// per word, less than the loads take.
template <int Loads, class Reader>
__device__ __forceinline__ unsigned read_rounds(const Reader& read, int rounds) {
  static_assert(Loads % 2 == 0);
  unsigned sum = 0;
  unsigned other_sum = 0;
  unsigned swap = 0;
#pragma unroll 1
  for (int round = 0; round < rounds; ++round) {
    uint4 loaded[Loads];
#pragma unroll
    for (int n = 0; n < Loads; ++n) {
      const unsigned at = threadIdx.x + static_cast<unsigned>(n * read_threads);
      loaded[n] = read(n % 2 == 0 ? at + swap : at - swap);
    }
    swap ^= static_cast<unsigned>(read_threads);
#pragma unroll
    for (int n = 0; n < Loads; ++n) {
      sum += loaded[n].x + loaded[n].y;
      other_sum += loaded[n].z + loaded[n].w;
    }
  }
  return sum + other_sum;
}

/// Reads, and records the time and the sum. All threads of the block call it.
template <int Loads, class Reader>
__device__ __forceinline__ void timed_read(const Reader& read, int rounds, unsigned* sums,
                                           BlockTimes* times) {
  __syncthreads();
  const long long begin = clock64();
  const unsigned sum = read_rounds<Loads>(read, rounds);
  __syncthreads();
  const long long end = clock64();
  sums[blockIdx.x * blockDim.x + threadIdx.x] = sum;
  if (threadIdx.x == 0) {
    times[blockIdx.x] = {begin, end, multiprocessor_number()};
  }
}

__global__ void __launch_bounds__(read_threads, 2)
    read_shared_kernel(unsigned* sums, BlockTimes* times, int rounds) {
  __shared__ uint4 region[own_vectors];
  for (unsigned n = threadIdx.x; n < own_vectors; n += blockDim.x) {
    region[n] = chip_vector(blockIdx.x, n);
  }
  timed_read<own_loads>(SharedReader{shared_address(region)}, rounds, sums, times);
}

__global__ void fill_regions_kernel(uint4* regions) {
  for (unsigned n = threadIdx.x; n < own_vectors; n += blockDim.x) {
    regions[blockIdx.x * own_vectors + n] = chip_vector(blockIdx.x, n);
  }
}

__global__ void __launch_bounds__(read_threads, 2)
    read_l1_kernel(const uint4* regions, unsigned* sums, BlockTimes* times, int rounds) {
  const L1Reader read{regions + blockIdx.x * own_vectors};
  timed_read<own_loads>(read, rounds, sums, times);
}

__global__ void __launch_bounds__(read_threads, 1)
    read_next_block_kernel(unsigned* sums, BlockTimes* times, int rounds) {
  if constexpr (compiled_capability >= cluster_capability) {
    uint4* const region = &dynamic_shared<uint4>();
    for (unsigned n = threadIdx.x; n < cluster_vectors; n += blockDim.x) {
      region[n] = chip_vector(blockIdx.x, n);
    }
    cluster_barrier();
    const unsigned next = (cluster_rank() + 1) % cluster_size();
    timed_read<cluster_loads>(ClusterReader{address_in_block(shared_address(region), next)}, rounds,
                              sums, times);
    cluster_barrier();  // no block ends while another reads its memory
  }
}

__device__ __forceinline__ unsigned load_word(unsigned address) {
  unsigned word;
  asm volatile("ld.shared.u32 %0, [%1];" : "=r"(word) : "r"(address));
  return word;
}

/// Where a walk ended, and how long it took.
struct WalkEnd {
  unsigned word;
  long long clocks;
};

/// Words hold the addresses of the next ones, so that nothing but loads is in the chain.
template <ChainPlace Place>
__global__ void walk_kernel(WalkEnd* end, int loads) {
  if constexpr (compiled_capability >= cluster_capability) {
    unsigned* const words = &dynamic_shared<unsigned>();
    const auto address_of = [&](const unsigned* word) {
      const unsigned own = shared_address(word);
      return Place == ChainPlace::own ? own : address_in_block(own, cluster_rank());
    };
    for (unsigned n = threadIdx.x; n < chain_words; n += blockDim.x) {
      words[n] = address_of(words + next_word(n));
    }
    cluster_barrier();
    if (cluster_rank() == 0 && threadIdx.x == 0) {
      const unsigned owner = Place == ChainPlace::other_block ? cluster_size() - 1 : 0;
      const unsigned first = Place == ChainPlace::own
                                 ? shared_address(words)
                                 : address_in_block(shared_address(words), owner);
      unsigned at = first;
      const long long begin = clock64();
#pragma unroll 8
      for (int n = 0; n < loads; ++n) {
        at = Place == ChainPlace::own ? load_word(at) : load_word_in_cluster(at);
      }
      // The store cannot be issued before the last address is known.
      volatile unsigned* const word = &end->word;
      *word = (at - first) / sizeof(unsigned);
      end->clocks = clock64() - begin;
    }
    cluster_barrier();
  }
}

class CudaChipMemory final : public ChipMemory {
 public:
  explicit CudaChipMemory(Device gpu)
      : stream_(gpu),
        multiprocessors_(multiprocessors_of(gpu)),
        sums_(MemorySpace::device, 2 * units() * read_threads),
        times_(MemorySpace::device, 2 * units()),
        regions_(MemorySpace::device, 2 * units() * own_vectors),
        end_(MemorySpace::device, 1) {
    launch(stream_, {dim3(static_cast<unsigned>(2 * multiprocessors_)), dim3(read_threads)},
           &fill_regions_kernel, regions_.data());
    if (has_clusters()) {
      allow_clusters(&read_next_block_kernel);
      allow_clusters(&walk_kernel<ChainPlace::own>);
      allow_clusters(&walk_kernel<ChainPlace::own_in_cluster>);
      allow_clusters(&walk_kernel<ChainPlace::other_block>);
    }
    stream_.synchronize();
  }

  ChipRead read(OnChip where) override {
    select(stream_.device());
    const auto blocks = static_cast<unsigned>(2 * multiprocessors_);
    const LaunchShape shape{dim3(blocks), dim3(read_threads)};
    const double seconds = timed([&] {
      if (where == OnChip::shared) {
        launch(stream_, shape, &read_shared_kernel, sums_.data(), times_.data(), own_rounds);
      } else {
        launch(stream_, shape, &read_l1_kernel, static_cast<const uint4*>(regions_.data()),
               sums_.data(), times_.data(), own_rounds);
      }
    });
    return result(seconds, blocks, own_rounds * own_loads, own_vectors,
                  [](unsigned block) { return block; });
  }

  int clusters_of(int blocks) override {
    select(stream_.device());
    return has_clusters() ? max_active_clusters(&read_next_block_kernel, cluster_shape(blocks, 1))
                          : 0;
  }

  ChipRead read_next_block(int blocks) override {
    const LaunchShape shape = cluster_shape(blocks, clusters_of(blocks));
    const double seconds = timed([&] {
      launch(stream_, shape, &read_next_block_kernel, sums_.data(), times_.data(), cluster_rounds);
    });
    const auto each = static_cast<unsigned>(blocks);
    return result(
        seconds, shape.grid.x, cluster_rounds * cluster_loads, cluster_vectors,
        [each](unsigned block) { return block / each * each + (block % each + 1) % each; });
  }

  ChipWalk walk(ChainPlace place, int blocks) override {
    select(stream_.device());
    LaunchShape shape = cluster_shape(blocks, 1);
    shape.block = dim3(128);
    const double seconds = timed([&] {
      if (place == ChainPlace::own) {
        launch(stream_, shape, &walk_kernel<ChainPlace::own>, end_.data(), walk_loads);
      } else if (place == ChainPlace::own_in_cluster) {
        launch(stream_, shape, &walk_kernel<ChainPlace::own_in_cluster>, end_.data(), walk_loads);
      } else {
        launch(stream_, shape, &walk_kernel<ChainPlace::other_block>, end_.data(), walk_loads);
      }
    });
    WalkEnd end{};
    copy_bytes(&end, end_.data(), sizeof(end), stream_);
    stream_.synchronize();
    unsigned expected = 0;
    for (int n = 0; n < walk_loads; ++n) {
      expected = next_word(expected);
    }
    return {.seconds = seconds / walk_loads,
            .clocks = static_cast<double>(end.clocks) / walk_loads,
            .arrived = end.word == expected};
  }

 private:
  static constexpr std::size_t cluster_bytes = cluster_vectors * sizeof(uint4);

  [[nodiscard]] std::size_t units() const { return static_cast<std::size_t>(multiprocessors_); }

  /// The code for this GPU may have been compiled for an older one.
  static bool has_clusters() {
    return compiled_capability_of(&read_next_block_kernel) >= cluster_capability;
  }

  template <class... Parameters>
  static void allow_clusters(void (*kernel)(Parameters...)) {
    allow_shared_bytes(kernel, cluster_bytes);
    allow_large_clusters(kernel);
  }

  static LaunchShape cluster_shape(int blocks, int clusters) {
    return {.grid = dim3(static_cast<unsigned>(blocks * clusters)),
            .block = dim3(read_threads),
            .shared_bytes = cluster_bytes,
            .cluster_blocks = static_cast<unsigned>(blocks)};
  }

  template <class Queue>
  double timed(const Queue& queue) {
    before_.record(stream_);
    queue();
    after_.record(stream_);
    return Event::seconds_between(before_, after_);
  }

  /// `owner` of the memory that a block read.
  template <class Owner>
  ChipRead result(double seconds, unsigned blocks, int loads, int vectors, const Owner& owner) {
    std::vector<unsigned> sums(std::size_t{blocks} * read_threads);
    std::vector<BlockTimes> times(blocks);
    copy_bytes(sums.data(), sums_.data(), sums.size() * sizeof(unsigned), stream_);
    copy_bytes(times.data(), times_.data(), times.size() * sizeof(BlockTimes), stream_);
    stream_.synchronize();
    const double block_bytes = 16.0 * loads * read_threads;
    ChipRead read{.seconds = seconds,
                  .bytes = block_bytes * blocks,
                  .memory_bytes = 16.0 * vectors * blocks,
                  .bytes_per_clock = bytes_per_clock(times, block_bytes)};
    const auto repeats = static_cast<unsigned>(loads * read_threads / vectors);
    for (unsigned n = 0; n < sums.size(); ++n) {
      unsigned expected = 0;
      for (unsigned vector = n % read_threads; vector < static_cast<unsigned>(vectors);
           vector += read_threads) {
        expected += repeats * chip_sum(owner(n / read_threads), vector);
      }
      read.wrong_sums += sums[n] == expected ? 0 : 1;
    }
    return read;
  }

  /// Median over the multiprocessors; blocks of one run side by side.
  static double bytes_per_clock(const std::vector<BlockTimes>& times, double block_bytes) {
    struct Use {
      long long begin = 0;
      long long end = 0;
      int blocks = 0;
    };
    std::map<unsigned, Use> uses;
    for (const BlockTimes& block : times) {
      Use& use = uses[block.multiprocessor];
      use.begin = use.blocks == 0 ? block.begin : std::min(use.begin, block.begin);
      use.end = use.blocks == 0 ? block.end : std::max(use.end, block.end);
      ++use.blocks;
    }
    std::vector<double> rates;
    rates.reserve(uses.size());
    for (const auto& [unit, use] : uses) {
      rates.push_back(use.blocks * block_bytes / static_cast<double>(use.end - use.begin));
    }
    const auto middle = rates.begin() + static_cast<std::ptrdiff_t>(rates.size() / 2);
    std::nth_element(rates.begin(), middle, rates.end());
    return *middle;
  }

  Stream stream_;
  Event before_;
  Event after_;
  int multiprocessors_;
  Buffer<unsigned> sums_;
  Buffer<BlockTimes> times_;
  Buffer<uint4> regions_;
  Buffer<WalkEnd> end_;
};

}  // namespace

std::unique_ptr<ChipMemory> make_cuda_chip_memory(Device gpu) {
  return std::make_unique<CudaChipMemory>(gpu);
}

}  // namespace bankfull::probe
