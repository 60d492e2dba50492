#pragma once

#include "bankfull/core/base/host_device.hpp"
#include "bankfull/core/exec/team.hpp"
#include "bankfull/workloads/npb/benchmark.hpp"
#include "bankfull/workloads/npb/generator.hpp"

#include <cstdint>
#include <functional>
#include <span>

namespace bankfull::npb::is {

using Key = std::uint32_t;

inline constexpr int draws_a_key = 4;

/// The next key below 2^log2_values, from the sum of four values: nearly Gaussian.
BANKFULL_HOST_DEVICE constexpr Key next_key(Generator& generator, int log2_values) {
  double sum = 0.0;
  for (int n = 0; n < draws_a_key; ++n) {
    sum += generator.draw();
  }
  const std::uint64_t quarter = (std::uint64_t{1} << log2_values) / draws_a_key;
  return static_cast<Key>(sum * static_cast<double>(quarter));
}

/// The keys [first, first + keys.size()) of a class.
void generate(Class size, std::int64_t first, std::span<Key> keys);

/// What an iteration changes before it ranks: two keys, so that no ranking can be kept.
struct Change {
  std::int64_t position;
  Key key;
};
std::array<Change, 2> changes_of(Class size, int iteration);

/// What the verification found.
struct Verdict {
  int right_ranks = 0;  ///< of the tests in all iterations
  bool sorted = false;  ///< keys placed by their ranks ascend
};

/// Whether keys ascend when each is placed by its rank; `first_rank(key)` is the number of smaller
/// keys. Takes as much memory again as the keys.
bool ascend_by_rank(Class size, std::span<const Key> keys,
                    const std::function<std::int64_t(Key)>& first_rank);

/// The same of all keys that have certain values, where `before` keys have smaller ones.
bool ascend_by_rank(const Range& values, std::int64_t before, std::span<const Key> keys,
                    const std::function<std::int64_t(Key)>& first_rank);

std::vector<Check> checks_of(const Verdict& verdict, Class size);

Facts facts_of(const Problem& problem);
std::int64_t memory_bytes(const Problem& problem, int ranks);
std::string refusal_of_ranks(const Problem& problem, int ranks);
std::unique_ptr<Benchmark> make(const Problem& problem, const Communicator& ranks);

/// Serial, as RNR-94-007 has it.
std::unique_ptr<Benchmark> make_reference(Class size);
std::unique_ptr<Benchmark> make_cpu(Class size, int threads);

/// Bytes of the busiest of several ranks.
std::int64_t memory_bytes_on_ranks(Class size, int ranks);

/// On several ranks: each has keys of its own at first and ranks those in a range of values.
std::unique_ptr<Benchmark> make_on_ranks(Class size, int threads, const Communicator& ranks);

// Defined in is_cuda.cu, which exists in builds with CUDA only.
std::int64_t cuda_memory_bytes(const Problem& problem, int ranks);
std::unique_ptr<Benchmark> make_cuda(const Problem& problem, const Communicator& ranks);

}  // namespace bankfull::npb::is
