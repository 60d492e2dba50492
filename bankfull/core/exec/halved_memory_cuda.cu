#include "bankfull/core/base/expects.hpp"
#include "bankfull/core/exec/cuda_executor.cuh"
#include "bankfull/core/exec/halved_memory.hpp"
#include "bankfull/core/exec/launch.cuh"
#include "bankfull/core/exec/multiprocessor.cuh"
#include "bankfull/core/exec/timed_atomics.cuh"
#include "bankfull/core/machine/latency_groups.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <vector>

namespace bankfull {
namespace {

constexpr unsigned line_bytes = 128;
constexpr unsigned sampled_lines = 256;
constexpr unsigned sample_stride = 33 * line_bytes;  // lines of many blocks, at many places in them
constexpr int sample_tries = 5;
constexpr int survey_tries = 3;
constexpr int word_bits = 32;

__device__ __forceinline__ unsigned* word_at(std::byte* memory, std::int64_t byte) {
  return reinterpret_cast<unsigned*>(memory + byte);
}

/// Latencies of the sampled lines from each multiprocessor, in clocks. Blocks of one thread, one
/// per multiprocessor, begin at different lines and so rarely meet at one.
__global__ void sample_halves_kernel(std::byte* memory, unsigned* clocks) {
  const unsigned unit = multiprocessor_number();
  for (unsigned n = 0; n < sampled_lines; ++n) {
    const unsigned line = (n + blockIdx.x * sampled_lines / gridDim.x) % sampled_lines;
    clocks[unit * sampled_lines + line] = fewest_clocks(
        word_at(memory, static_cast<std::int64_t>(line) * sample_stride), sample_tries);
  }
}

/// Every `distance`-th pair of a range.
struct PairRange {
  std::int64_t begin;
  std::int64_t end;
  std::int64_t distance;
};

/// Blocks of one thread, one per multiprocessor. Adds to `costs[pair]` what it costs more to take
/// the first block of a pair for half 0's and the second for half 1's than the other way round.
/// Both halves look at the same pairs.
__global__ void survey_pairs_kernel(std::byte* memory, PairRange pairs,
                                    const std::uint8_t* half_of_unit, unsigned* counts,
                                    int counts_of_half0, int counts_of_half1, int* costs) {
  const unsigned half = half_of_unit[multiprocessor_number()];
  const std::int64_t members = half == 0 ? counts_of_half0 : counts_of_half1;
  const std::int64_t begun = atomicAdd(counts + half, 1U);
  for (std::int64_t pair = pairs.begin + begun * pairs.distance; pair < pairs.end;
       pair += members * pairs.distance) {
    std::byte* const at = memory + 2 * half_block_bytes * pair;
    const auto first = static_cast<int>(fewest_clocks(word_at(at, 0), survey_tries));
    const auto second =
        static_cast<int>(fewest_clocks(word_at(at, half_block_bytes), survey_tries));
    atomicAdd(costs + pair, half == 0 ? first - second : second - first);
  }
}

__global__ void note_swapped_kernel(const int* costs, std::int64_t words, std::uint32_t* swapped) {
  const std::int64_t n = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  const unsigned bits = __ballot_sync(~0U, costs[n] > 0);
  if (n % word_bits == 0 && n / word_bits < words) {
    swapped[n / word_bits] = bits;
  }
}

// Physical memory comes in pages of 2 MiB. On the H200 the pairs of all pages are swapped in the
// same way, or all of a page the other way round, so that a few pairs of each page tell of the
// others.
constexpr std::int64_t page_pairs = (std::int64_t{2} << 20) / (2 * half_block_bytes);
constexpr std::int64_t sample_distance = 32;
constexpr std::int64_t samples_for_a_doubt = 64;

/// Notes which pairs are swapped if all pages are like the one that begins with pair `model`, or
/// opposite. Of that page all pairs have costs, of the others every `sample_distance`-th; `doubts`
/// counts those that are not as their page has it.
__global__ void note_alike_kernel(const int* costs, std::int64_t pairs, std::int64_t model,
                                  std::uint32_t* swapped, unsigned* doubts) {
  const std::int64_t n = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  const std::int64_t place = (n + page_pairs - model) % page_pairs;  // in the page
  int alike = 0;
  for (std::int64_t sample = 0; sample < page_pairs; sample += sample_distance) {
    const std::int64_t there = n - place + sample;
    if (there >= 0 && there < pairs) {
      alike += (costs[there] > 0) == (costs[model + sample] > 0) ? 1 : -1;
    }
  }
  const bool is_swapped = n < pairs && (costs[model + place] > 0) == (alike >= 0);
  if (n < pairs && costs[n] != 0 && (costs[n] > 0) != is_swapped) {
    atomicAdd(doubts, 1U);
  }
  const unsigned bits = __ballot_sync(~0U, is_swapped);
  if (n % word_bits == 0 && n <= pairs) {
    swapped[n / word_bits] = bits;
  }
}

/// One block of one thread on each multiprocessor: it takes more than half of the shared memory.
/// Where other work keeps multiprocessors, some get two blocks, one after the other, and others
/// none; that is found out, and costs accuracy at most.
template <class... Parameters>
LaunchShape alone_on_each(const Stream& stream, void (*kernel)(Parameters...)) {
  const std::size_t bytes = max_shared_bytes(stream.device(), kernel) - 1024;
  allow_shared_bytes(kernel, bytes);
  return {dim3(static_cast<unsigned>(multiprocessors_of(stream.device()))), dim3(1), bytes};
}

/// Memory of the stream's GPU, which is the current one from then on.
template <class T>
Buffer<T> allocated(std::size_t count, const Stream& stream) {
  select(stream.device());
  return Buffer<T>(MemorySpace::device, count);
}

/// Latencies by multiprocessor, and which these are.
struct Samples {
  std::vector<unsigned> units;
  std::vector<std::vector<double>> clocks;
};

Samples sample_latencies(const Stream& stream) {
  const Buffer<std::byte> memory(MemorySpace::device, std::size_t{sampled_lines} * sample_stride);
  const Buffer<unsigned> clocks(MemorySpace::device,
                                std::size_t{max_multiprocessors} * sampled_lines);
  fill_bytes(memory.data(), 0, memory.bytes(), stream);
  fill_bytes(clocks.data(), 0, clocks.bytes(), stream);
  launch(stream, alone_on_each(stream, &sample_halves_kernel), &sample_halves_kernel, memory.data(),
         clocks.data());
  const std::vector<unsigned> all =
      CudaExecutor(stream).to_host(clocks.data(), static_cast<std::int64_t>(clocks.size()));
  Samples samples;
  for (unsigned unit = 0; unit < max_multiprocessors; ++unit) {
    const auto begin = all.begin() + std::ptrdiff_t{unit} * sampled_lines;
    if (*begin > 0) {
      samples.units.push_back(unit);
      samples.clocks.emplace_back(begin, begin + sampled_lines);
    }
  }
  return samples;
}

/// Mean latency of each line from the multiprocessors of group 1, less that from group 0.
std::vector<double> differences(const Samples& samples, const std::vector<int>& groups) {
  const auto members = static_cast<double>(std::ranges::count(groups, 1));
  const auto others = static_cast<double>(groups.size()) - members;
  std::vector<double> result(sampled_lines, 0.0);
  for (std::size_t unit = 0; unit < groups.size(); ++unit) {
    for (std::size_t line = 0; line < sampled_lines; ++line) {
      const double clocks = samples.clocks[unit][line];
      result[line] += groups[unit] == 1 ? clocks / members : -clocks / others;
    }
  }
  return result;
}

/// The group of each sampled multiprocessor; none where the lines do not fall into two modes.
std::optional<std::vector<int>> groups_of(const Samples& samples, int multiprocessors) {
  if (samples.units.size() != static_cast<std::size_t>(multiprocessors)) {
    return std::nullopt;  // other work kept some of them
  }
  std::vector<int> groups = group_by_correlation(samples.clocks);
  if (std::ranges::count(groups, 1) == 0 ||
      !two_means(differences(samples, groups)).has_two_modes()) {
    return std::nullopt;
  }
  return groups;
}

/// `memory`, which holds 0, has so many pairs.
void find_swapped(const L2Halves& halves, std::byte* memory, std::int64_t pairs,
                  const Buffer<std::uint32_t>& swapped, const Stream& stream) {
  constexpr unsigned threads = 256;
  const auto blocks = static_cast<unsigned>((pairs + threads - 1) / threads);
  const Buffer<int> costs(MemorySpace::device, std::size_t{blocks} * threads);
  const Buffer<unsigned> begun(MemorySpace::device, 3);
  fill_bytes(costs.data(), 0, costs.bytes(), stream);
  const auto survey = [&](const PairRange& looked) {
    fill_bytes(begun.data(), 0, begun.bytes(), stream);
    launch(stream, alone_on_each(stream, &survey_pairs_kernel), &survey_pairs_kernel, memory,
           looked, halves.of_multiprocessor(), begun.data(), halves.multiprocessors(0),
           halves.multiprocessors(1), costs.data());
  };
  const auto address = static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(memory));
  const std::int64_t model = page_pairs - address / (2 * half_block_bytes) % page_pairs;
  if (model + page_pairs <= pairs) {
    survey({model, model + page_pairs, 1});
    survey({model % sample_distance, pairs, sample_distance});
    launch(stream, {dim3(blocks), dim3(threads)}, &note_alike_kernel,
           static_cast<const int*>(costs.data()), pairs, model, swapped.data(), begun.data() + 2);
    const unsigned doubts = CudaExecutor(stream).to_host(begun.data() + 2, 1).front();
    if (doubts * samples_for_a_doubt * sample_distance <= pairs) {
      return;
    }
  }
  survey({0, pairs, 1});
  launch(stream, {dim3(blocks), dim3(threads)}, &note_swapped_kernel,
         static_cast<const int*>(costs.data()), static_cast<std::int64_t>(swapped.size()),
         swapped.data());
  stream.synchronize();
}

}  // namespace

