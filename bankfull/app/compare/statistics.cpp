#include "bankfull/app/compare/statistics.hpp"

#include "bankfull/core/base/expects.hpp"
#include "bankfull/numerics/random/counter.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace bankfull::compare {
namespace {

constexpr int resamples = 2000;
constexpr double outside_each_end = 0.025;  // of 95 %

/// The median by partial sorting, in place: millions of them are taken.
double median_in_place(Times& values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) {
    return *middle;
  }
  return 0.5 * (*middle + *std::max_element(values.begin(), middle));
}

/// Draws with replacement.
class Draws {
 public:
  /// An index below `count`.
  std::size_t below(std::size_t count) {
    constexpr int half = 32;
    const std::uint64_t bits = random_bits(seed, next_++) >> half;
    return static_cast<std::size_t>((bits * count) >> half);
  }

 private:
  static constexpr std::uint64_t seed = 0x62616e6b66756c6cULL;  // "bankfull"
  std::uint64_t next_ = 0;
};

/// The median over runs of runs and samples that are drawn anew.
class Resampler {
 public:
  explicit Resampler(const std::vector<Times>& runs) : runs_(&runs), medians_(runs.size()) {}

  double operator()(Draws& draws) {
    for (double& median : medians_) {
      const Times& run = (*runs_)[draws.below(runs_->size())];
      drawn_.resize(run.size());
      std::generate(drawn_.begin(), drawn_.end(), [&] { return run[draws.below(run.size())]; });
      median = median_in_place(drawn_);
    }
    return median_in_place(medians_);
  }

 private:
  const std::vector<Times>* runs_;
  Times medians_;
  Times drawn_;
};

std::size_t samples_of(const std::vector<Times>& runs) {
  std::size_t count = 0;
  for (const Times& run : runs) {
    count += run.size();
  }
  return count;
}

Interval bootstrap(const std::vector<Times>& old_runs, const std::vector<Times>& new_runs) {
  Draws draws;
  Resampler old_median(old_runs);
  Resampler new_median(new_runs);
  std::vector<double> ratios(resamples);
  for (double& ratio : ratios) {
    const double before = old_median(draws);
    ratio = before / new_median(draws);
  }
  std::sort(ratios.begin(), ratios.end());
  const auto outside = static_cast<std::size_t>(outside_each_end * resamples);
  return {.low = ratios[outside], .high = ratios[resamples - 1 - outside]};
}

}  // namespace

double median_over_runs(const std::vector<Times>& runs) {
  expects(!runs.empty(), "a median is of something");
  Times medians;
  for (Times run : runs) {
    expects(!run.empty(), "a run has samples");
    medians.push_back(median_in_place(run));
  }
  return median_in_place(medians);
}

SpeedRatio speed_ratio(const std::vector<Times>& old_runs, const std::vector<Times>& new_runs) {
  SpeedRatio ratio{.value = median_over_runs(old_runs) / median_over_runs(new_runs)};
  if (std::min(samples_of(old_runs), samples_of(new_runs)) >= fewest_samples) {
    ratio.interval = bootstrap(old_runs, new_runs);
  }
  return ratio;
}

}  // namespace bankfull::compare
