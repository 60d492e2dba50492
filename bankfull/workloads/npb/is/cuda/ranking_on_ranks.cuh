#pragma once

#include "bankfull/core/comm/device_copy.hpp"
#include "bankfull/core/comm/gpu_transport.hpp"
#include "bankfull/core/comm/rank_survey.hpp"
#include "bankfull/workloads/npb/is/cuda/count.cuh"
#include "bankfull/workloads/npb/is/cuda/count_messages.hpp"
#include "bankfull/workloads/npb/is/cuda/ranking.cuh"
#include "bankfull/workloads/npb/is/cuda/sum.cuh"

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

namespace bankfull::npb::is::cuda {

/// A rank's keys, whole batches of them, and how its GPU partitions them.
template <class Shape>
struct KeyShare {
  Range keys;  ///< their positions among all; empty where ranks are more than batches
  int low_bits;
  int blocks;  ///< of the partition

  KeyShare(Class size, int rank, int ranks, int multiprocessors)
      : low_bits(RankingSize<Shape>(size, multiprocessors).low_bits) {
    const Range batches = share(RankingSize<Shape>(size, multiprocessors).batches(), rank, ranks);
    keys = {batches.begin * Shape::batch, batches.end * Shape::batch};
    const int most = multiprocessors * Shape::blocks_per_multiprocessor;
    blocks = static_cast<int>(std::clamp(batches.size(), std::int64_t{1}, std::int64_t{most}));
  }

  [[nodiscard]] std::int64_t batches() const { return keys.size() / Shape::batch; }

  /// Where the key at this position of all keys stands among these; negative if elsewhere.
  [[nodiscard]] std::int64_t place_of(std::int64_t position) const {
    return position >= keys.begin && position < keys.end ? position - keys.begin : -1;
  }

  /// See `list_starts`.
  [[nodiscard]] std::vector<std::uint32_t> starts() const {
    return list_starts<Shape>(keys.size(), blocks);
  }

  /// All lists and, behind them, one unit for overflows.
  [[nodiscard]] std::int64_t list_elements() const {
    return (std::int64_t{starts().back()} + 1) * Shape::unit;
  }

  [[nodiscard]] CountMessages messages(int ranks) const {
    return {ranks, Shape::buckets, low_bits};
  }
};

/// Bytes of the busiest of `ranks` ranks, which is the first.
template <class Shape>
std::int64_t bytes_on_ranks(Class size, int ranks, int multiprocessors) {
  const KeyShare<Shape> own(size, 0, ranks, multiprocessors);
  const CountMessages messages = own.messages(ranks);
  std::int64_t bytes = own.keys.size() * std::int64_t{sizeof(Key)} +
                       own.list_elements() * std::int64_t{sizeof(std::uint16_t)} +
                       messages.values_of(0).size() * std::int64_t{sizeof(std::uint32_t)};
  for (const MessageSize& message : messages.sizes(0)) {
    bytes += 2 * static_cast<std::int64_t>(message.bytes);  // two slots, or one each way
  }
  const std::int64_t value_counts = std::int64_t{4} << is_parameters(size).log2_values;
  constexpr std::int64_t rounding = std::int64_t{4} << 20;
  return bytes + value_counts + rounding;
}

/// Ranks keys in three passes. Each rank partitions its keys as one rank does, then counts those of
/// each bucket by value, and stores the counts, a byte each, into a message to the owner of the
/// values, who adds up those of all ranks and turns them into ranks.
///
/// The capacity of lists follows from the distribution of NPB's keys. If the transport can be
/// recorded, all rankings are one graph. After it ranks agree whether a list or counter has
/// overflowed; if so, all rankings are repeated by value within the run.
template <class Shape, class Counting, class Summing>
class CudaRankingOnRanks final : public BucketRanking {
 public:
  CudaRankingOnRanks(const Problem& problem, const Communicator& ranks)
      : BucketRanking(problem.size),
        perturbation_(problem.perturbation),
        ranks_(&ranks),
        stream_(problem.device),
        own_(problem.size, ranks.rank(), ranks.size(), multiprocessors_of(problem.device)),
        messages_(own_.messages(ranks.size())),
        shared_gpu_(sharers_of_device(ranks, problem.device) > 1),
        keys_(device_buffer<Key>(own_.keys.size())),
        lists_(device_buffer<std::uint16_t>(own_.list_elements())),
        chosen_(
            make_gpu_transport(problem.transport, ranks, messages_.sizes(ranks.rank()), stream_)),
        ends_(device_copy(chosen_.transport->ends(), stream_)),
        order_(device_copy(messages_.order_of(ranks.rank()), stream_)),
        starts_(device_copy(own_.starts(), stream_)),
        first_places_(device_copy(first_places(own_.starts()), stream_)),
        claimed_(MemorySpace::device, is_iterations * buckets),
        fillers_(MemorySpace::device, is_iterations * buckets),
        tickets_(device_copy(std::vector<unsigned>{0, 0}, stream_)),
        test_keys_(MemorySpace::device, is_tests),
        smaller_(device_buffer<std::uint32_t>(own_values().size())),
        findings_(MemorySpace::device, 1) {
    expects(own_.low_bits >= 2 && own_.low_bits <= 16, "words of four values in buckets of 2^16");
    allow_shared_bytes(partition_keys, partition_shared_bytes<Shape>);
    allow_shared_bytes(count_keys, byte_counter_words(16) * sizeof(std::uint32_t));
    queue_keys(size(), own_.keys, keys_.data(), stream_);
    fetch_first_keys();
    if (chosen_.transport->recordable()) {
      whole_run_.record();
    }
  }

