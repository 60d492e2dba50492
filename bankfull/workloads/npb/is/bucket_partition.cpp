#include "bankfull/workloads/npb/is/bucket_partition.hpp"

#include "bankfull/workloads/npb/classes.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <utility>

namespace bankfull::npb::is {
namespace {

/// The part of all keys below the part x of all values.
double part_of_keys_below(double x) {
  constexpr std::array binomials{1.0, -4.0, 6.0, -4.0};
  double sum = 0.0;
  for (std::size_t k = 0; k < binomials.size(); ++k) {
    const double above = std::max(4.0 * x - static_cast<double>(k), 0.0);
    sum += binomials[k] * above * above * above * above;
  }
  return sum / 24.0;
}

}  // namespace

BucketPartition::BucketPartition(std::vector<Counts> counts, std::size_t buckets)
    : counts_(std::move(counts)), before_(buckets + 1, 0), firsts_(counts_.size() + 1, 0) {
  for (std::size_t bucket = 0; bucket < buckets; ++bucket) {
    std::int64_t keys = 0;
    for (const Counts& of_rank : counts_) {
      keys += of_rank[bucket];
    }
    before_[bucket + 1] = before_[bucket] + keys;
  }
  for (std::size_t rank = 1; rank < counts_.size(); ++rank) {
    firsts_[rank] = first_bucket_of(rank);
  }
  firsts_.back() = buckets;  // empty ones too: the next ranking may have a key there
}

std::size_t BucketPartition::keys(std::size_t from, std::size_t to) const {
  const auto begin = counts_[from].begin();
  return std::accumulate(begin + static_cast<std::ptrdiff_t>(first(to)),
                         begin + static_cast<std::ptrdiff_t>(end(to)), std::size_t{0});
}

/// Where the rank's fair share begins, to the nearest bucket.
std::size_t BucketPartition::first_bucket_of(std::size_t rank) const {
  const std::int64_t fair =
      before_.back() * static_cast<std::int64_t>(rank) / static_cast<std::int64_t>(counts_.size());
  const auto above = std::lower_bound(before_.begin(), before_.end(), fair);
  const bool nearer_below = above != before_.begin() && fair - *(above - 1) < *above - fair;
  return static_cast<std::size_t>(above - before_.begin()) - (nearer_below ? 1 : 0);
}

Counts expected_counts(std::int64_t keys, std::size_t buckets) {
  Counts counts(buckets);
  std::int64_t before = 0;
  for (std::size_t bucket = 0; bucket < buckets; ++bucket) {
    const double part = static_cast<double>(bucket + 1) / static_cast<double>(buckets);
    const std::int64_t below = std::llround(static_cast<double>(keys) * part_of_keys_below(part));
    const std::int64_t own = std::max(below - before, std::int64_t{0});
    counts[bucket] = static_cast<std::uint32_t>(own);
    before += own;
  }
  return counts;
}

std::int64_t capacity_for(std::int64_t expected) {
  constexpr double deviations = 8.0;
  constexpr std::int64_t few = 16;  // where hardly any are expected, deviations are not Gaussian
  constexpr std::int64_t changes = std::int64_t{2} * is_iterations;
  const double spread = deviations * std::sqrt(static_cast<double>(expected));
  return expected + static_cast<std::int64_t>(std::ceil(spread)) + few + changes;
}

}  // namespace bankfull::npb::is
