#include "bankfull/workloads/npb/ep/ep.hpp"

#include <cmath>
#include <fmt/format.h>
#include <numeric>
#include <utility>

namespace bankfull::npb::ep {
namespace {

constexpr double tolerance = 1e-8;

class EpBenchmark final : public Benchmark {
 public:
  EpBenchmark(Class size, TallyOfClass tally, double fp64_instructions)
      : Benchmark(Kernel::ep, size),
        tally_(std::move(tally)),
        fp64_instructions_(fp64_instructions) {}

  void rewind() override { found_ = {}; }

  /// The smallest class: nothing of EP depends on its size.
  void warm_up() override { found_ = tally_(Class::s, Pauses()); }

  void run() override { found_ = tally_(size(), pauses()); }

  std::vector<Check> checks() override { return checks_of(found_, size()); }

  /// EP computes in registers.
  [[nodiscard]] Work work() const override { return {.model = "none: EP needs no memory"}; }

  [[nodiscard]] double fp64_instructions() const override { return fp64_instructions_; }

 private:
  TallyOfClass tally_;
  double fp64_instructions_;
  Tally found_;
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
    return npb_check(Kernel::ep, size, what, value, reference, deviation);
  };
  // NPB lets the number of pairs deviate like the sums. It is exact here.
  return {check("sum of |X|", tally.absolute_sums[0], ep.absolute_sums[0]),
          check("sum of |Y|", tally.absolute_sums[1], ep.absolute_sums[1]),
          check("number of pairs", static_cast<double>(tally.accepted()),
                static_cast<double>(ep.accepted), 0.0),
          check("sum of X", tally.sums[0], ep.sums[0]),
          check("sum of Y", tally.sums[1], ep.sums[1])};
}

std::unique_ptr<Benchmark> make_benchmark(Class size, TallyOfClass tally,
                                          double fp64_instructions) {
  return std::make_unique<EpBenchmark>(size, std::move(tally), fp64_instructions);
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

std::unique_ptr<Benchmark> make_reference(Class size) {
  return make_benchmark(size, tally_serially);
}

std::unique_ptr<Benchmark> make_cpu(const Problem& problem, const Communicator& ranks) {
  const auto tally = [&ranks, team = Team(problem.threads), epsilon = problem.perturbation](
                         Class size, const Pauses& pauses) {
    return tally_on_teams(size, team, ranks, epsilon, pauses);
  };
  return make_benchmark(problem.size, tally);
}

}  // namespace bankfull::npb::ep
