#include "bankfull/workloads/npb/ep/cuda/tally.cuh"

#include <algorithm>
#include <array>
#include <functional>
#include <memory>

namespace bankfull::npb::ep {
namespace {

using cuda::list_count;
using cuda::segment_pairs;
using TallyShape = cuda::Shape<kernel_log2_intervals, 1024, 4>;

/// Results of a share of the pairs.
using Lists = std::array<double, list_count>;

/// A rank's part of a tally on its GPU.
class TallyMachine {
 public:
  TallyMachine(Device gpu, const Communicator& ranks, double perturbation = 0.0)
      : ranks_(&ranks),
        stream_(gpu),
        blocks_(multiprocessors_of(gpu)),
        factor_(factor_constants(kernel_log2_intervals, deviate_scale)),
        log_scale_(1.0 + perturbation),
        sums_(static_cast<std::size_t>(blocks_ * list_count)),
        lists_(MemorySpace::device, list_count),
        found_(MemorySpace::pinned, list_count) {
    allow_shared_bytes(cuda::tally_kernel<TallyShape>, TallyShape::shared_bytes);
  }

  [[nodiscard]] Range own_segments(Class size) const {
    const std::int64_t pairs = std::int64_t{1} << ep_parameters(size).log2_pairs;
    return share(pairs / segment_pairs, ranks_->rank(), ranks_->size());
  }

  /// Collective: of all pairs.
  [[nodiscard]] Tally tally(Class size) const {
    const std::int64_t pairs = std::int64_t{1} << ep_parameters(size).log2_pairs;
    const Lists own = tally_share(own_segments(size));
    Lists all{};
    for (const Lists& of_rank : ranks_->all_gather(own)) {
      std::transform(of_rank.begin(), of_rank.end(), all.begin(), all.begin(), std::plus<>());
    }
    return tally_of(all, pairs);
  }

 private:
  [[nodiscard]] Lists tally_share(const Range& segments) const {
    const auto threads = static_cast<std::uint64_t>(blocks_) * TallyShape::threads;
    const auto numbers_before = static_cast<std::uint64_t>(2 * segment_pairs * segments.begin);
    launch(
        stream_,
        {dim3(static_cast<unsigned>(blocks_)), dim3(TallyShape::threads), TallyShape::shared_bytes},
        cuda::tally_kernel<TallyShape>,
        cuda::TallyArguments<TallyShape>{.factor = factor_,
                                         .log_scale = log_scale_,
                                         .state = Generator(seed, numbers_before).state(),
                                         .segments = static_cast<std::uint64_t>(segments.size()),
                                         .jump = generator_jump(2 * segment_pairs * threads),
                                         .partials = sums_.partials()});
    sums_.queue(stream_, blocks_, list_count, lists_.data());
    copy_bytes(found_.data(), lists_.data(), found_.bytes(), stream_);
    stream_.synchronize();
    Lists found;
    std::copy_n(found_.data(), found.size(), found.begin());
    return found;
  }

  static Tally tally_of(const Lists& lists, std::int64_t pairs) {
    Tally tally{.sums = {lists[0], lists[1]}, .absolute_sums = {lists[2], lists[3]}};
    tally.counts[0] = pairs - static_cast<std::int64_t>(lists[list_count - 1]);
    for (std::size_t l = 1; l < bins; ++l) {
      tally.counts[l] = static_cast<std::int64_t>(lists[3 + l]);
      tally.counts[0] -= tally.counts[l];
    }
    return tally;
  }

  const Communicator* ranks_;
  Stream stream_;
  int blocks_;
  FactorConstants factor_;
  double log_scale_;
  FixedOrderSums sums_;
  Buffer<double> lists_;
  Buffer<double> found_;
};

}  // namespace

std::unique_ptr<Benchmark> make_cuda(const Problem& problem, const Communicator& ranks) {
  const auto machine = std::make_shared<TallyMachine>(problem.device, ranks, problem.perturbation);
  const std::int64_t pairs = machine->own_segments(problem.size).size() * segment_pairs;
  return make_benchmark(
      problem.size, [machine](Class size, const Pauses& /*none*/) { return machine->tally(size); },
      static_cast<double>(pairs) * cuda::fp64_instructions_per_pair);
}

Tally tally_on_gpus(Class size, Device gpu, const Communicator& ranks) {
  return TallyMachine(gpu, ranks).tally(size);
}

}  // namespace bankfull::npb::ep
