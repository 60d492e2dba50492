#include "bankfull/core/base/error.hpp"
#include "bankfull/core/base/expects.hpp"
#include "bankfull/core/exec/dynamic_shared.cuh"
#include "bankfull/core/exec/launch.cuh"
#include "bankfull/core/exec/multiprocessor.cuh"
#include "bankfull/core/exec/stream.hpp"
#include "bankfull/core/exec/timed_atomics.cuh"
#include "bankfull/core/memory/buffer.hpp"
#include "bankfull/workloads/probe/l2_lines.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <string>

namespace bankfull::probe {
namespace {

constexpr unsigned line_vectors = L2Lines::line_bytes / sizeof(uint4);
constexpr unsigned line_words = L2Lines::line_bytes / sizeof(unsigned);
constexpr unsigned pass_threads = 1024;
constexpr unsigned lines_at_once = pass_threads / line_vectors;  // of a block
constexpr int loads_in_flight = 4;                               // of a thread
constexpr int pass_rounds = 2048;
constexpr int sample_tries = 9;
constexpr int survey_tries = 3;

static_assert(lines_at_once <= L2Lines::shortest_list);

/// All words of vector n of the memory hold n.
__global__ void fill_lines_kernel(uint4* vectors, unsigned count) {
  const unsigned step = gridDim.x * blockDim.x;
  for (unsigned n = blockIdx.x * blockDim.x + threadIdx.x; n < count; n += step) {
    vectors[n] = {n, n, n, n};
  }
}

/// Line n of samples that are spread over all: far apart and in no simple pattern, which the hash
/// of addresses could repeat. Samples differ where the number of lines is a power of two.
__host__ __device__ constexpr unsigned sample_line(unsigned n, unsigned lines) {
  return static_cast<unsigned>(static_cast<unsigned long long>(n) * 2654435761ULL % lines);
}

/// One thread of each block; blocks begin at different lines and so rarely meet at one.
__global__ void sample_kernel(unsigned* words, unsigned lines, unsigned samples, unsigned* clocks) {
  const unsigned unit = multiprocessor_number();
  for (unsigned n = 0; n < samples; ++n) {
    const unsigned sample = (n + blockIdx.x * samples / gridDim.x) % samples;
    clocks[unit * samples + sample] =
        fewest_clocks(words + sample_line(sample, lines) * line_words, sample_tries);
  }
}

/// Adds the clocks of each line to the sum of the multiprocessor's group.
__global__ void survey_kernel(unsigned* words, unsigned lines, const int* groups, unsigned* sums) {
  const int group = groups[multiprocessor_number()];
  const unsigned first = blockIdx.x * (lines / gridDim.x);
  for (unsigned n = 0; n < lines; ++n) {
    const unsigned line = (first + n) % lines;
    const unsigned clocks = fewest_clocks(words + line * line_words, survey_tries);
    atomicAdd(&sums[static_cast<unsigned>(group) * lines + line], clocks);
  }
}

/// Where the list of a multiprocessor lies among all.
struct ListRange {
  unsigned begin;
  unsigned count;
};

/// The lists of all multiprocessors.
struct ListsView {
  const unsigned* lines;
  const ListRange* ranges;  ///< by number of the multiprocessor
};

/// The block's list, copied to shared memory.
__device__ __forceinline__ unsigned load_list(const ListsView& lists, unsigned* list) {
  const ListRange range = lists.ranges[multiprocessor_number()];
  for (unsigned n = threadIdx.x; n < range.count; n += blockDim.x) {
    list[n] = lists.lines[range.begin + n];
  }
  __syncthreads();
  return range.count;
}

/// Eight threads take a line, the block as many lines at once as it has such groups; then it goes
/// on in its list, and from the end back to its start.
template <LinePass Pass>
__global__ void __launch_bounds__(pass_threads, 1)
    pass_kernel(uint4* vectors, ListsView lists, int rounds, unsigned* sums) {
  unsigned* const list = &dynamic_shared<unsigned>();
  const unsigned count = load_list(lists, list);
  const unsigned part = threadIdx.x % line_vectors;
  unsigned n = threadIdx.x / line_vectors;
  unsigned sum = 0;
#pragma unroll 1
  for (int round = 0; round < rounds; ++round) {
    uint4 loaded[loads_in_flight];
#pragma unroll
    for (int load = 0; load < loads_in_flight; ++load) {
      const unsigned vector = list[n] * line_vectors + part;
      if constexpr (Pass == LinePass::read) {
        asm volatile("ld.global.cg.v4.u32 {%0,%1,%2,%3}, [%4];"
                     : "=r"(loaded[load].x), "=r"(loaded[load].y), "=r"(loaded[load].z),
                       "=r"(loaded[load].w)
                     : "l"(vectors + vector));
      } else {
        asm volatile("st.global.cg.v4.u32 [%0], {%1,%1,%1,%1};" ::"l"(vectors + vector), "r"(vector)
                     : "memory");
      }
      n += lines_at_once;
      n -= n >= count ? count : 0;
    }
    if constexpr (Pass == LinePass::read) {
#pragma unroll
      for (int load = 0; load < loads_in_flight; ++load) {
        sum += loaded[load].x + loaded[load].y + loaded[load].z + loaded[load].w;
      }
    }
  }
  if constexpr (Pass == LinePass::read) {
    atomicAdd(&sums[multiprocessor_number()], sum);
  }
}

/// Sum, modulo 2^32, of all words of a line.
unsigned line_sum(unsigned line) {
  unsigned sum = 0;
  for (unsigned part = 0; part < line_vectors; ++part) {
    sum += 4 * (line * line_vectors + part);
  }
  return sum;
}

class CudaL2Lines final : public L2Lines {
 public:
  CudaL2Lines(Device gpu, std::int64_t bytes)
      : stream_(gpu),
        blocks_(static_cast<unsigned>(multiprocessors_of(gpu))),
        lines_(static_cast<unsigned>(bytes / line_bytes)),
        vectors_(MemorySpace::device, std::size_t{lines_} * line_vectors),
        clocks_(MemorySpace::device,
                std::max(std::size_t{2} * lines_, std::size_t{max_multiprocessors} * max_samples)),
        groups_(MemorySpace::device, max_multiprocessors),
        list_(MemorySpace::device, std::size_t{lines_} + max_multiprocessors * shortest_list),
        ranges_(MemorySpace::device, max_multiprocessors),
        sums_(MemorySpace::device, max_multiprocessors) {
    // More than half of a multiprocessor's shared memory, so that each has one block.
    alone_bytes_ = max_shared_bytes(gpu, &sample_kernel) - 1024;
    for (auto* kernel : {&pass_kernel<LinePass::read>, &pass_kernel<LinePass::write>}) {
      allow_shared_bytes(kernel, alone_bytes_);
    }
    allow_shared_bytes(&survey_kernel, alone_bytes_);
    allow_shared_bytes(&sample_kernel, alone_bytes_);
    fill();
    find_multiprocessors();
  }

