#include "bankfull/workloads/npb/is/count_choice.hpp"

#include "bankfull/core/exec/team.hpp"
#include "bankfull/core/machine/cpu.hpp"
#include "bankfull/workloads/npb/is/key_lists.hpp"

#include <algorithm>
#include <bit>

namespace bankfull::npb::is {

TeamCaches team_caches() {
  return {.near = second_level_cache_of_core(), .far = last_level_cache_bytes()};
}

IsCounts better_counts(Class size, int threads, const TeamCaches& caches) {
  const std::int64_t values = std::int64_t{1} << is_parameters(size).log2_values;
  const std::int64_t key_bytes =
      (std::int64_t{1} << is_parameters(size).log2_keys) * static_cast<std::int64_t>(sizeof(Key));
  constexpr std::int64_t passes = 3;  // counts are read, and cleared by a read and a write
  const bool adds_up_soon = passes * threads * values <= key_bytes;
  // The last level holds keys and ranks that pass through it, too. Of a larger one, which virtual
  // machines report as that of the whole socket, others have their part.
  constexpr std::int64_t most_of_far = std::int64_t{64} << 20;
  const bool stays = values <= caches.near ||
                     std::int64_t{2} * threads * values <= std::min(caches.far, most_of_far);
  return adds_up_soon && stays ? IsCounts::values : IsCounts::buckets;
}

IsCounts counts_of(const Problem& problem) {
  return problem.is_counts == IsCounts::automatic
             ? better_counts(problem.size, problem.threads, team_caches())
             : problem.is_counts;
}

Buckets team_buckets(Class size, int threads) {
  constexpr std::uint64_t buckets_per_thread = 8;
  constexpr int max_log2 = 10;  // their lines stay in the nearer caches
  const auto wanted = std::bit_ceil(buckets_per_thread * static_cast<std::uint64_t>(threads));
  return {size, std::min(std::countr_zero(wanted), max_log2)};
}

std::int64_t counting_bytes(Class size, IsCounts counts, int threads) {
  if (counts == IsCounts::values) {
    return (std::int64_t{1} << is_parameters(size).log2_values) * threads;
  }
  const Buckets buckets = team_buckets(size, threads);
  const std::int64_t keys = std::int64_t{1} << is_parameters(size).log2_keys;
  std::int64_t bytes = 0;
  for (int thread = 0; thread < threads; ++thread) {
    bytes += KeyLists::bytes(buckets, share(keys, thread, threads).size());
  }
  return bytes;
}

}  // namespace bankfull::npb::is