  void replace_keys(std::span<const Key> keys) override {
    const std::span own = keys.subspan(static_cast<std::size_t>(own_.keys.begin), keys_.size());
    copy_bytes(keys_.data(), own.data(), own.size_bytes(), stream_);
    fetch_first_keys();
    forget_runs();
  }

  [[nodiscard]] ValueRanks value_ranks() const override {
    std::vector<std::uint32_t> ranks(smaller_.size());
    copy_bytes(ranks.data(), smaller_.data(), smaller_.bytes(), stream_);
    stream_.synchronize();
    return {own_values(), {ranks.begin(), ranks.end()}};
  }

  void rewind() override {
    queue_first_keys();
    stream_.synchronize();
  }

  void warm_up() override {
    queue(1);
    stream_.synchronize();
  }

  void run() override {
    whole_run_.queue();
    fetch_findings();
    note_run(!ranks_->all(found_.overflowed == 0));
    if (overflowed()) {
      rank_by_value();
    }
  }

  std::vector<Check> checks() override {
    const Verdict verdict{
        .right_ranks = static_cast<int>(ranks_->sum(std::int64_t{found_.right_ranks})),
        .sorted = is_sorted()};
    return checks_of(verdict, size());
  }

  [[nodiscard]] Transport transport() const override { return chosen_.kind; }

 private:
  static constexpr std::size_t buckets = Shape::buckets;
  static constexpr auto partition_keys = partition_kernel<Shape>;
  static constexpr auto count_keys = Counting::kernel;
  static constexpr auto sum_up = sum_kernel<Summing>;

  [[nodiscard]] Work work_in_buckets() const override {
    const auto key_bytes = static_cast<double>(keys_.bytes());
    const double low_bytes = static_cast<double>(own_.keys.size()) * sizeof(std::uint16_t);
    const auto sent = static_cast<double>(std::int64_t{1} << is_parameters(size()).log2_values);
    const auto received = static_cast<double>(own_values().size() * ranks_->size());
    const auto rank_bytes = static_cast<double>(smaller_.bytes());
    return {.traffic = {.bytes_read = is_iterations * (key_bytes + low_bytes + received),
                        .bytes_written = is_iterations * (low_bytes + sent + rank_bytes)},
            .model =
                "a ranking reads each key, writes and reads its lower 16 bits, writes a byte for "
                "each value to the value's rank, reads those of all ranks, and writes each "
                "value's rank once",
            .working_set_bytes = key_bytes + low_bytes + received + rank_bytes};
  }

  template <class T>
  static Buffer<T> device_buffer(std::int64_t count) {
    return Buffer<T>(MemorySpace::device, static_cast<std::size_t>(count));
  }

  template <class T>
  static T* row(const Buffer<T>& rows, int iteration) {
    return rows.data() + static_cast<std::size_t>(iteration - 1) * buckets;
  }

  [[nodiscard]] Range values_of(int rank) const { return messages_.values_of(rank); }
  [[nodiscard]] Range own_values() const { return values_of(ranks_->rank()); }

  /// Saves the keys that rankings change, all of which belong to the first rank.
  void fetch_first_keys() {
    if (own_.keys.begin == 0) {
      copy_bytes(first_keys_.data(), keys_.data(), sizeof first_keys_, stream_);
    }
    stream_.synchronize();
  }

  void queue_first_keys() const {
    if (own_.keys.begin == 0) {
      copy_bytes(keys_.data(), first_keys_.data(), sizeof first_keys_, stream_);
    }
  }

  void queue(int iterations) {
    queue_clear();
    for (int iteration = 1; iteration <= iterations; ++iteration) {
      queue_partition(iteration);
      queue_counts(iteration);
      queue_exchange(iteration);
      queue_sums(iteration);
    }
  }

  /// All lists empty, nothing found.
  void queue_clear() {
    copy_bytes(claimed_.data(), first_places_.data(), claimed_.bytes(), stream_);
    fill_bytes(fillers_.data(), 0, fillers_.bytes(), stream_);
    fill_bytes(findings_.data(), 0, findings_.bytes(), stream_);
  }