  [[nodiscard]] std::int64_t lines() const override { return lines_; }
  [[nodiscard]] int multiprocessors() const override { return static_cast<int>(blocks_); }

  std::vector<std::vector<double>> sample_latencies(int samples) override {
    expects(samples >= 1 && samples <= max_samples, "the samples fit");
    select(stream_.device());
    const auto each = static_cast<std::size_t>(samples);
    launch_together(stream_, one_thread_each(), &sample_kernel, words(), lines_,
                    static_cast<unsigned>(samples), clocks_.data());
    const std::vector<unsigned> clocks = downloaded(clocks_, max_multiprocessors * each);
    std::vector<std::vector<double>> latencies;
    for (const unsigned unit : units_) {
      const auto begin = clocks.begin() + static_cast<std::ptrdiff_t>(unit * each);
      latencies.emplace_back(begin, begin + samples);
    }
    return latencies;
  }

  std::array<std::vector<double>, 2> mean_latencies(const std::vector<int>& groups) override {
    expects(groups.size() == units_.size(), "every multiprocessor has a group");
    select(stream_.device());
    std::vector<int> by_number(max_multiprocessors, 0);
    for (std::size_t n = 0; n < units_.size(); ++n) {
      by_number[units_[n]] = groups[n];
    }
    upload(groups_, by_number);
    fill_bytes(clocks_.data(), 0, 2 * sizeof(unsigned) * lines_, stream_);
    launch_together(stream_, one_thread_each(), &survey_kernel, words(), lines_,
                    static_cast<const int*>(groups_.data()), clocks_.data());
    const std::vector<unsigned> sums = downloaded(clocks_, std::size_t{2} * lines_);
    std::array<std::vector<double>, 2> means;
    for (std::size_t group = 0; group < 2; ++group) {
      const auto members = static_cast<double>(std::ranges::count(groups, static_cast<int>(group)));
      for (std::size_t line = 0; line < lines_; ++line) {
        means[group].push_back(sums[group * lines_ + line] / members);
      }
    }
    return means;
  }

  LineRates run(LinePass pass, const LineLists& lists) override {
    select(stream_.device());
    upload_lists(lists);
    fill_bytes(sums_.data(), 0, sums_.bytes(), stream_);
    if (pass == LinePass::write) {
      fill_bytes(vectors_.data(), 0xff, vectors_.bytes(), stream_);
    }
    auto* const kernel =
        pass == LinePass::read ? &pass_kernel<LinePass::read> : &pass_kernel<LinePass::write>;
    before_.record(stream_);
    launch_together(stream_, {dim3(blocks_), dim3(pass_threads), alone_bytes_}, kernel,
                    vectors_.data(), ListsView{list_.data(), ranges_.data()}, pass_rounds,
                    sums_.data());
    after_.record(stream_);
    LineRates rates{.seconds = Event::seconds_between(before_, after_),
                    .bytes = static_cast<double>(items) * line_bytes * blocks_};
    if (pass == LinePass::read) {
      rates.wrong = wrong_sums(lists);
    } else {
      rates.wrong = wrong_vectors(lists);
      fill();
    }
    return rates;
  }

 private:
  static constexpr int max_samples = 512;

