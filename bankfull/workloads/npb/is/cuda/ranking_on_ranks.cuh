#pragma once

#include "bankfull/core/comm/device_copy.hpp"
#include "bankfull/core/comm/gpu_transport.hpp"
#include "bankfull/workloads/npb/is/cuda/exchange.cuh"
#include "bankfull/workloads/npb/is/cuda/list_messages.hpp"
#include "bankfull/workloads/npb/is/cuda/ranking.cuh"

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
    blocks = static_cast<int>(
        std::clamp(batches.size() / batches_per_block, std::int64_t{1}, std::int64_t{most}));
  }

  [[nodiscard]] std::int64_t batches() const { return keys.size() / Shape::batch; }

  /// Where the key at this position of all keys stands among these; negative if elsewhere.
  [[nodiscard]] std::int64_t place_of(std::int64_t position) const {
    return position >= keys.begin && position < keys.end ? position - keys.begin : -1;
  }

 private:
  /// At least: each block leaves a unit of every bucket that it does not fill, which must not be
  /// most of what is sent.
  static constexpr std::int64_t batches_per_block = 4;
};

/// Which buckets each rank gets, by the counts that are expected of its share of the keys.
template <class Shape>
BucketPartition expected_partition(Class size, int ranks) {
  std::vector<Counts> counts;
  for (int rank = 0; rank < ranks; ++rank) {
    const Range keys = KeyShare<Shape>(size, rank, ranks, 1).keys;
    counts.push_back(expected_counts(keys.size(), Shape::buckets));
  }
  return {std::move(counts), Shape::buckets};
}

/// Bytes of the busiest of `ranks` ranks.
template <class Shape>
std::int64_t bytes_on_ranks(Class size, int ranks, int multiprocessors) {
  const KeyShare<Shape> own(size, 0, ranks, multiprocessors);  // the largest share
  std::vector<std::int64_t> blocks;
  for (int rank = 0; rank < ranks; ++rank) {
    blocks.push_back(KeyShare<Shape>(size, rank, ranks, multiprocessors).blocks);
  }
  const ListMessages messages(expected_partition<Shape>(size, ranks), blocks, Shape::unit);
  std::int64_t most = 0;
  for (std::size_t rank = 0; rank < blocks.size(); ++rank) {
    std::int64_t bytes = 0;
    for (const MessageSize& message : messages.sizes(rank)) {
      bytes += 2 * static_cast<std::int64_t>(message.bytes);  // two slots, or one each way
    }
    const std::size_t own_buckets =
        messages.partition().end(rank) - messages.partition().first(rank);
    bytes += static_cast<std::int64_t>(own_buckets << own.low_bits) * 4;
    most = std::max(most, bytes);
  }
  constexpr std::int64_t rounding = std::int64_t{4} << 20;
  const std::int64_t value_counts = std::int64_t{4} << is_parameters(size).log2_values;
  return own.keys.size() * std::int64_t{sizeof(Key)} + most + value_counts + rounding;
}

