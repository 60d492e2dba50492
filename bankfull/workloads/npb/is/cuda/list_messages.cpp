#include "bankfull/workloads/npb/is/cuda/list_messages.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace bankfull::npb::is::cuda {
namespace {

/// Keys that rankings change may all come to one bucket.
constexpr std::int64_t changes = std::int64_t{2} * is_iterations;

/// The part of all keys below the part x of all values, as sums of four uniform numbers are
/// distributed (Irwin and Hall).
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

ListMessages::ListMessages(Deal deal, const std::vector<std::int64_t>& blocks, int unit)
    : deal_(std::move(deal)), blocks_(blocks), unit_(unit) {
  for (std::size_t from = 0; from < deal_.ranks(); ++from) {
    place_lists(from);
  }
}

/// Whole units, and one for each block that it does not fill.
std::int64_t ListMessages::units(std::size_t from, std::size_t bucket) const {
  const std::int64_t keys = deal_.count(from, bucket) + changes;
  return keys / unit_ + std::min(keys, blocks_[from]);
}

void ListMessages::place_lists(std::size_t from) {
  const std::size_t unit_bytes = static_cast<std::size_t>(unit_) * sizeof(std::uint16_t);
  std::vector<std::size_t>& begins = list_begins_.emplace_back();
  std::vector<std::size_t>& bytes = bytes_.emplace_back();
  for (std::size_t to = 0; to < deal_.ranks(); ++to) {
    std::size_t end = MessageHeader::bytes(deal_.buckets());
    for (std::size_t bucket = deal_.first(to); bucket < deal_.end(to); ++bucket) {
      begins.push_back(end);
      end += static_cast<std::size_t>(units(from, bucket)) * unit_bytes;
    }
    bytes.push_back(end);
  }
}

std::vector<MessageSize> ListMessages::sizes(std::size_t rank) const {
  std::vector<MessageSize> sizes;
  for (std::size_t other = 0; other < deal_.ranks(); ++other) {
    sizes.push_back({static_cast<int>(other), std::max(bytes(rank, other), bytes(other, rank))});
  }
  return sizes;
}

std::vector<Counts> expected_counts(Class size, std::size_t buckets, std::size_t ranks) {
  const double keys = std::ldexp(1.0, is_parameters(size).log2_keys) / static_cast<double>(ranks);
  Counts counts(buckets);
  double before = 0.0;
  for (std::size_t bucket = 0; bucket < buckets; ++bucket) {
    const double below =
        keys * part_of_keys_below(static_cast<double>(bucket + 1) / static_cast<double>(buckets));
    counts[bucket] = static_cast<std::uint32_t>(std::lround(below) - std::lround(before));
    before = below;
  }
  return std::vector<Counts>(ranks, counts);
}

}  // namespace bankfull::npb::is::cuda
