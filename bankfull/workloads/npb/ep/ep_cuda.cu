#include "bankfull/workloads/npb/ep/cuda/tally.cuh"

namespace bankfull::npb::ep {
namespace {

using cuda::list_count;
using TallyShape = cuda::Shape<8, 2, 1024, 4>;

/// What a GPU needs to form a tally.
class TallyMachine {
 public:
  explicit TallyMachine(Device gpu)
      : stream_(gpu),
        blocks_(multiprocessors_of(gpu)),
        table_(MemorySpace::device, TallyShape::Table::intervals),
        sums_(static_cast<std::size_t>(blocks_ * list_count)),
        lists_(MemorySpace::device, list_count),
        found_(MemorySpace::pinned, list_count) {
    const auto table = TallyShape::Table::make();
    copy_bytes(table_.data(), table.data(), table_.bytes(), stream_);
    stream_.synchronize();
    allow_shared_bytes(cuda::tally_kernel<TallyShape>, TallyShape::shared_bytes);
  }

  [[nodiscard]] Tally tally(Class size) const {
    const std::int64_t pairs = std::int64_t{1} << ep_parameters(size).log2_pairs;
    const auto threads = static_cast<std::uint64_t>(blocks_) * TallyShape::threads;
    const cuda::TallyArguments<TallyShape> arguments{
        table_.data(), static_cast<std::uint64_t>(pairs / cuda::segment_pairs),
        generator_jump(2 * cuda::segment_pairs * threads), sums_.partials()};
    launch(
        stream_,
        {dim3(static_cast<unsigned>(blocks_)), dim3(TallyShape::threads), TallyShape::shared_bytes},
        cuda::tally_kernel<TallyShape>, arguments);
    sums_.queue(stream_, blocks_, list_count, lists_.data());
    copy_bytes(found_.data(), lists_.data(), found_.bytes(), stream_);
    stream_.synchronize();
    return tally_of(found_.data(), pairs);
  }

 private:
  static Tally tally_of(const double* lists, std::int64_t pairs) {
    Tally tally{.sums = {lists[0], lists[1]}, .absolute_sums = {lists[2], lists[3]}};
    tally.counts[0] = pairs - static_cast<std::int64_t>(lists[list_count - 1]);
    for (std::size_t l = 1; l < bins; ++l) {
      tally.counts[l] = static_cast<std::int64_t>(lists[3 + l]);
      tally.counts[0] -= tally.counts[l];
    }
    return tally;
  }

  Stream stream_;
  int blocks_;
  Buffer<TallyShape::Table::Interval> table_;
  FixedOrderSums sums_;
  Buffer<double> lists_;
  Buffer<double> found_;
};

class CudaTally final : public Benchmark {
 public:
  explicit CudaTally(const Problem& problem) : size_(problem.size), machine_(problem.device) {}

  void rewind() override { tally_ = {}; }

  /// The smallest class: nothing of EP depends on its size.
  void warm_up() override { tally_ = machine_.tally(Class::s); }

  void run() override { tally_ = machine_.tally(size_); }

  std::vector<Check> checks() override { return checks_of(tally_, size_); }

  /// EP computes in registers.
  [[nodiscard]] Traffic traffic() const override { return {}; }

  [[nodiscard]] std::string traffic_model() const override { return "none: EP needs no memory"; }

 private:
  Class size_;
  TallyMachine machine_;
  Tally tally_;
};

}  // namespace

std::unique_ptr<Benchmark> make_cuda(const Problem& problem, const Communicator& /*ranks*/) {
  return std::make_unique<CudaTally>(problem);
}

Tally tally_on_gpu(Class size, Device gpu) { return TallyMachine(gpu).tally(size); }

}  // namespace bankfull::npb::ep