/// Ranks keys like CudaRanking, except that each bucket belongs to a rank, to which all partitions
/// write; the owner ranks the keys that arrive.
///
/// The assignment of buckets and the capacity of lists in messages follow from the distribution of
/// NPB's keys. If the transport can be recorded, all rankings are one graph. After it ranks agree
/// whether a list or counter has overflowed; if so, all rankings are repeated by value within the
/// run.
template <class Shape, class Ranks>
class CudaRankingOnRanks final : public BucketRanking {
 public:
  CudaRankingOnRanks(const Problem& problem, const Communicator& ranks)
      : BucketRanking(problem.size),
        perturbation_(problem.perturbation),
        ranks_(&ranks),
        stream_(problem.device),
        own_(problem.size, ranks.rank(), ranks.size(), multiprocessors_of(problem.device)),
        keys_(device_buffer<Key>(own_.keys.size())),
        messages_(expected_partition<Shape>(problem.size, ranks.size()),
                  ranks.all_gather(std::int64_t{own_.blocks}), Shape::unit),
        chosen_(make_gpu_transport(problem.transport, ranks, messages_.sizes(own_rank()), stream_)),
        ends_(device_copy(chosen_.transport->ends(), stream_)),
        starts_(device_copy(list_starts(), stream_)),
        arrivals_(device_copy(list_arrivals(), stream_)),
        capacities_(device_copy(list_capacities(), stream_)),
        arrival_capacities_(device_copy(list_arrival_capacities(), stream_)),
        fullest_first_(device_copy(buckets_by_keys(), stream_)),
        claimed_(MemorySpace::device, is_iterations * buckets),
        fillers_(MemorySpace::device, is_iterations * buckets),
        pieces_(device_buffer<Piece>(own_buckets() * ranks.size())),
        surveys_(device_buffer<BucketSurvey>(own_buckets())),
        test_keys_(MemorySpace::device, is_tests),
        smaller_(device_buffer<std::uint32_t>(own_values().size())),
        findings_(MemorySpace::device, 1) {
    allow_shared_bytes(partition_keys, partition_shared_bytes<Shape, ListsInMessages>);
    allow_shared_bytes(rank_buckets, counter_words(16) * sizeof(std::uint32_t));
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
  static constexpr std::size_t slots = 2;
  static constexpr auto partition_keys = partition_kernel<Shape, ListsInMessages>;
  static constexpr auto rank_buckets = Ranks::template kernel<ListsReceived>;

  [[nodiscard]] Work work_in_buckets() const override {
    const double sent = static_cast<double>(own_.keys.size());
    const double received = static_cast<double>(partition().before(partition().end(own_rank())) -
                                                partition().before(partition().first(own_rank())));
    const double low_bytes = sizeof(std::uint16_t);
    const double key_bytes = sent * sizeof(Key);
    const auto rank_bytes = static_cast<double>(smaller_.bytes());
    return {.traffic = {.bytes_read = is_iterations * (key_bytes + received * low_bytes),
                        .bytes_written = is_iterations * (sent * low_bytes + rank_bytes)},
            .model =
                "a ranking reads each key, writes its lower 16 bits to the bucket's rank, "
                "reads them there, and writes each value's rank once",
            .working_set_bytes = key_bytes + received * low_bytes + rank_bytes};
  }

  template <class T>
  static Buffer<T> device_buffer(std::int64_t count) {
    return Buffer<T>(MemorySpace::device, static_cast<std::size_t>(count));
  }

  template <class T>
  static T* row(const Buffer<T>& rows, int iteration) {
    return rows.data() + static_cast<std::size_t>(iteration - 1) * buckets;
  }

  static std::uint16_t* list_in(std::byte* message, std::ptrdiff_t slot_bytes, std::size_t slot,
                                std::size_t begin) {
    const std::size_t offset = slot * static_cast<std::size_t>(slot_bytes) + begin;
    return reinterpret_cast<std::uint16_t*>(message + offset);
  }

  [[nodiscard]] std::size_t own_rank() const { return static_cast<std::size_t>(ranks_->rank()); }
  [[nodiscard]] const BucketPartition& partition() const { return messages_.partition(); }
  [[nodiscard]] std::size_t first_bucket() const { return partition().first(own_rank()); }
  [[nodiscard]] std::int64_t own_buckets() const {
    return static_cast<std::int64_t>(partition().end(own_rank()) - first_bucket());
  }
  [[nodiscard]] Range values_of(std::size_t rank) const {
    return {static_cast<std::int64_t>(partition().first(rank)) << own_.low_bits,
            static_cast<std::int64_t>(partition().end(rank)) << own_.low_bits};
  }
  [[nodiscard]] Range own_values() const { return values_of(own_rank()); }

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

  /// Addresses of outgoing lists, by slot and bucket.
  [[nodiscard]] std::vector<std::uint16_t*> list_starts() const {
    std::vector<std::uint16_t*> starts;
    for (std::size_t slot = 0; slot < slots; ++slot) {
      for (std::size_t to = 0; to < partition().ranks(); ++to) {
        const GpuMessageEnds& ends = chosen_.transport->ends()[to];
        for (std::size_t bucket = partition().first(to); bucket < partition().end(to); ++bucket) {
          starts.push_back(list_in(ends.outgoing, ends.outgoing_slot, slot,
                                   messages_.list_begin(own_rank(), bucket)));
        }
      }
    }
    return starts;
  }

  /// Addresses of incoming lists, by slot, own bucket and rank.
  [[nodiscard]] std::vector<std::uint16_t*> list_arrivals() const {
    std::vector<std::uint16_t*> arrivals;
    for (std::size_t slot = 0; slot < slots; ++slot) {
      for (std::size_t bucket = first_bucket(); bucket < partition().end(own_rank()); ++bucket) {
        for (std::size_t from = 0; from < partition().ranks(); ++from) {
          const GpuMessageEnds& ends = chosen_.transport->ends()[from];
          arrivals.push_back(
              list_in(ends.incoming, ends.incoming_slot, slot, messages_.list_begin(from, bucket)));
        }
      }
    }
    return arrivals;
  }

  /// The capacity of outgoing lists, by bucket.
  [[nodiscard]] std::vector<std::uint32_t> list_capacities() const {
    std::vector<std::uint32_t> capacities;
    for (std::size_t bucket = 0; bucket < buckets; ++bucket) {
      capacities.push_back(static_cast<std::uint32_t>(messages_.units(own_rank(), bucket)));
    }
    return capacities;
  }

  /// The capacity of incoming lists, by own bucket and rank.
  [[nodiscard]] std::vector<std::uint32_t> list_arrival_capacities() const {
    std::vector<std::uint32_t> capacities;
    for (std::size_t bucket = first_bucket(); bucket < partition().end(own_rank()); ++bucket) {
      for (std::size_t from = 0; from < partition().ranks(); ++from) {
        capacities.push_back(static_cast<std::uint32_t>(messages_.units(from, bucket)));
      }
    }
    return capacities;
  }

  /// This rank's buckets, numbered from its first, those expected to be the fullest first.
  [[nodiscard]] std::vector<int> buckets_by_keys() const {
    const auto keys_of = [&](int n) {
      const std::size_t bucket = first_bucket() + static_cast<std::size_t>(n);
      return partition().before(bucket + 1) - partition().before(bucket);
    };
    std::vector<int> numbers(static_cast<std::size_t>(own_buckets()));
    std::iota(numbers.begin(), numbers.end(), 0);
    std::stable_sort(numbers.begin(), numbers.end(),
                     [&](int a, int b) { return keys_of(a) > keys_of(b); });
    return numbers;
  }

  void queue(int iterations) {
    queue_clear();
    for (int iteration = 1; iteration <= iterations; ++iteration) {
      queue_partition(iteration);
      queue_exchange(iteration);
      queue_ranks(iteration);
    }
  }

  /// All lists empty, nothing found.
  void queue_clear() {
    fill_bytes(claimed_.data(), 0, claimed_.bytes(), stream_);
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
            partition_shared_bytes<Shape, ListsInMessages>},
           partition_keys,
           PartitionArguments<ListsInMessages>{.keys = keys_.data(),
                                               .batches = own_.batches(),
                                               .low_bits = own_.low_bits,
                                               .changes = {changes[0], changes[1]},
                                               .lists = {.lists = starts_.data(),
                                                         .capacities = capacities_.data(),
                                                         .epoch = chosen_.transport->epoch(),
                                                         .claimed = row(claimed_, iteration)},
                                               .fillers = row(fillers_, iteration)});
  }

  void queue_exchange(int iteration) {
    const ExchangeArguments arguments = exchange_arguments(iteration);
    const LaunchShape one_block{dim3(1), dim3(ExchangeBlock::threads)};
    if (arguments.epoch != nullptr) {
      launch(stream_, one_block, exchange_kernel, arguments);
      return;
    }
    launch(stream_, one_block, announce_kernel, arguments);
    chosen_.transport->packed(stream_);
    chosen_.transport->before_unpacking(stream_);
    launch(stream_, one_block, survey_kernel, arguments);
  }

  [[nodiscard]] ExchangeArguments exchange_arguments(int iteration) const {
    ExchangeArguments arguments{.ranks = ranks_->size(),
                                .buckets = Shape::buckets,
                                .first_bucket = static_cast<int>(first_bucket()),
                                .own_buckets = static_cast<int>(own_buckets()),
                                .unit = Shape::unit,
                                .ends = ends_.data(),
                                .epoch = chosen_.transport->epoch(),
                                .units = row(claimed_, iteration),
                                .fillers = row(fillers_, iteration),
                                .keys = keys_.data(),
                                .test_positions = is_parameters(size()).positions,
                                .arrivals = arrivals_.data(),
                                .capacities = arrival_capacities_.data(),
                                .pieces = pieces_.data(),
                                .surveys = surveys_.data(),
                                .test_keys = test_keys_.data(),
                                .findings = findings_.data()};
    for (std::int64_t& position : arguments.test_positions) {
      position = own_.place_of(position);
    }
    return arguments;
  }

  void queue_ranks(int iteration) {
    launch(stream_,
           {dim3(static_cast<unsigned>(own_buckets())), dim3(Ranks::threads),
            static_cast<std::size_t>(counter_words(own_.low_bits)) * sizeof(std::uint32_t)},
           rank_buckets,
           RankArguments<ListsReceived>{
               .lists = {.fullest_first = fullest_first_.data(),
                         .pieces = pieces_.data(),
                         .surveys = surveys_.data(),
                         .test_keys = test_keys_.data(),
                         .ranks = ranks_->size(),
                         .first_bucket = static_cast<int>(first_bucket())},
               .low_bits = own_.low_bits,
               .ranks = smaller_.data(),
               .test_ranks = perturbation_ == 0.0 ? expected_ranks(size(), iteration) : no_ranks(),
               .findings = findings_.data()});
    if (perturbation_ != 0.0) {
      queue_perturbation(smaller_.data(), own_values().size(), perturbation_, stream_);
      queue_tests_of(iteration);
    }
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
      const Range wanted = values_of(static_cast<std::size_t>(to));
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
  std::array<Key, 2 * is_iterations + 1> first_keys_{};  ///< which iterations overwrite
  Buffer<Key> keys_;
  ListMessages messages_;
  ChosenTransport chosen_;
  Buffer<GpuMessageEnds> ends_;  ///< of all ranks
  Buffer<std::uint16_t*> starts_;
  Buffer<std::uint16_t*> arrivals_;
  Buffer<std::uint32_t> capacities_;          ///< of this rank's lists, in units
  Buffer<std::uint32_t> arrival_capacities_;  ///< of those that come
  Buffer<int> fullest_first_;
  Buffer<std::uint32_t> claimed_;  ///< units of each bucket, for each ranking
  Buffer<std::uint32_t> fillers_;
  Buffer<Piece> pieces_;
  Buffer<BucketSurvey> surveys_;
  Buffer<Key> test_keys_;
  Buffer<std::uint32_t> smaller_;  ///< numbers of keys below each of this rank's values
  Buffer<Findings> findings_;
  RepeatedWork whole_run_{stream_, [this] { queue(is_iterations); }};
  Findings found_{};
};

}  // namespace bankfull::npb::is::cuda