  /// Lines that a multiprocessor takes in a pass, one list after the other.
  static constexpr std::int64_t items = std::int64_t{pass_rounds} * loads_in_flight * lines_at_once;

  [[nodiscard]] unsigned* words() const { return reinterpret_cast<unsigned*>(vectors_.data()); }

  [[nodiscard]] LaunchShape one_thread_each() const {
    return {dim3(blocks_), dim3(1), alone_bytes_};
  }

  void fill() {
    launch(stream_, {dim3(1024), dim3(256)}, &fill_lines_kernel, vectors_.data(),
           lines_ * line_vectors);
  }

  template <class T>
  void upload(const Buffer<T>& buffer, const std::vector<T>& values) {
    expects(values.size() <= buffer.size(), "the values fit");
    copy_bytes(buffer.data(), values.data(), values.size() * sizeof(T), stream_);
    stream_.synchronize();
  }

  template <class T>
  std::vector<T> downloaded(const Buffer<T>& buffer, std::size_t count) {
    std::vector<T> values(count);
    copy_bytes(values.data(), buffer.data(), count * sizeof(T), stream_);
    stream_.synchronize();
    return values;
  }

  /// The numbers of the multiprocessors, which may have gaps.
  void find_multiprocessors() {
    constexpr unsigned samples = 16;  // no block ends before the last one has begun
    fill_bytes(clocks_.data(), 0, clocks_.bytes(), stream_);
    launch_together(stream_, one_thread_each(), &sample_kernel, words(), lines_, samples,
                    clocks_.data());
    const std::vector<unsigned> clocks =
        downloaded(clocks_, std::size_t{max_multiprocessors} * samples);
    for (unsigned unit = 0; unit < max_multiprocessors; ++unit) {
      if (clocks[std::size_t{unit} * samples] > 0) {
        units_.push_back(unit);
      }
    }
    if (units_.size() != blocks_) {
      throw RuntimeFailure("of " + std::to_string(blocks_) + " multiprocessors, only " +
                           std::to_string(units_.size()) +
                           " ran a block each: other work occupies the GPU");
    }
  }

  void upload_lists(const LineLists& lists) {
    expects(lists.size() == units_.size(), "every multiprocessor has a list");
    std::vector<unsigned> all;
    std::vector<ListRange> ranges(max_multiprocessors);
    for (std::size_t n = 0; n < units_.size(); ++n) {
      const auto count = static_cast<int>(lists[n].size());
      expects(count >= shortest_list && count <= longest_list, "lists fit");
      ranges[units_[n]] = {static_cast<unsigned>(all.size()), static_cast<unsigned>(count)};
      all.insert(all.end(), lists[n].begin(), lists[n].end());
    }
    if (list_.size() < all.size()) {
      list_ = Buffer<unsigned>(MemorySpace::device, all.size());
    }
    upload(list_, all);
    upload(ranges_, ranges);
  }

  /// Multiprocessors whose sum is not that of the lines that they were to read.
  std::int64_t wrong_sums(const LineLists& lists) {
    const std::vector<unsigned> sums = downloaded(sums_, max_multiprocessors);
    std::int64_t wrong = 0;
    for (std::size_t n = 0; n < units_.size(); ++n) {
      const auto count = static_cast<std::int64_t>(lists[n].size());
      unsigned all = 0;
      unsigned rest = 0;
      for (std::int64_t line = 0; line < count; ++line) {
        const unsigned sum = line_sum(lists[n][static_cast<std::size_t>(line)]);
        all += sum;
        rest += line < items % count ? sum : 0;
      }
      const unsigned expected = static_cast<unsigned>(items / count) * all + rest;
      wrong += sums[units_[n]] == expected ? 0 : 1;
    }
    return wrong;
  }

  /// Vectors of the lists that do not hold what the kernel writes.
  std::int64_t wrong_vectors(const LineLists& lists) {
    const std::vector<uint4> vectors = downloaded(vectors_, vectors_.size());
    std::int64_t wrong = 0;
    for (const std::vector<std::uint32_t>& list : lists) {
      for (const std::uint32_t line : list) {
        for (unsigned n = line * line_vectors; n < (line + 1) * line_vectors; ++n) {
          const uint4& v = vectors[n];
          wrong += v.x == n && v.y == n && v.z == n && v.w == n ? 0 : 1;
        }
      }
    }
    return wrong;
  }

  Stream stream_;
  Event before_;
  Event after_;
  unsigned blocks_;  ///< one per multiprocessor
  unsigned lines_;
  Buffer<uint4> vectors_;
  Buffer<unsigned> clocks_;
  Buffer<int> groups_;
  Buffer<unsigned> list_;
  Buffer<ListRange> ranges_;
  Buffer<unsigned> sums_;
  std::size_t alone_bytes_ = 0;
  std::vector<unsigned> units_;  ///< numbers of the multiprocessors, ascending
};

}  // namespace

std::unique_ptr<L2Lines> make_cuda_l2_lines(Device gpu, std::int64_t bytes) {
  select(gpu);
  return std::make_unique<CudaL2Lines>(gpu, bytes);
}

}  // namespace bankfull::probe
