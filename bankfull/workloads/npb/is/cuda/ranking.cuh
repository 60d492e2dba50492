#pragma once

#include "bankfull/core/base/expects.hpp"
#include "bankfull/core/comm/device_copy.hpp"
#include "bankfull/core/exec/graph.hpp"
#include "bankfull/core/exec/prefix_sum.hpp"
#include "bankfull/core/memory/buffer.hpp"
#include "bankfull/workloads/npb/is/bucket_partition.hpp"
#include "bankfull/workloads/npb/is/bucket_ranking.hpp"
#include "bankfull/workloads/npb/is/cuda/keys.hpp"
#include "bankfull/workloads/npb/is/cuda/partition.cuh"
#include "bankfull/workloads/npb/is/cuda/rank.cuh"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <span>
#include <vector>

namespace bankfull::npb::is::cuda {

/// Expected results of the tests of an iteration.
inline std::array<std::int64_t, is_tests> expected_ranks(Class size, int iteration) {
  std::array<std::int64_t, is_tests> ranks{};
  for (int n = 0; n < is_tests; ++n) {
    ranks[static_cast<std::size_t>(n)] = expected_rank(size, n, iteration);
  }
  return ranks;
}

/// Ranks that no test expects, for rankings whose tests follow later.
inline std::array<std::int64_t, is_tests> no_ranks() {
  std::array<std::int64_t, is_tests> ranks{};
  ranks.fill(-1);
  return ranks;
}

/// How blocks rank.
template <int Threads, int BlocksAMultiprocessor>
struct RankShape {
  static constexpr int threads = Threads;
  static constexpr auto kernel = rank_kernel<Threads, BlocksAMultiprocessor>;
};

/// Where each bucket's list begins, in units, and the end of the last one's capacity, for so many
/// keys that `blocks` blocks partition. A list has space for its keys, and for one partial unit per
/// block. All of this follows from the distribution, not from the keys.
template <class Shape>
std::vector<std::uint32_t> list_starts(std::int64_t keys, int blocks) {
  std::vector<std::uint32_t> starts{0};
  for (const std::uint32_t expected : expected_counts(keys, Shape::buckets)) {
    const std::int64_t units = capacity_for(expected) / Shape::unit + blocks + 1;
    starts.push_back(starts.back() + static_cast<std::uint32_t>(units));
  }
  return starts;
}

/// The same for all rankings of a run: where units of buckets go at first.
inline std::vector<std::uint32_t> first_places(const std::vector<std::uint32_t>& starts) {
  std::vector<std::uint32_t> places;
  for (int iteration = 1; iteration <= is_iterations; ++iteration) {
    places.insert(places.end(), starts.begin(), starts.end() - 1);
  }
  return places;
}

/// Launch configuration and memory of a class on a GPU.
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
        blocks(static_cast<int>(std::min(
            batches(), std::int64_t{multiprocessors} * Shape::blocks_per_multiprocessor))) {}

  [[nodiscard]] std::int64_t batches() const { return keys / Shape::batch; }

  [[nodiscard]] std::vector<std::uint32_t> list_starts() const {
    return is::cuda::list_starts<Shape>(keys, blocks);
  }

  /// All lists and, behind them, one unit for overflows.
  [[nodiscard]] std::size_t list_elements() const {
    return (std::size_t{list_starts().back()} + 1) * Shape::unit;
  }

  [[nodiscard]] std::int64_t bytes() const {
    const auto lists = static_cast<std::int64_t>(list_elements() * sizeof(std::uint16_t));
    const std::int64_t buckets = (3 * is_iterations + 1) * std::int64_t{Shape::buckets};
    return keys * std::int64_t{sizeof(Key)} + lists + (values + buckets) * 4;
  }
};

