#include "bankfull/workloads/convection/run_spectra.hpp"

#include <algorithm>
#include <limits>
#include <numbers>

namespace bankfull::convection {
namespace {

std::string spectrum_in_state(const SpectrumRequest& request) { return "spectra/" + request.name; }

std::vector<SpectrumSampler> samplers_of(const Plan& plan, const SpectrumRequest& request) {
  const Grid& grid = plan.grid();
  SpectrumLines lines{.along = grid.storage(static_cast<int>(request.along)),
                      .across = grid.storage(static_cast<int>(request.across))};
  std::vector<SpectrumSampler> samplers;
  if (request.at.empty()) {
    samplers.emplace_back(plan, lines);
  }
  for (const double place : request.at) {
    lines.at = place;
    samplers.emplace_back(plan, lines);
  }
  return samplers;
}

/// Fields in the order of a file: along x, y, z, then scalars.
int field_of_column(const Grid& grid, int column) {
  return column < 3 ? grid.storage(column) : column;
}

}  // namespace

RunSpectra::RunSpectra(const Plan& plan, const std::vector<SpectrumRequest>& requests)
    : plan_(plan), requests_(requests) {
  begin(0.0);
}

void RunSpectra::begin(double time) {
  all_.clear();
  for (const SpectrumRequest& request : requests_) {
    all_.push_back(
        {&request, samplers_of(plan_, request), BatchAverages(std::max(time, request.from))});
  }
}

bool RunSpectra::due(std::int64_t step, double time) const {
  return std::ranges::any_of(
      requests_, [&](const SpectrumRequest& request) { return request.asks_for(step, time); });
}

std::int64_t RunSpectra::next_step(std::int64_t step) const {
  std::int64_t next = std::numeric_limits<std::int64_t>::max();
  for (const SpectrumRequest& request : requests_) {
    next = std::min(next, (step / request.every + 1) * request.every);
  }
  return next;
}

void RunSpectra::sample(std::int64_t step, double time, const Integrator& flow) {
  for (One& one : all_) {
    if (!one.request->asks_for(step, time)) {
      continue;
    }
    std::vector<double> values;
    for (const SpectrumSampler& sampler : one.samplers) {
      for (int column = 0; column < plan_.fields(); ++column) {
        const std::vector<double> found =
            sampler.sample(flow, field_of_column(plan_.grid(), column));
        values.insert(values.end(), found.begin(), found.end());
      }
    }
    one.averages.add(time, values);
  }
}

std::size_t RunSpectra::values_of_field(const One& one) const {
  return one.samplers.front().wavenumbers() + one.samplers.front().planes();
}

/// The variances of each field at the first place, then at the next.
std::vector<std::vector<double>> RunSpectra::variances(const One& one,
                                                       const std::vector<double>& averages) const {
  std::vector<std::vector<double>> found;
  const double* next = averages.data();
  for (const SpectrumSampler& sampler : one.samplers) {
    for (int column = 0; column < plan_.fields(); ++column) {
      found.push_back(sampler.variances(next, field_of_column(plan_.grid(), column)));
      next += values_of_field(one);
    }
  }
  return found;
}

Spectrum RunSpectra::spectrum_of(const One& one) const {
  const SpectrumRequest& request = *one.request;
  const Grid& grid = plan_.grid();
  Spectrum found{.request = &request,
                 .from = one.averages.first(),
                 .until = one.averages.last(),
                 .samples = one.averages.samples(),
                 .batches = one.averages.whole_batches(),
                 .wavenumbers = {},
                 .at = {}};
  const double length = grid.axis(grid.storage(static_cast<int>(request.along))).length();
  for (std::size_t k = 0; k < one.samplers.front().wavenumbers(); ++k) {
    found.wavenumbers.push_back(2.0 * std::numbers::pi * static_cast<double>(k) / length);
  }
  const std::vector<std::vector<double>> values = variances(one, one.averages.averages());
  std::vector<std::vector<std::vector<double>>> without;
  one.averages.each_left_out(
      [&](const std::vector<double>& averages) { without.push_back(variances(one, averages)); });
  const auto fields = static_cast<std::size_t>(plan_.fields());
  const int across = grid.storage(static_cast<int>(request.across));
  for (std::size_t n = 0; n < values.size(); ++n) {
    if (n % fields == 0) {
      found.at.emplace_back();
    }
    SpectrumAtPlace& at = found.at.back();
    const auto column = static_cast<int>(n % fields);
    const int field = field_of_column(grid, column);
    if (!request.at.empty()) {
      at.place = request.at[n / fields];
      const std::int64_t plane = nearest_plane(grid, field, across, at.place);
      at.places.push_back(place_of_plane(grid, field, across, plane));
    }
    const std::string name = name_of_field(plan_.problem(), grid, field);
    ProfileColumn& added = at.columns.emplace_back();
    added.name = name;
    added.unit = column < 3 ? "length^2/time^2" : name + "^2";
    added.values = values[n];
    for (std::size_t k = 0; k < values[n].size() && !without.empty(); ++k) {
      std::vector<double> others(without.size());
      std::ranges::transform(without, others.begin(), [&](const auto& all) { return all[n][k]; });
      added.errors.push_back(jackknife_error(others));
    }
  }
  return found;
}

std::vector<Spectrum> RunSpectra::spectra() const {
  std::vector<Spectrum> found;
  for (const One& one : all_) {
    if (!one.averages.empty()) {
      found.push_back(spectrum_of(one));
    }
  }
  return found;
}

/// Identifies what the sums are of, for a run that continues them, and the references of their
/// scalars.
std::vector<double> RunSpectra::identity(const SpectrumRequest& request) const {
  std::vector<double> numbers{static_cast<double>(request.along),
                              static_cast<double>(request.across),
                              request.from,
                              request.until,
                              static_cast<double>(request.every),
                              static_cast<double>(plan_.fields()),
                              static_cast<double>(request.at.size())};
  numbers.insert(numbers.end(), request.at.begin(), request.at.end());
  for (const Scalar& scalar : plan_.stepped().scalars) {
    numbers.push_back(scalar.reference);
  }
  return numbers;
}

void RunSpectra::save(StateWriter& to) const {
  for (const One& one : all_) {
    PackedNumbers numbers;
    for (const double number : identity(*one.request)) {
      numbers.add(number);
    }
    one.averages.save(numbers);
    to.numbers(spectrum_in_state(*one.request), numbers.values());
  }
}

void RunSpectra::restore(const StateReader& from) {
  for (One& one : all_) {
    const std::string name = spectrum_in_state(*one.request);
    if (!from.has(name)) {
      continue;
    }
    PackedNumbers numbers(from.numbers(name));
    const std::vector<double> own = identity(*one.request);
    if (std::ranges::all_of(own, [&](double number) { return numbers.take() == number; })) {
      one.averages.restore(numbers);
    }
  }
}

}  // namespace bankfull::convection
