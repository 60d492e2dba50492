#include "bankfull/workloads/convection/profile_statistics.hpp"

#include "bankfull/core/base/error.hpp"
#include "bankfull/workloads/convection/profile_table.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace bankfull::convection {
namespace {

/// What scalars are stored less of changes when a run goes on with other walls; sums stay as they
/// began.
void add_to_scalar(double by, std::int64_t planes, std::size_t velocity, std::size_t first,
                   std::vector<double>& values) {
  const auto count = static_cast<std::size_t>(planes);
  for (std::size_t n = 0; n < count; ++n) {
    double& mean = values[first + n];
    double& square = values[first + count + n];
    double& cube = values[first + 2 * count + n];
    cube += by * (3.0 * square + by * (3.0 * mean + by));
    square += by * (2.0 * mean + by);
    mean += by;
    values[first + sum_of_transport * count + n] += by * values[velocity + n];
  }
}

/// The standard error of averages by leaving out one batch at a time (M. H. Quenouille, Biometrika
/// 43, 1956; B. Efron, SIAM CBMS 38, 1982).
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

}  // namespace

bool StatisticsRequest::asks_for(std::int64_t step, double time) const {
  return step > 0 && step % every == 0 && time > from && (until == 0.0 || time <= until);
}

ProfileAverages::ProfileAverages(const Plan& plan, const StatisticsRequest& request,
                                 std::size_t axis, double begin)
    : plan_(plan),
      request_(request),
      axis_(axis),
      storage_(plan.grid().storage(static_cast<int>(axis))),
      first_(std::max(begin, request.from)),
      last_(first_) {
  for (const Scalar& scalar : plan.stepped().scalars) {
    references_.push_back(scalar.reference);
  }
}

std::vector<double> ProfileAverages::values_of(const ProfileSample& sample) const {
  std::vector<double> values = sample.means;
  values.insert(values.end(), sample.beyond.begin(), sample.beyond.end());
  for (int s = 0; s < plan_.fields() - 3; ++s) {
    const auto n = static_cast<std::size_t>(s);
    const double by = plan_.stepped().scalars[n].reference - references_[n];
    if (by != 0.0) {
      const auto planes = static_cast<std::size_t>(sample.planes);
      add_to_scalar(by, sample.planes, 0, static_cast<std::size_t>(sums_before(s)) * planes,
                    values);
      const std::size_t ends = sample.means.size() + 2 * (2 + n);
      values[ends] += by;
      values[ends + 1] += by;
    }
  }
  return values;
}

void ProfileAverages::add(double time, const ProfileSample& sample) {
  const double weight = time - last_;
  if (!(weight > 0.0)) {
    return;
  }
  if (batches_.empty() || batches_.back().samples == samples_a_batch_) {
    if (batches_.size() == most_batches) {
      merge_batches();
    }
    batches_.emplace_back();
  }
  Batch& batch = batches_.back();
  const std::vector<double> values = values_of(sample);
  batch.sums.resize(values.size());
  for (std::size_t n = 0; n < values.size(); ++n) {
    batch.sums[n] += weight * values[n];
  }
  batch.weight += weight;
  ++batch.samples;
  ++samples_;
  last_ = time;
}

void ProfileAverages::merge_batches() {
  for (std::size_t n = 0; n < most_batches / 2; ++n) {
    Batch merged = std::move(batches_[2 * n]);
    const Batch& next = batches_[2 * n + 1];
    std::transform(merged.sums.begin(), merged.sums.end(), next.sums.begin(), merged.sums.begin(),
                   std::plus<>());
    merged.weight += next.weight;
    merged.samples += next.samples;
    batches_[n] = std::move(merged);
  }
  batches_.resize(most_batches / 2);
  samples_a_batch_ *= 2;
}

std::vector<double> ProfileAverages::averages(const Batch* without) const {
  std::vector<double> sums(batches_.front().sums.size());
  double weight = 0.0;
  for (const Batch& batch : batches_) {
    if (&batch != without) {
      weight += batch.weight;
      std::transform(sums.begin(), sums.end(), batch.sums.begin(), sums.begin(), std::plus<>());
    }
  }
  for (double& sum : sums) {
    sum /= weight;
  }
  return sums;
}