/// Ranks keys in two passes: into buckets, which hold 16 bits per key, then bucket by bucket. All
/// rankings are one graph. The capacity of buckets follows from the distribution of NPB's keys; if
/// one overflows, all rankings are repeated by value within the run.
template <class Shape, class Ranks>
class CudaRanking final : public BucketRanking {
 public:
  explicit CudaRanking(const Problem& problem)
      : BucketRanking(problem.size),
        perturbation_(problem.perturbation),
        stream_(problem.device),
        extent_(problem.size, multiprocessors_of(problem.device)),
        keys_(MemorySpace::device, static_cast<std::size_t>(extent_.keys)),
        lists_(MemorySpace::device, extent_.list_elements()),
        ranks_(MemorySpace::device, static_cast<std::size_t>(extent_.values)),
        starts_(device_copy(extent_.list_starts(), stream_)),
        first_places_(device_copy(first_places(extent_.list_starts()), stream_)),
        claimed_(MemorySpace::device, is_iterations * buckets),
        fillers_(MemorySpace::device, is_iterations * buckets),
        findings_(MemorySpace::device, 1) {
    expects(extent_.low_bits <= 16, "keys of a bucket differ in 16 bits");
    allow_shared_bytes(partition_keys, partition_shared_bytes<Shape>);
    allow_shared_bytes(rank_buckets, max_counter_bytes);
    queue_keys(size(), {0, extent_.keys}, keys_.data(), stream_);
    copy_bytes(first_keys_.data(), keys_.data(), sizeof first_keys_, stream_);
    stream_.synchronize();
    whole_run_.record();
  }

  void replace_keys(std::span<const Key> keys) override {
    expects(keys.size() == keys_.size(), "all keys are replaced");
    copy_bytes(keys_.data(), keys.data(), keys.size_bytes(), stream_);
    stream_.synchronize();
    std::copy_n(keys.begin(), first_keys_.size(), first_keys_.begin());
    forget_runs();
  }

  [[nodiscard]] ValueRanks value_ranks() const override {
    std::vector<std::uint32_t> ranks(ranks_.size());
    copy_bytes(ranks.data(), ranks_.data(), ranks_.bytes(), stream_);
    stream_.synchronize();
    return {{0, extent_.values}, {ranks.begin(), ranks.end()}};
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
    fetch_findings();
    note_run(found_.overflowed != 0);
    if (overflowed()) {
      rank_by_value();
    }
  }

  std::vector<Check> checks() override {
    // The lists are no longer needed, and their memory is large enough.
    auto* const counts = reinterpret_cast<std::uint32_t*>(lists_.data());
    queue_value_counts(keys_.data(), extent_.keys, extent_.values, counts, stream_);
    const Verdict verdict{.right_ranks = static_cast<int>(found_.right_ranks),
                          .sorted = ascend_by_rank(ranks_.data(), counts, extent_.values,
                                                   {0, extent_.keys}, stream_)};
    return checks_of(verdict, size());
  }

 private:
  static constexpr std::size_t buckets = Shape::buckets;
  static constexpr auto partition_keys = partition_kernel<Shape>;
  static constexpr auto rank_buckets = Ranks::kernel;
  static constexpr std::size_t max_counter_bytes = counter_words(16) * sizeof(std::uint32_t);

  [[nodiscard]] Work work_in_buckets() const override {
    const auto key_bytes = static_cast<double>(keys_.bytes());
    const double low_bytes = static_cast<double>(extent_.keys) * sizeof(std::uint16_t);
    const auto rank_bytes = static_cast<double>(ranks_.bytes());
    return {.traffic = {.bytes_read = is_iterations * (key_bytes + low_bytes),
                        .bytes_written = is_iterations * (low_bytes + rank_bytes)},
            .model =
                "a ranking reads each key, writes and reads its lower 16 bits, and writes "
                "each value's rank once",
            .working_set_bytes = key_bytes + low_bytes + rank_bytes};
  }

  static std::uint32_t* row(const Buffer<std::uint32_t>& rows, int iteration) {
    return rows.data() + static_cast<std::size_t>(iteration - 1) * buckets;
  }

  /// Queues the changes of a ranking and the partition of its keys.
  void queue_partition(int iteration) {
    const std::array<Change, 2> changes = changes_of(size(), iteration);
    launch(stream_,
           {dim3(static_cast<unsigned>(extent_.blocks)), dim3(Shape::threads),
            partition_shared_bytes<Shape>},
           partition_keys,
           PartitionArguments{.keys = keys_.data(),
                              .batches = extent_.batches(),
                              .low_bits = extent_.low_bits,
                              .changes = {changes[0], changes[1]},
                              .lists = {.lists = lists_.data(),
                                        .claimed = row(claimed_, iteration),
                                        .spill = spill_place()},
                              .fillers = row(fillers_, iteration)});
  }

