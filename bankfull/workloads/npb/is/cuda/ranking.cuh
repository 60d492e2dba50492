#pragma once

#include "bankfull/core/base/expects.hpp"
#include "bankfull/core/exec/graph.hpp"
#include "bankfull/core/memory/buffer.hpp"
#include "bankfull/workloads/npb/is/cuda/keys.hpp"
#include "bankfull/workloads/npb/is/cuda/partition.cuh"
#include "bankfull/workloads/npb/is/cuda/rank.cuh"

#include <algorithm>
#include <array>
#include <bit>
#include <numeric>

namespace bankfull::npb::is::cuda {

/// What the tests of an iteration must find.
inline std::array<std::int64_t, is_tests> expected_ranks(Class size, int iteration) {
  std::array<std::int64_t, is_tests> ranks{};
  for (int n = 0; n < is_tests; ++n) {
    ranks[static_cast<std::size_t>(n)] = expected_rank(size, n, iteration);
  }
  return ranks;
}

/// How blocks rank.
template <int Threads, int BlocksAMultiprocessor>
struct RankShape {
  static constexpr int threads = Threads;
  template <class Lists>
  static constexpr auto kernel = rank_kernel<Threads, BlocksAMultiprocessor, Lists>;
};

/// What a class takes on a GPU of so many multiprocessors.
template <class Shape>
struct RankingSize {
  std::int64_t keys;
  std::int64_t values;
  int low_bits;  ///< of a key within its bucket
  int blocks;    ///< of the partition

  RankingSize(Class size, int multiprocessors)
      : keys(std::int64_t{1} << is_parameters(size).log2_keys),
        values(std::int64_t{1} << is_parameters(size).log2_values),
        low_bits(is_parameters(size).log2_values -
                 std::countr_zero(static_cast<unsigned>(Shape::buckets))),
        blocks(static_cast<int>(
            std::min(batches(), std::int64_t{multiprocessors} * Shape::blocks_a_multiprocessor))) {}

  [[nodiscard]] std::int64_t batches() const { return keys / Shape::batch; }

  /// Room for a bucket's list: its keys with all that rankings change, and for each block one unit
  /// that it does not fill.
  [[nodiscard]] std::int64_t units_for(std::int64_t bucket_keys) const {
    constexpr std::int64_t changes = 2 * is_iterations;
    return (bucket_keys + changes) / Shape::unit + blocks + 1;
  }

  /// Enough for all buckets, however keys fall.
  [[nodiscard]] std::int64_t all_units() const {
    return keys / Shape::unit + Shape::buckets * units_for(Shape::unit);
  }

  [[nodiscard]] std::int64_t bytes() const {
    const std::int64_t lists = all_units() * Shape::unit * std::int64_t{sizeof(std::uint16_t)};
    const std::int64_t buckets = (2 * is_iterations + 1) * std::int64_t{Shape::buckets};
    return keys * std::int64_t{sizeof(Key)} + lists + (values + buckets) * 4;
  }
};

/// Ranks keys in two passes: into buckets, which hold 16 bits a key, then bucket by bucket. All
/// rankings are one graph.
template <class Shape, class Ranks>
class CudaRanking final : public Benchmark {
 public:
  CudaRanking(Class size, Device device)
      : size_(size),
        stream_(device),
        extent_(size, multiprocessors_of(device)),
        keys_(MemorySpace::device, static_cast<std::size_t>(extent_.keys)),
        lists_(MemorySpace::device, static_cast<std::size_t>(extent_.all_units() * Shape::unit)),
        ranks_(MemorySpace::device, static_cast<std::size_t>(extent_.values)),
        starts_(MemorySpace::device, buckets),
        claimed_(MemorySpace::device, is_iterations * buckets),
        fillers_(MemorySpace::device, is_iterations * buckets),
        findings_(MemorySpace::device, 1) {
    expects(extent_.low_bits <= 16, "keys of a bucket differ in 16 bits");
    allow_shared_bytes(partition_keys, sizeof(PartitionShared<Shape, ListsHere>));
    allow_shared_bytes(rank_buckets, most_counter_bytes);
    queue_keys(size, {0, extent_.keys}, keys_.data(), stream_);
    copy_bytes(first_keys_.data(), keys_.data(), sizeof first_keys_, stream_);
    reserve_lists();
    whole_run_.record();
  }

  void rewind() override {
    copy_bytes(keys_.data(), first_keys_.data(), sizeof first_keys_, stream_);
    stream_.synchronize();
  }

  void warm_up() override {
    queue(1);
    stream_.synchronize();
  }

  void run() override {
    whole_run_.queue();
    copy_bytes(&found_, findings_.data(), sizeof found_, stream_);
    stream_.synchronize();
  }

