#include "bankfull/workloads/npb/is/is.hpp"

#include "bankfull/build_config.hpp"
#include "bankfull/core/base/bytes.hpp"
#include "bankfull/core/exec/cpu_executor.hpp"
#include "bankfull/workloads/npb/is/count_choice.hpp"

#include <algorithm>
#include <atomic>
#include <fmt/format.h>
#include <numeric>
#include <vector>

namespace bankfull::npb::is {
namespace {

/// Buckets are assigned to ranks whole: with more ranks the shares would be too unequal.
constexpr int max_ranks = 64;

/// Ranks within a rank's values have 32 bits, and its share of the values may have twice its share
/// of the keys.
constexpr std::int64_t max_keys_per_rank = std::int64_t{1} << 31;

/// GPUs partition into 2048 buckets at most, whose values have 16 bits.
constexpr int max_log2_values_on_gpus = 27;

}  // namespace

void generate(Class size, std::int64_t first, std::span<Key> keys) {
  Generator generator(common_seed, static_cast<std::uint64_t>(draws_per_key * first));
  const int log2_values = is_parameters(size).log2_values;
  for (Key& key : keys) {
    key = next_key(generator, log2_values);
  }
}

std::array<Change, 2> changes_of(Class size, int iteration) {
  const std::uint64_t values = std::uint64_t{1} << is_parameters(size).log2_values;
  const auto n = static_cast<std::uint64_t>(iteration);
  return {{{iteration, static_cast<Key>(n)},
           {iteration + is_iterations, static_cast<Key>(values - n)}}};
}

bool ascend_by_rank(const Team& team, const Range& values, std::int64_t before,
                    std::span<const Key> keys, const std::function<std::int64_t(Key)>& first_rank) {
  const CpuExecutor executor(team.threads());
  const auto counts = executor.make<std::int64_t>(values.size());
  std::int64_t* const count_of = counts.data();
  executor.fill(count_of, values.size(), std::int64_t{0});
  constexpr std::int64_t ahead = 16;
  const auto last = static_cast<std::int64_t>(keys.size()) - 1;
  executor.each(last + 1, [&](std::int64_t n) {
    const Key next = keys[static_cast<std::size_t>(std::min(n + ahead, last))];
    __builtin_prefetch(count_of + (next - values.begin), 1);
    const Key key = keys[static_cast<std::size_t>(n)];
    std::atomic_ref(count_of[key - values.begin]).fetch_add(1, std::memory_order_relaxed);
  });

  std::vector<std::int64_t> keys_in(static_cast<std::size_t>(team.threads()));
  executor.each(team.threads(), [&](std::int64_t part) {
    const Range mine = share(values.size(), static_cast<int>(part), team.threads());
    keys_in[static_cast<std::size_t>(part)] =
        std::accumulate(count_of + mine.begin, count_of + mine.end, std::int64_t{0});
  });
  std::exclusive_scan(keys_in.begin(), keys_in.end(), keys_in.begin(), before);
  std::atomic<bool> right = true;
  executor.each(team.threads(), [&](std::int64_t part) {
    const Range mine = share(values.size(), static_cast<int>(part), team.threads());
    std::int64_t smaller = keys_in[static_cast<std::size_t>(part)];
    for (std::int64_t n = mine.begin; n < mine.end; ++n) {
      if (count_of[n] > 0 && first_rank(static_cast<Key>(values.begin + n)) != smaller) {
        right = false;
        return;
      }
      smaller += count_of[n];
    }
  });
  return right;
}

bool ascend_where_placed(std::span<const Key> keys, std::span<const std::int64_t> first_ranks) {
  std::vector<std::int64_t> next(first_ranks.begin(), first_ranks.end());
  constexpr Key vacant = ~Key{0};
  std::vector<Key> placed(keys.size(), vacant);
  for (const Key key : keys) {
    const std::int64_t rank = next[key]++;
    if (rank < 0 || rank >= static_cast<std::int64_t>(placed.size())) {
      return false;
    }
    placed[static_cast<std::size_t>(rank)] = key;
  }
  // A vacant place breaks the order unless it is the last.
  return std::is_sorted(placed.begin(), placed.end()) &&
         (placed.empty() || placed.back() != vacant);
}

std::vector<Check> checks_of(const Verdict& verdict, Class size) {
  return {npb_check(Kernel::is, size, "ranks of test keys that are right", verdict.right_ranks,
                    is_tests * is_iterations, 0.0),
          npb_check(Kernel::is, size, "keys ascend by their ranks", verdict.sorted ? 1.0 : 0.0, 1.0,
                    0.0)};
}

Facts facts_of(const Problem& problem) {
  const std::int64_t keys = std::int64_t{1} << is_parameters(problem.size).log2_keys;
  return {.size = fmt::format("{}", keys),
          .iterations = is_iterations,
          .operations = static_cast<double>(is_iterations * keys),
          .operation = "keys ranked"};
}

WorkBytes work_bytes(const Problem& problem, int ranks) {
  const IsParameters& is = is_parameters(problem.size);
  const std::int64_t keys = (std::int64_t{1} << is.log2_keys) * static_cast<int>(sizeof(Key));
  const std::int64_t values = std::int64_t{1} << is.log2_values;
  const std::int64_t rank_bytes = keys > 4 * gib ? 8 : 4;
  const std::int64_t set = (keys + values * rank_bytes) / ranks;
  if constexpr (build::cuda) {
    if (problem.device.is_cuda()) {
      return {.device = cuda_memory_bytes(problem, ranks), .working_set = set};
    }
  }
  if (ranks > 1) {
    return {.device = memory_bytes_on_ranks(problem.size, ranks), .working_set = set};
  }
  // The verification counts the keys, that of the reference places them.
  const std::int64_t counted = 8 * values;
  if (problem.schedule == Schedule::reference) {
    return {.device = 2 * keys + counted + values * 8, .working_set = keys};
  }
  const IsCounts counts = counts_of(problem);
  const std::int64_t sorted = counts == IsCounts::buckets ? keys / 2 : 0;  // 16 bits of each
  return {.device = keys + counted + values * rank_bytes +
                    counting_bytes(problem.size, counts, problem.threads),
          .working_set = set + sorted};
}

std::string refusal_of_ranks(const Problem& problem, int ranks) {
  const std::int64_t keys = std::int64_t{1} << is_parameters(problem.size).log2_keys;
  if (ranks > max_ranks) {
    return fmt::format("runs on up to {} ranks", max_ranks);
  }
  if (problem.device.is_cuda()) {
    return is_parameters(problem.size).log2_values > max_log2_values_on_gpus
               ? "has more values than GPUs' buckets have room for"
               : "";
  }
  const std::int64_t fewest = keys / max_keys_per_rank;
  return ranks > 1 && ranks < fewest ? fmt::format("runs on one rank or at least {}", fewest) : "";
}

std::unique_ptr<Benchmark> make_cpu(const Problem& problem, const Communicator& ranks) {
  if (ranks.size() > 1) {
    return make_on_ranks(problem.size, problem.threads, ranks, problem.perturbation);
  }
  return make_on_team(problem.size, counts_of(problem), problem.threads, problem.perturbation);
}

}  // namespace bankfull::npb::is
