#include "bankfull/workloads/convection/profile_statistics.hpp"

#include "bankfull/workloads/convection/profile_table.hpp"

#include <algorithm>
#include <limits>

namespace bankfull::convection {
namespace {

/// Where the first of the three powers of each velocity stand among the sums: u_P, u_B, u_C.
constexpr std::array<std::size_t, 3> first_sums_of_velocities{0, 3, 6};

/// What scalars are stored less of changes when a run continues with other walls; sums stay as they
/// began.
void add_to_scalar(double by, std::int64_t planes, std::size_t first, std::vector<double>& values) {
  const auto count = static_cast<std::size_t>(planes);
  for (std::size_t n = 0; n < count; ++n) {
    double& mean = values[first + n];
    double& square = values[first + count + n];
    double& cube = values[first + 2 * count + n];
    cube += by * (3.0 * square + by * (3.0 * mean + by));
    square += by * (2.0 * mean + by);
    mean += by;
    const auto carry = [&](std::size_t sum, std::size_t velocity) {
      values[first + sum * count + n] +=
          by * values[first_sums_of_velocities[velocity] * count + n];
    };
    carry(sum_of_transport, 0);
    carry(sum_of_transport_within, 1);
    carry(sum_of_transport_within + 1, 2);
  }
}

}  // namespace

bool StatisticsRequest::asks_for(std::int64_t step, double time) const {
  return is_sampled(step, time, every, from, until);
}

ProfileAverages::ProfileAverages(const Plan& plan, const StatisticsRequest& request,
                                 std::size_t axis, double begin)
    : plan_(plan),
      request_(request),
      axis_(axis),
      storage_(plan.grid().storage(static_cast<int>(axis))),
      averages_(std::max(begin, request.from)) {
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
      add_to_scalar(by, sample.planes, static_cast<std::size_t>(sums_before(s)) * planes, values);
      const std::size_t ends = sample.means.size() + 2 * (2 + n);
      values[ends] += by;
      values[ends + 1] += by;
    }
  }
  return values;
}

void ProfileAverages::add(double time, const ProfileSample& sample) {
  averages_.add(time, values_of(sample));
}

Profile ProfileAverages::profile() const {
  Profile found{.window = request_.name,
                .axis = axis_,
                .from = averages_.first(),
                .until = averages_.last(),
                .samples = averages_.samples(),
                .batches = averages_.whole_batches(),
                .tables = profile_tables(plan_, storage_, averages_.averages(), references_)};
  std::vector<std::array<ProfileTable, 2>> without;
  averages_.each_left_out([&](const std::vector<double>& averages) {
    without.push_back(profile_tables(plan_, storage_, averages, references_));
  });
  if (without.empty()) {
    return found;
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

/// Identifies what the sums are of, for a run that continues them.
std::vector<double> ProfileAverages::identity() const {
  return {request_.from, request_.until, static_cast<double>(request_.every),
          static_cast<double>(sums_of(plan_)),
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
  averages_.save(numbers);
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
  averages_.restore(numbers);
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