  /// With positions among this rank's keys, or negative ones.
  [[nodiscard]] std::array<Change, 2> own_changes(int iteration) const {
    std::array<Change, 2> changes = changes_of(size(), iteration);
    for (Change& change : changes) {
      change.position = own_.place_of(change.position);
    }
    return changes;
  }

  /// Queues the changes of a ranking and the partition of this rank's keys.
  void queue_partition(int iteration) {
    const std::array<Change, 2> changes = own_changes(iteration);
    launch(stream_,
           {dim3(static_cast<unsigned>(own_.blocks)), dim3(Shape::threads),
            partition_shared_bytes<Shape>},
           partition_keys,
           PartitionArguments{
               .keys = keys_.data(),
               .batches = own_.batches(),
               .low_bits = own_.low_bits,
               .changes = {changes[0], changes[1]},
               .lists = {.lists = lists_.data(),
                         .claimed = row(claimed_, iteration),
                         .spill = static_cast<std::uint32_t>(lists_.size() / Shape::unit) - 1},
               .fillers = row(fillers_, iteration)});
  }

  void queue_counts(int iteration) {
    launch(stream_,
           {dim3(static_cast<unsigned>(buckets)), dim3(Counting::threads),
            static_cast<std::size_t>(byte_counter_words(own_.low_bits)) * sizeof(std::uint32_t)},
           count_keys,
           CountArguments{.lists = listed(iteration),
                          .order = order_.data(),
                          .low_bits = own_.low_bits,
                          .ranks = ranks_->size(),
                          .ends = ends_.data(),
                          .epoch = chosen_.transport->epoch(),
                          .ticket = tickets_.data(),
                          .findings = findings_.data()});
  }

  [[nodiscard]] FilledLists listed(int iteration) const {
    FilledLists listed{.keys = keys_.data(),
                       .lists = lists_.data(),
                       .starts = starts_.data(),
                       .claimed = row(claimed_, iteration),
                       .filling = row(fillers_, iteration),
                       .unit = Shape::unit,
                       .buckets = Shape::buckets,
                       .test_positions = is_parameters(size()).positions};
    for (std::int64_t& position : listed.test_positions) {
      position = own_.place_of(position);
    }
    return listed;
  }

  /// Between GPUs that reach each other's memory only what the pass behind it does not wait for.
  void queue_exchange(int iteration) {
    if (chosen_.transport->epoch() == nullptr) {
      chosen_.transport->packed(stream_);
      chosen_.transport->before_unpacking(stream_);
    } else if (shared_gpu_) {
      launch(stream_, {dim3(1), dim3(32)}, await_kernel, sum_arguments(iteration));
    }
  }

  void queue_sums(int iteration) {
    const SumArguments arguments = sum_arguments(iteration);
    const int section = arguments.steps * Summing::values_per_step;
    launch(stream_,
           {dim3(static_cast<unsigned>((arguments.values + section - 1) / section)),
            dim3(Summing::threads)},
           sum_up, arguments);
    if (perturbation_ != 0.0) {
      queue_perturbation(smaller_.data(), own_values().size(), perturbation_, stream_);
      queue_tests_of(iteration);
    }
  }

  [[nodiscard]] SumArguments sum_arguments(int iteration) const {
    unsigned* const epoch = chosen_.transport->epoch();
    return {.ranks = ranks_->size(),
            .buckets = Shape::buckets,
            .first_bucket = static_cast<int>(messages_.buckets_of(ranks_->rank()).begin),
            .low_bits = own_.low_bits,
            .steps = Summing::steps(own_.low_bits),
            .values = static_cast<int>(own_values().size()),
            .ends = ends_.data(),
            .epoch = epoch,
            .waits = epoch != nullptr && !shared_gpu_,
            .ticket = tickets_.data() + 1,
            .smaller = smaller_.data(),
            .test_keys = test_keys_.data(),
            .test_ranks = perturbation_ == 0.0 ? expected_ranks(size(), iteration) : no_ranks(),
            .findings = findings_.data()};
  }

  void queue_tests_of(int iteration) {
    RankTests tests{
        .keys = test_keys_.data(), .positions = {}, .expected = expected_ranks(size(), iteration)};
    std::iota(tests.positions.begin(), tests.positions.end(), std::int64_t{0});
    queue_tests(tests, smaller_.data(), own_values(), &findings_.data()->right_ranks, stream_);
  }

