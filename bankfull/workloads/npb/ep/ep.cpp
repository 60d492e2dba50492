#include "bankfull/workloads/npb/ep/ep.hpp"

#include "bankfull/build_config.hpp"

#include <cmath>
#include <fmt/format.h>
#include <numeric>

namespace bankfull::npb::ep {
namespace {

constexpr double tolerance = 1e-8;

class EpBenchmark final : public Benchmark {
 public:
  EpBenchmark(const Problem& problem, const Communicator& ranks)
      : Benchmark(Kernel::ep, problem.size),
        problem_(problem),
        ranks_(&ranks),
        team_(problem.threads) {}

  void rewind() override { tally_ = {}; }

  /// The smallest class: nothing of EP depends on its size.
  void warm_up() override { tally_ = tally(Class::s); }

  void run() override { tally_ = tally(problem_.size); }

  std::vector<Check> checks() override { return checks_of(tally_, problem_.size); }

  /// EP computes in registers.
  [[nodiscard]] Work work() const override { return {.model = "none: EP needs no memory"}; }

 private:
  [[nodiscard]] Tally tally(Class size) const {
    return problem_.schedule == Schedule::reference
               ? tally_serially(size)
               : tally_on_teams(size, team_, *ranks_, problem_.perturbation);
  }

  Problem problem_;
  const Communicator* ranks_;
  Team team_;
  Tally tally_;
};

}  // namespace

std::int64_t Tally::accepted() const {
  return std::accumulate(counts.begin(), counts.end(), std::int64_t{0});
}

Tally operator+(const Tally& a, const Tally& b) {
  Tally sum = a;
  for (std::size_t n = 0; n < 2; ++n) {
    sum.sums[n] += b.sums[n];
    sum.absolute_sums[n] += b.absolute_sums[n];
  }
  for (std::size_t l = 0; l < bins; ++l) {
    sum.counts[l] += b.counts[l];
  }
  return sum;
}

std::vector<Check> checks_of(const Tally& tally, Class size) {
  const EpParameters& ep = ep_parameters(size);
  const auto check = [&](const std::string& what, double value, double reference,
                         double deviation = tolerance) {
    return Check{.name = fmt::format("npb ep {} {}", to_string(size), what),
                 .value = value,
                 .reference = reference,
                 .tolerance = deviation,
                 .source = npb_source};
  };
  // NPB lets the number of pairs deviate like the sums. It is exact here.
  return {check("sum of |X|", tally.absolute_sums[0], ep.absolute_sums[0]),
          check("sum of |Y|", tally.absolute_sums[1], ep.absolute_sums[1]),
          check("number of pairs", static_cast<double>(tally.accepted()),
                static_cast<double>(ep.accepted), 0.0),
          check("sum of X", tally.sums[0], ep.sums[0]),
          check("sum of Y", tally.sums[1], ep.sums[1])};
}

Facts facts_of(const Problem& problem) {
  const int log2_numbers = ep_parameters(problem.size).log2_pairs + 1;
  const double numbers = std::ldexp(1.0, log2_numbers);
  return {.size = fmt::format("{:.0f}", numbers),
          .iterations = 0,
          .operations = numbers,
          .operation = "Random numbers generated"};
}

WorkBytes work_bytes(const Problem& /*problem*/, int /*ranks*/) {
  return {.device = std::int64_t{1} << 20};
}

std::string refusal_of_ranks(const Problem& /*problem*/, int /*ranks*/) { return ""; }

std::unique_ptr<Benchmark> make(const Problem& problem, const Communicator& ranks) {
  if constexpr (build::cuda) {
    if (problem.device.is_cuda()) {
      return make_cuda(problem, ranks);
    }
  }
  return std::make_unique<EpBenchmark>(problem, ranks);
}

}  // namespace bankfull::npb::ep
