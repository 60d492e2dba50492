#include "bankfull/workloads/convection/batch_averages.hpp"

#include "bankfull/core/base/error.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

namespace bankfull::convection {

bool is_sampled(std::int64_t step, double time, std::int64_t every, double from, double until) {
  return step > 0 && step % every == 0 && time > from && (until == 0.0 || time <= until);
}

double jackknife_error(const std::vector<double>& without) {
  const auto count = static_cast<double>(without.size());
  double mean = 0.0;
  for (const double value : without) {
    mean += value / count;
  }
  double squares = 0.0;
  for (const double value : without) {
    squares += (value - mean) * (value - mean);
  }
  return std::sqrt((count - 1.0) / count * squares);
}

void BatchAverages::add(double time, const std::vector<double>& values) {
  const double weight = time - last_;
  if (!(weight > 0.0)) {
    return;
  }
  if (batches_.empty() || batches_.back().samples == samples_per_batch_) {
    if (batches_.size() == max_batches) {
      merge_batches();
    }
    batches_.emplace_back();
  }
  Batch& batch = batches_.back();
  batch.sums.resize(values.size());
  for (std::size_t n = 0; n < values.size(); ++n) {
    batch.sums[n] += weight * values[n];
  }
  batch.weight += weight;
  ++batch.samples;
  ++samples_;
  last_ = time;
}

void BatchAverages::merge_batches() {
  for (std::size_t n = 0; n < max_batches / 2; ++n) {
    Batch merged = std::move(batches_[2 * n]);
    const Batch& next = batches_[2 * n + 1];
    std::transform(merged.sums.begin(), merged.sums.end(), next.sums.begin(), merged.sums.begin(),
                   std::plus<>());
    merged.weight += next.weight;
    merged.samples += next.samples;
    batches_[n] = std::move(merged);
  }
  batches_.resize(max_batches / 2);
  samples_per_batch_ *= 2;
}

std::int64_t BatchAverages::whole_batches() const {
  return std::ranges::count_if(
      batches_, [this](const Batch& batch) { return batch.samples == samples_per_batch_; });
}

std::vector<double> BatchAverages::averages_without(const Batch* left_out) const {
  std::vector<double> sums(batches_.front().sums.size());
  double weight = 0.0;
  for (const Batch& batch : batches_) {
    if (&batch != left_out) {
      weight += batch.weight;
      std::transform(sums.begin(), sums.end(), batch.sums.begin(), sums.begin(), std::plus<>());
    }
  }
  for (double& sum : sums) {
    sum /= weight;
  }
  return sums;
}

void BatchAverages::each_left_out(
    const std::function<void(const std::vector<double>&)>& body) const {
  if (whole_batches() < static_cast<std::int64_t>(min_batches)) {
    return;
  }
  for (const Batch& batch : batches_) {
    if (batch.samples == samples_per_batch_) {
      body(averages_without(&batch));
    }
  }
}

void BatchAverages::save(PackedNumbers& to) const {
  const auto add = [&to](double number) { to.add(number); };
  add(first_);
  add(last_);
  for (const std::int64_t count : {samples_, samples_per_batch_}) {
    add(static_cast<double>(count));
  }
  add(static_cast<double>(batches_.size()));
  for (const Batch& batch : batches_) {
    add(batch.weight);
    add(static_cast<double>(batch.samples));
    add(static_cast<double>(batch.sums.size()));
    for (const double sum : batch.sums) {
      add(sum);
    }
  }
}

void BatchAverages::restore(PackedNumbers& from) {
  first_ = from.take();
  last_ = from.take();
  samples_ = static_cast<std::int64_t>(from.take());
  samples_per_batch_ = static_cast<std::int64_t>(from.take());
  const double count = from.take();
  const bool possible = count >= 0.0 && count <= static_cast<double>(max_batches);
  if (!possible) {
    throw RuntimeFailure("the state of the run has no such statistics");
  }
  batches_.assign(static_cast<std::size_t>(count), {});
  for (Batch& batch : batches_) {
    batch.weight = from.take();
    batch.samples = static_cast<std::int64_t>(from.take());
    const auto sums = static_cast<std::size_t>(from.take());
    for (std::size_t n = 0; n < sums; ++n) {
      batch.sums.push_back(from.take());
    }
  }
}

}  // namespace bankfull::convection