  /// Collective: all rankings from the first keys on, right for any keys. The keys that are tested
  /// are those that came with the last messages: no ranking changes them.
  void rank_by_value() {
    queue_first_keys();
    fill_bytes(findings_.data(), 0, findings_.bytes(), stream_);
    for (int iteration = 1; iteration <= is_iterations; ++iteration) {
      queue_changes(keys_.data(), own_changes(iteration), stream_);
      const std::vector<std::uint32_t> counts = counts_of_own_values();
      copy_bytes(smaller_.data(), counts.data(), smaller_.bytes(), stream_);
      const auto first = static_cast<std::uint32_t>(places_of(counts).begin);
      exclusive_sums(smaller_.data(), own_values().size(), first, stream_);
      if (perturbation_ != 0.0) {
        queue_perturbation(smaller_.data(), own_values().size(), perturbation_, stream_);
      }
      queue_tests_of(iteration);
    }
    fetch_findings();
  }

  void fetch_findings() {
    copy_bytes(&found_, findings_.data(), sizeof found_, stream_);
    stream_.synchronize();
  }

  /// Collective: whether all keys ascend by their ranks, within and between the ranks' values, by
  /// another count of all of them.
  [[nodiscard]] bool is_sorted() {
    const std::vector<std::uint32_t> counts = counts_of_own_values();
    const Range places = places_of(counts);
    const Buffer<std::uint32_t> there = device_copy(counts, stream_);
    return ranks_->all(
        ascend_by_rank(smaller_.data(), there.data(), own_values().size(), places, stream_));
  }

  /// Collective: the places of the keys that have this rank's values, from the counts of these.
  [[nodiscard]] Range places_of(const std::vector<std::uint32_t>& counts) const {
    const auto keys = std::accumulate(counts.begin(), counts.end(), std::int64_t{0});
    const std::vector<std::int64_t> keys_of_all = ranks_->all_gather(keys);
    const std::int64_t before =
        std::accumulate(keys_of_all.begin(), keys_of_all.begin() + ranks_->rank(), std::int64_t{0});
    return {before, before + keys};
  }

  /// Collective: how many keys of all ranks have each of this rank's values.
  [[nodiscard]] std::vector<std::uint32_t> counts_of_own_values() {
    std::vector<std::uint32_t> mine = counts_of_all_values();
    const Range own = own_values();
    std::vector<std::uint32_t> sums(mine.begin() + own.begin, mine.begin() + own.end);
    std::vector<std::uint32_t> theirs(sums.size());
    for (int distance = 1; distance < ranks_->size(); ++distance) {
      const int to = (ranks_->rank() + distance) % ranks_->size();
      const int from = (ranks_->rank() + ranks_->size() - distance) % ranks_->size();
      const Range wanted = values_of(to);
      const Message sent{to, mine.data() + wanted.begin,
                         static_cast<std::size_t>(wanted.size()) * sizeof(std::uint32_t)};
      const Message received{from, theirs.data(), theirs.size() * sizeof(std::uint32_t)};
      const auto exchange = ranks_->prepare(std::span(&sent, 1), std::span(&received, 1));
      exchange->start();
      exchange->finish();
      std::transform(sums.begin(), sums.end(), theirs.begin(), sums.begin(), std::plus<>());
    }
    return sums;
  }

  /// How many of this rank's keys have each value.
  [[nodiscard]] std::vector<std::uint32_t> counts_of_all_values() {
    std::vector<std::uint32_t> counts(std::size_t{1} << is_parameters(size()).log2_values);
    const Buffer<std::uint32_t> there(MemorySpace::device, counts.size());
    queue_value_counts(keys_.data(), own_.keys.size(), static_cast<std::int64_t>(counts.size()),
                       there.data(), stream_);
    copy_bytes(counts.data(), there.data(), there.bytes(), stream_);
    stream_.synchronize();
    return counts;
  }

  double perturbation_;
  const Communicator* ranks_;
  Stream stream_;
  KeyShare<Shape> own_;
  CountMessages messages_;
  bool shared_gpu_;  ///< with other ranks, whose blocks may need it
  std::array<Key, 2 * is_iterations + 1> first_keys_{};  ///< which iterations overwrite
  Buffer<Key> keys_;
  Buffer<std::uint16_t> lists_;  ///< of this rank's keys, in units
  ChosenTransport chosen_;
  Buffer<GpuMessageEnds> ends_;  ///< of all ranks
  Buffer<CountedBucket> order_;
  Buffer<std::uint32_t> starts_;  ///< of the lists, in units, and the end of the last
  Buffer<std::uint32_t> first_places_;
  Buffer<std::uint32_t> claimed_;  ///< of each bucket, for each ranking
  Buffer<std::uint32_t> fillers_;  ///< likewise
  Buffer<unsigned> tickets_;
  Buffer<Key> test_keys_;
  Buffer<std::uint32_t> smaller_;  ///< numbers of keys below each of this rank's values
  Buffer<Findings> findings_;
  RepeatedWork whole_run_{stream_, [this] { queue(is_iterations); }};
  Findings found_{};
};

}  // namespace bankfull::npb::is::cuda
