#pragma once

#include "bankfull/workloads/convection/state.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

namespace bankfull::convection {

/// Whether the flow after this step belongs to a window in time that is sampled every so many
/// steps; until = 0: to the end of the run.
bool is_sampled(std::int64_t step, double time, std::int64_t every, double from, double until);

/// Averages in time of samples of many values. A sample stands for the time since the one before.
///
/// Samples go into batches that follow one another; when there are `max_batches`, neighbours are
/// merged. Errors are those of averages of independent batches, by the jackknife: the averages with
/// one batch left out, for every batch (M. H. Quenouille, Biometrika 43, 1956; B. Efron, SIAM CBMS
/// 38, 1982). Of what is linear in the averages that is the standard error by batch means.
class BatchAverages {
 public:
  static constexpr std::size_t max_batches = 32;
  static constexpr std::size_t min_batches = 10;  ///< that errors are told of

  /// `first`: the time from which samples may stand for.
  explicit BatchAverages(double first) : first_(first), last_(first) {}

  /// One that stands for no time is left out. All samples have as many values.
  void add(double time, const std::vector<double>& values);

  [[nodiscard]] bool empty() const { return samples_ == 0; }
  [[nodiscard]] double first() const { return first_; }
  [[nodiscard]] double last() const { return last_; }  ///< time of the last sample
  [[nodiscard]] std::int64_t samples() const { return samples_; }
  [[nodiscard]] std::int64_t whole_batches() const;

  /// The averages over all samples. There must be at least one.
  [[nodiscard]] std::vector<double> averages() const { return averages_without(nullptr); }

  /// The same with each whole batch left out in turn; none where there are too few for errors.
  void each_left_out(const std::function<void(const std::vector<double>&)>& body) const;

  void save(PackedNumbers& to) const;

  /// Throws RuntimeFailure where the numbers are no batches.
  void restore(PackedNumbers& from);

 private:
  struct Batch {
    double weight = 0.0;  ///< time
    std::int64_t samples = 0;
    std::vector<double> sums;  ///< values times time
  };

  [[nodiscard]] std::vector<double> averages_without(const Batch* left_out) const;
  void merge_batches();

  double first_;
  double last_;
  std::int64_t samples_ = 0;
  std::int64_t samples_per_batch_ = 1;
  std::vector<Batch> batches_;  ///< the last may be unfinished
};

/// The standard error of a quantity, of which `without` has what it is with each batch left out.
double jackknife_error(const std::vector<double>& without);

}  // namespace bankfull::convection
