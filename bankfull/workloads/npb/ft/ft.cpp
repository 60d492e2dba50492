#include "bankfull/workloads/npb/ft/ft.hpp"

#include "bankfull/workloads/npb/ft/cuda/plan.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <fmt/format.h>
#include <numbers>

namespace bankfull::npb::ft {
namespace {

constexpr double tolerance = 1e-12;

}  // namespace

std::vector<double> decay(std::int64_t n, int t, double scale) {
  constexpr double pi = std::numbers::pi;
  std::vector<double> factors(static_cast<std::size_t>(n));
  for (std::int64_t i = 0; i < n; ++i) {
    const auto k = static_cast<double>(frequency(i, n));
    factors[static_cast<std::size_t>(i)] = scale * std::exp(-4.0 * alpha * pi * pi * k * k * t);
  }
  return factors;
}

std::vector<Complex> checksums_of(const std::vector<std::vector<Complex>>& sums_of_ranks,
                                  int iterations, std::int64_t points) {
  std::vector<Complex> checksums;
  for (int t = 0; t < iterations; ++t) {
    Complex sum = 0.0;
    for (const std::vector<Complex>& sums : sums_of_ranks) {
      const std::size_t count = sums.size() / static_cast<std::size_t>(iterations);
      for (std::size_t n = 0; n < count; ++n) {
        sum += sums[static_cast<std::size_t>(t) * count + n];
      }
    }
    checksums.push_back(sum / static_cast<double>(points));
  }
  return checksums;
}

std::vector<Check> checks_of(const std::vector<Complex>& checksums, Class size) {
  const auto references = ft_checksums(size);
  // Too few checksums, or one that is not a number, deviate without bound.
  double worst = checksums.size() == references.size() ? 0.0 : HUGE_VAL;
  for (std::size_t t = 0; t < std::min(checksums.size(), references.size()); ++t) {
    const double deviation = std::abs((checksums[t] - references[t]) / references[t]);
    worst = std::isnan(deviation) ? HUGE_VAL : std::max(worst, deviation);
  }
  return {npb_check(Kernel::ft, size, "largest deviation of a checksum, relative", worst, 0.0,
                    tolerance)};
}

Facts facts_of(const Problem& problem) {
  const FtParameters& ft = ft_parameters(problem.size);
  const auto points = static_cast<double>(ft.points());
  const double logarithm = std::log(points);
  return {.size = fmt::format("{}x{}x{}", ft.nx, ft.ny, ft.nz),
          .iterations = ft.iterations,
          .operations = points * (14.8157 + 7.19641 * logarithm +
                                  (5.23518 + 7.21113 * logarithm) * ft.iterations),
          .operation = "floating point"};
}

WorkBytes work_bytes(const Problem& problem, int ranks) {
  const FtParameters& ft = ft_parameters(problem.size);
  const std::int64_t fields = 2 * ft.points() / ranks * static_cast<std::int64_t>(sizeof(Complex));
  if (problem.device.is_cuda()) {
    return {.device = cuda::plan_of(ft, ranks).bytes(), .working_set = fields};
  }
  if (problem.schedule == Schedule::reference) {
    return {.device = fields};
  }
  return {.device = cpu_memory_bytes(problem.size, problem.threads, ranks), .working_set = fields};
}

std::string refusal_of_ranks(const Problem& problem, int ranks) {
  const FtParameters& ft = ft_parameters(problem.size);
  if (problem.device.is_cuda()) {
    const int most = cuda::max_ranks(ft);
    return std::has_single_bit(static_cast<unsigned>(ranks)) && ranks <= most
               ? ""
               : fmt::format("runs on powers of two up to {} on GPUs", most);
  }
  const std::int64_t most = std::min(ft.ny, ft.nz);
  return ranks <= most ? ""
                       : fmt::format("has {} planes to share, one for each rank at least", most);
}

}  // namespace bankfull::npb::ft