L2Halves::L2Halves(const Stream& stream)
    : halves_(allocated<std::uint8_t>(max_multiprocessors, stream)) {
  const int multiprocessors = multiprocessors_of(stream.device());
  const Samples samples = sample_latencies(stream);
  const auto groups = groups_of(samples, multiprocessors);
  apart_ = groups.has_value();
  counts_[0] = multiprocessors;
  std::vector<std::uint8_t> by_number(max_multiprocessors, 0);
  if (apart_) {
    counts_[1] = static_cast<int>(std::ranges::count(*groups, 1));
    counts_[0] -= counts_[1];
    for (std::size_t n = 0; n < groups->size(); ++n) {
      by_number[samples.units[n]] = static_cast<std::uint8_t>((*groups)[n]);
    }
  }
  copy_bytes(halves_.data(), by_number.data(), halves_.bytes(), stream);
  stream.synchronize();
}

HalvedMemory::HalvedMemory(std::int64_t blocks, const Stream& stream)
    : blocks_(blocks),
      owned_(allocated<std::byte>(static_cast<std::size_t>(2 * half_block_bytes * (blocks + 1)),
                                  stream)),
      swapped_(allocated<std::uint32_t>(static_cast<std::size_t>(blocks / word_bits + 2), stream)) {
  constexpr auto pair_bytes = static_cast<std::uintptr_t>(2 * half_block_bytes);
  const auto address = reinterpret_cast<std::uintptr_t>(owned_.data());
  memory_ = owned_.data() + (pair_bytes - address % pair_bytes) % pair_bytes;
  fill_bytes(owned_.data(), 0, owned_.bytes(), stream);
  fill_bytes(swapped_.data(), 0, swapped_.bytes(), stream);
}

HalvedMemory::HalvedMemory(const L2Halves& halves, std::int64_t blocks, const Stream& stream)
    : HalvedMemory(blocks, stream) {
  if (halves.apart() && blocks > 0) {
    find_swapped(halves, memory_, blocks, swapped_, stream);
  }
}

HalvedMemory::HalvedMemory(std::span<const std::uint32_t> swapped, std::int64_t blocks,
                           const Stream& stream)
    : HalvedMemory(blocks, stream) {
  expects(static_cast<std::int64_t>(swapped.size()) * word_bits >= blocks, "every pair has a bit");
  copy_bytes(swapped_.data(), swapped.data(), std::min(swapped.size_bytes(), swapped_.bytes()),
             stream);
  stream.synchronize();
}

}  // namespace bankfull