  std::vector<Check> checks() override {
    // The lists are done with, and have room.
    auto* const counts = reinterpret_cast<std::uint32_t*>(lists_.data());
    queue_value_counts(keys_.data(), extent_.keys, extent_.values, counts, stream_);
    const Verdict verdict{
        .right_ranks = static_cast<int>(found_.right_ranks),
        .sorted = found_.lost_counts == 0 && ascend_by_rank(ranks_.data(), counts, extent_.values,
                                                            {0, extent_.keys}, stream_)};
    return checks_of(verdict, size_);
  }

  [[nodiscard]] Traffic traffic() const override {
    const auto keys = static_cast<double>(extent_.keys);
    const double low_bytes = keys * sizeof(std::uint16_t);
    return {is_iterations * (static_cast<double>(keys_.bytes()) + low_bytes),
            is_iterations * (low_bytes + static_cast<double>(ranks_.bytes())), 0.0};
  }

  [[nodiscard]] std::string traffic_model() const override {
    return "a ranking reads each key, writes and reads its lower 16 bits, and writes each value's "
           "rank once";
  }

 private:
  static constexpr std::size_t buckets = Shape::buckets;
  static constexpr auto partition_keys = partition_kernel<Shape, ListsHere>;
  static constexpr auto rank_buckets = Ranks::template kernel<ListedHere>;
  static constexpr std::size_t most_counter_bytes = counter_words(16) * sizeof(std::uint32_t);

  static std::uint32_t* row(const Buffer<std::uint32_t>& rows, int iteration) {
    return rows.data() + static_cast<std::size_t>(iteration - 1) * buckets;
  }

  /// Queues the changes of a ranking and the partition of its keys.
  void queue_partition(int iteration) {
    const std::array<Change, 2> changes = changes_of(size_, iteration);
    launch(stream_,
           {dim3(static_cast<unsigned>(extent_.blocks)), dim3(Shape::threads),
            sizeof(PartitionShared<Shape, ListsHere>)},
           partition_keys,
           PartitionArguments<ListsHere>{.keys = keys_.data(),
                                         .batches = extent_.batches(),
                                         .low_bits = extent_.low_bits,
                                         .changes = {changes[0], changes[1]},
                                         .lists = {lists_.data(), row(claimed_, iteration)},
                                         .fillers = row(fillers_, iteration)});
  }

  void queue_ranks(int iteration) {
    launch(stream_,
           {dim3(static_cast<unsigned>(buckets)), dim3(Ranks::threads),
            static_cast<std::size_t>(counter_words(extent_.low_bits)) * sizeof(std::uint32_t)},
           rank_buckets,
           RankArguments<ListedHere>{.lists = listed(iteration),
                                     .low_bits = extent_.low_bits,
                                     .ranks = ranks_.data(),
                                     .test_ranks = expected_ranks(size_, iteration),
                                     .findings = findings_.data()});
  }

  [[nodiscard]] ListedHere listed(int iteration) const {
    return {.keys = keys_.data(),
            .lists = lists_.data(),
            .starts = starts_.data(),
            .claimed = row(claimed_, iteration),
            .filling = row(fillers_, iteration),
            .unit = Shape::unit,
            .buckets = Shape::buckets,
            .test_positions = is_parameters(size_).positions};
  }

  /// All lists empty, nothing found.
  void queue_clear() {
    for (int iteration = 1; iteration <= is_iterations; ++iteration) {
      copy_bytes(row(claimed_, iteration), starts_.data(), starts_.bytes(), stream_);
    }
    fill_bytes(fillers_.data(), 0, fillers_.bytes(), stream_);
    fill_bytes(findings_.data(), 0, findings_.bytes(), stream_);
  }

  void reserve_lists() {
    const std::vector<std::uint32_t> counts =
        count_high_bits(keys_.data(), extent_.keys, extent_.low_bits, Shape::buckets, stream_);
    std::vector<std::uint32_t> starts;
    std::int64_t start = 0;
    for (const std::uint32_t count : counts) {
      starts.push_back(static_cast<std::uint32_t>(start));
      start += extent_.units_for(count);
    }
    copy_bytes(starts_.data(), starts.data(), starts_.bytes(), stream_);
    stream_.synchronize();
  }

  void queue(int iterations) {
    queue_clear();
    for (int iteration = 1; iteration <= iterations; ++iteration) {
      queue_partition(iteration);
      queue_ranks(iteration);
    }
  }

  Class size_;
  Stream stream_;
  RankingSize<Shape> extent_;
  Buffer<Key> keys_;
  Buffer<std::uint16_t> lists_;  ///< of the buckets, in units
  Buffer<std::uint32_t> ranks_;  ///< numbers of keys below each value
  Buffer<std::uint32_t> starts_;
  Buffer<std::uint32_t> claimed_;  ///< of each bucket, for each ranking
  Buffer<std::uint32_t> fillers_;  ///< likewise
  Buffer<Findings> findings_;
  RepeatedWork whole_run_{stream_, [this] { queue(is_iterations); }};
  Findings found_{};
  std::array<Key, 2 * is_iterations + 1> first_keys_{};  ///< which iterations overwrite
};

}  // namespace bankfull::npb::is::cuda