Profile ProfileAverages::profile() const {
  Profile found{.window = request_.name,
                .axis = axis_,
                .from = first_,
                .until = last_,
                .samples = samples_,
                .batches = 0,
                .tables = profile_tables(plan_, storage_, averages(nullptr), references_)};
  std::vector<std::array<ProfileTable, 2>> without;
  for (const Batch& batch : batches_) {
    if (batch.samples == samples_a_batch_) {
      ++found.batches;
    }
  }
  if (found.batches < static_cast<std::int64_t>(least_batches)) {
    return found;
  }
  for (const Batch& batch : batches_) {
    if (batch.samples == samples_a_batch_) {
      without.push_back(profile_tables(plan_, storage_, averages(&batch), references_));
    }
  }
  for (std::size_t t = 0; t < found.tables.size(); ++t) {
    for (std::size_t c = 0; c < found.tables[t].columns.size(); ++c) {
      ProfileColumn& column = found.tables[t].columns[c];
      for (std::size_t n = 0; n < column.values.size(); ++n) {
        std::vector<double> values(without.size());
        std::ranges::transform(without, values.begin(),
                               [&](const auto& tables) { return tables[t].columns[c].values[n]; });
        column.errors.push_back(jackknife_error(values));
      }
    }
  }
  return found;
}

std::string ProfileAverages::name_in_state() const {
  return "statistics/" + request_.name + "/" + axis_names[axis_];
}

/// Of what sums that go on were asked for.
std::vector<double> ProfileAverages::identity() const {
  return {request_.from, request_.until, static_cast<double>(request_.every),
          static_cast<double>(plan_.fields()),
          static_cast<double>(plan_.grid().axis(storage_).count())};
}

void ProfileAverages::save(StateWriter& to) const {
  PackedNumbers numbers;
  const auto add = [&](double number) { numbers.add(number); };
  for (const double number : identity()) {
    add(number);
  }
  for (const double reference : references_) {
    add(reference);
  }
  add(first_);
  add(last_);
  for (const std::int64_t count : {samples_, samples_a_batch_}) {
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
  to.numbers(name_in_state(), numbers.values());
}

void ProfileAverages::restore(const StateReader& from) {
  if (!from.has(name_in_state())) {
    return;
  }
  PackedNumbers numbers(from.numbers(name_in_state()));
  for (const double own : identity()) {
    if (numbers.take() != own) {
      return;
    }
  }
  for (double& reference : references_) {
    reference = numbers.take();
  }
  first_ = numbers.take();
  last_ = numbers.take();
  samples_ = static_cast<std::int64_t>(numbers.take());
  samples_a_batch_ = static_cast<std::int64_t>(numbers.take());
  const double count = numbers.take();
  const bool possible = count >= 0.0 && count <= static_cast<double>(most_batches);
  if (!possible) {
    throw RuntimeFailure("the state of the run has no such statistics");
  }
  batches_.assign(static_cast<std::size_t>(count), {});
  for (Batch& batch : batches_) {
    batch.weight = numbers.take();
    batch.samples = static_cast<std::int64_t>(numbers.take());
    const auto sums = static_cast<std::size_t>(numbers.take());
    for (std::size_t n = 0; n < sums; ++n) {
      batch.sums.push_back(numbers.take());
    }
  }
}

RunStatistics::RunStatistics(const Plan& plan, const std::vector<StatisticsRequest>& requests)
    : plan_(plan), requests_(requests) {
  begin(0.0);
}

void RunStatistics::begin(double time) {
  windows_.clear();
  for (const StatisticsRequest& request : requests_) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      if (request.along[axis]) {
        windows_.push_back({&request, axis, ProfileAverages(plan_, request, axis, time)});
      }
    }
  }
}

bool RunStatistics::due(std::int64_t step, double time) const {
  return std::ranges::any_of(
      requests_, [&](const StatisticsRequest& request) { return request.asks_for(step, time); });
}

std::int64_t RunStatistics::next_step(std::int64_t step) const {
  std::int64_t next = std::numeric_limits<std::int64_t>::max();
  for (const StatisticsRequest& request : requests_) {
    next = std::min(next, (step / request.every + 1) * request.every);
  }
  return next;
}

void RunStatistics::sample(std::int64_t step, double time, Integrator& flow) {
  std::array<std::optional<ProfileSample>, 3> samples;
  for (Window& window : windows_) {
    if (!window.request->asks_for(step, time)) {
      continue;
    }
    std::optional<ProfileSample>& sample = samples[window.axis];
    if (!sample) {
      sample = flow.sample(plan_.grid().storage(static_cast<int>(window.axis)));
    }
    window.averages.add(time, *sample);
  }
}

std::vector<Profile> RunStatistics::profiles() const {
  std::vector<Profile> all;
  for (const Window& window : windows_) {
    if (!window.averages.empty()) {
      all.push_back(window.averages.profile());
    }
  }
  return all;
}

void RunStatistics::save(StateWriter& to) const {
  for (const Window& window : windows_) {
    window.averages.save(to);
  }
}

void RunStatistics::restore(const StateReader& from) {
  for (Window& window : windows_) {
    window.averages.restore(from);
  }
}

}  // namespace bankfull::convection