  void queue_ranks(int iteration) {
    launch(stream_,
           {dim3(static_cast<unsigned>(buckets)), dim3(Ranks::threads),
            static_cast<std::size_t>(counter_words(extent_.low_bits)) * sizeof(std::uint32_t)},
           rank_buckets,
           RankArguments{
               .lists = listed(iteration),
               .low_bits = extent_.low_bits,
               .ranks = ranks_.data(),
               .test_ranks = perturbation_ == 0.0 ? expected_ranks(size(), iteration) : no_ranks(),
               .findings = findings_.data()});
    if (perturbation_ != 0.0) {
      queue_perturbation(ranks_.data(), extent_.values, perturbation_, stream_);
      queue_tests_of(iteration);
    }
  }

  void queue_tests_of(int iteration) {
    queue_tests({.keys = keys_.data(),
                 .positions = is_parameters(size()).positions,
                 .expected = expected_ranks(size(), iteration)},
                ranks_.data(), {0, extent_.values}, &findings_.data()->right_ranks, stream_);
  }

  /// All rankings from the first keys on, right for any keys.
  void rank_by_value() {
    copy_bytes(keys_.data(), first_keys_.data(), sizeof first_keys_, stream_);
    fill_bytes(findings_.data(), 0, findings_.bytes(), stream_);
    for (int iteration = 1; iteration <= is_iterations; ++iteration) {
      queue_changes(keys_.data(), changes_of(size(), iteration), stream_);
      queue_value_counts(keys_.data(), extent_.keys, extent_.values, ranks_.data(), stream_);
      exclusive_sums(ranks_.data(), extent_.values, 0, stream_);
      if (perturbation_ != 0.0) {
        queue_perturbation(ranks_.data(), extent_.values, perturbation_, stream_);
      }
      queue_tests_of(iteration);
    }
    fetch_findings();
  }

  void fetch_findings() {
    copy_bytes(&found_, findings_.data(), sizeof found_, stream_);
    stream_.synchronize();
  }

  /// The place of the unit behind all lists.
  [[nodiscard]] std::uint32_t spill_place() const {
    return static_cast<std::uint32_t>(lists_.size() / Shape::unit) - 1;
  }

  [[nodiscard]] FilledLists listed(int iteration) const {
    return {.keys = keys_.data(),
            .lists = lists_.data(),
            .starts = starts_.data(),
            .claimed = row(claimed_, iteration),
            .filling = row(fillers_, iteration),
            .unit = Shape::unit,
            .buckets = Shape::buckets,
            .test_positions = is_parameters(size()).positions};
  }

  /// All lists empty, nothing found.
  void queue_clear() {
    copy_bytes(claimed_.data(), first_places_.data(), claimed_.bytes(), stream_);
    fill_bytes(fillers_.data(), 0, fillers_.bytes(), stream_);
    fill_bytes(findings_.data(), 0, findings_.bytes(), stream_);
  }

  void queue(int iterations) {
    queue_clear();
    for (int iteration = 1; iteration <= iterations; ++iteration) {
      queue_partition(iteration);
      queue_ranks(iteration);
    }
  }

  double perturbation_;
  Stream stream_;
  RankingSize<Shape> extent_;
  Buffer<Key> keys_;
  Buffer<std::uint16_t> lists_;   ///< of the buckets, in units
  Buffer<std::uint32_t> ranks_;   ///< numbers of keys below each value
  Buffer<std::uint32_t> starts_;  ///< of the buckets' lists, in units, and the end of the last
  Buffer<std::uint32_t> first_places_;
  Buffer<std::uint32_t> claimed_;  ///< of each bucket, for each ranking
  Buffer<std::uint32_t> fillers_;  ///< likewise
  Buffer<Findings> findings_;
  RepeatedWork whole_run_{stream_, [this] { queue(is_iterations); }};
  Findings found_{};
  std::array<Key, 2 * is_iterations + 1> first_keys_{};  ///< which iterations overwrite
};

}  // namespace bankfull::npb::is::cuda
