#include "bankfull/core/base/error.hpp"
#include "tests/workloads/convection/kept_state.hpp"
#include "tests/workloads/convection/profile_samples.hpp"
#include "tests/workloads/convection/spectra_of_cases.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <memory>
#include <numbers>
#include <numeric>

namespace bankfull::convection {
namespace {

class SpectrumCase : public testing::TestWithParam<Case> {};

INSTANTIATE_TEST_SUITE_P(Cases, SpectrumCase, testing::ValuesIn(all_cases()), case_name);

double sum_of(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0);
}

/// Where the sums of a field's powers begin in a sample across an axis.
int first_power_of(int field, int axis) {
  return field < 3 ? 3 * ((field - axis + 3) % 3) : sums_before(field - 3);
}

double variance_in_plane(const ProfileSample& sample, int field, int axis, std::int64_t plane) {
  const int first = first_power_of(field, axis);
  const double mean = sample.mean(first, plane);
  return sample.mean(first + 1, plane) - mean * mean;
}

/// Parseval: all wavenumbers together have the variance of the profile, which is summed up
/// otherwise; in each plane, and in the box.
TEST_P(SpectrumCase, AddsUpToTheVariancesOfTheProfiles) {
  const Problem& problem = GetParam().problem;
  const std::unique_ptr<Integrator> flow = make_integrator(Plan(problem));
  flow->load(initial_state(problem, Grid(problem.axes)));
  const Grid& grid = flow->plan().grid();
  const AxisParts parts(grid);
  for (SpectrumLines lines : spectra_to_find(grid)) {
    const ProfileSample profile = flow->sample(lines.across);
    for (int field = 0; field < flow->plan().fields(); ++field) {
      if (!lines.at) {
        const SpectrumSampler sampler(flow->plan(), lines);
        const auto across = static_cast<std::size_t>(lines.across);
        const std::vector<double>& widths =
            field == lines.across ? parts.faces[across] : parts.cells[across];
        double variance = 0.0;
        for (std::int64_t plane = 0; plane < profile.planes; ++plane) {
          variance += widths[static_cast<std::size_t>(plane)] *
                      variance_in_plane(profile, field, lines.across, plane);
        }
        const std::vector<double> found = sampler.sample(*flow, field);
        EXPECT_NEAR(sum_of(sampler.variances(found.data(), field)), variance, 1e-13);
        continue;
      }
      for (std::int64_t plane = 0; plane < profile.planes; ++plane) {
        lines.at = place_of_plane(grid, field, lines.across, plane);
        ASSERT_EQ(nearest_plane(grid, field, lines.across, *lines.at), plane);
        const SpectrumSampler sampler(flow->plan(), lines);
        const std::vector<double> found = sampler.sample(*flow, field);
        ASSERT_NEAR(sum_of(sampler.variances(found.data(), field)),
                    variance_in_plane(profile, field, lines.across, plane), 1e-13)
            << "field " << field << " in plane " << plane << " across " << lines.across;
      }
    }
  }
}

TEST_P(SpectrumCase, IsThatOfTheReferenceWithAnyTeam) {
  const std::vector<std::vector<double>> expected =
      spectra_after_a_step(by_reference(GetParam().problem));
  Problem tuned = GetParam().problem;
  tuned.threads = 2;
  const std::vector<std::vector<double>> found = spectra_after_a_step(tuned);
  tuned.host_threads = 3;
  EXPECT_EQ(spectra_after_a_step(tuned), found);
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t n = 0; n < found.size(); ++n) {
    const double size = largest_of(expected[n], 0.05);
    ASSERT_EQ(found[n].size(), expected[n].size());
    for (std::size_t k = 0; k < found[n].size(); ++k) {
      ASSERT_NEAR(found[n][k], expected[n][k], 1e-11 * size) << "spectrum " << n << " at " << k;
    }
  }
}

/// Cells of a box whose spectra are along x or y: one number is odd, and no length is the other's.
Problem layer_of_waves() {
  Problem problem;
  problem.axes[0] = {.lower = -1.0, .upper = 2.0, .cells = 15, .periodic = true};
  problem.axes[1] = {.lower = 0.0, .upper = 0.5, .cells = 8, .periodic = true};
  problem.axes[2] = {.lower = 0.0, .upper = 1.0, .cells = 6, .stretching = 1.2};
  problem.scalars.emplace_back();
  problem.scalars[0].diffusivity = 0.1;
  problem.scalars[0].initial = [](double x, double y, double z) {
    const double turn = 2.0 * std::numbers::pi;
    return 300.0 + z + 0.8 * std::sin(turn * 4.0 * x / 3.0) +
           0.6 * std::cos(turn * 3.0 * y / 0.5) * std::sin(turn * x / 3.0);
  };
  problem.time_step.fixed = 1e-4;
  problem.steps = 1;
  return problem;
}

std::unique_ptr<Integrator> flow_in_layer(const Problem& problem) {
  std::unique_ptr<Integrator> flow = make_integrator(Plan(problem));
  flow->load(initial_state(problem, Grid(problem.axes)));
  return flow;
}

const ProfileColumn& column_of(const SpectrumAtPlace& at, const std::string& name) {
  for (const ProfileColumn& column : at.columns) {
    if (column.name == name) {
      return column;
    }
  }
  throw RuntimeFailure("no column " + name);
}

TEST(RunSpectra, FindWavesAtTheirWavenumbers) {
  const std::unique_ptr<Integrator> flow = flow_in_layer(layer_of_waves());
  const std::vector<SpectrumRequest> requests{
      {.name = "x", .along = 0, .across = 2, .at = {0.1, 0.9}, .every = 1},
      {.name = "y", .along = 1, .across = 0, .every = 1}};
  RunSpectra spectra(flow->plan(), requests);
  EXPECT_TRUE(spectra.spectra().empty());
  spectra.sample(1, 0.5, *flow);
  const std::vector<Spectrum> found = spectra.spectra();
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].wavenumbers.size(), 8U);
  EXPECT_NEAR(found[0].wavenumbers[4], 2.0 * std::numbers::pi * 4.0 / 3.0, 1e-14);
  ASSERT_EQ(found[0].at.size(), 2U);
  for (const SpectrumAtPlace& at : found[0].at) {
    const std::vector<double>& values = column_of(at, "temperature").values;
    for (std::size_t k = 0; k < values.size(); ++k) {
      EXPECT_NEAR(values[k], k == 4 ? 0.32 : k == 1 ? 0.09 : 0.0, 1e-12) << k;
    }
  }
  EXPECT_EQ(found[0].at[1].place, 0.9);
  EXPECT_EQ(found[0].at[1].places[2],
            flow->plan().grid().axis(flow->plan().grid().storage(2)).faces[5])
      << "w on the face nearest to 0.9";
  // Across x of the box: what varies with z and x alone has no waves along y.
  ASSERT_EQ(found[1].at.size(), 1U);
  const std::vector<double>& along_y = column_of(found[1].at[0], "temperature").values;
  EXPECT_NEAR(along_y[3], 0.09, 1e-12);
  for (const std::size_t k : {std::size_t{1}, std::size_t{2}, std::size_t{4}}) {
    EXPECT_NEAR(along_y[k], 0.0, 1e-12) << k;
  }
  EXPECT_TRUE(found[1].at[0].places.empty());
}

/// A wave that grows: its part is the mean over time of its square, by the time of each sample.
TEST(RunSpectra, WeighSamplesByTimeAndEstimateErrors) {
  const std::vector<SpectrumRequest> requests{
      {.name = "x", .along = 0, .across = 2, .from = 1.0, .until = 40.0, .every = 2}};
  const Plan plan(layer_of_waves());
  RunSpectra spectra(plan, requests);
  EXPECT_FALSE(spectra.due(3, 2.0));
  EXPECT_FALSE(spectra.due(4, 1.0));
  EXPECT_TRUE(spectra.due(4, 1.5));
  EXPECT_EQ(spectra.next_step(4), 6);
  double sum = 0.0;
  double time = 1.0;
  for (std::int64_t step = 2; step <= 40; step += 2) {
    Problem problem = layer_of_waves();
    const double amplitude = 0.1 * static_cast<double>(step);
    problem.scalars[0].initial = [amplitude](double x, double /*y*/, double /*z*/) {
      return amplitude * std::cos(2.0 * std::numbers::pi * 2.0 * x / 3.0);
    };
    const double next = 1.0 + 0.05 * static_cast<double>(step) * static_cast<double>(step) / 2.0;
    if (next > 40.0) {
      EXPECT_FALSE(spectra.due(step, next));
      continue;
    }
    sum += (next - time) * 0.5 * amplitude * amplitude;
    time = next;
    spectra.sample(step, next, *flow_in_layer(problem));
  }
  const Spectrum found = spectra.spectra().front();
  const ProfileColumn& wave = column_of(found.at[0], "temperature");
  EXPECT_NEAR(wave.values[2], sum / (time - 1.0), 1e-12);
  EXPECT_EQ(found.from, 1.0);
  EXPECT_EQ(found.until, time);
  EXPECT_EQ(found.samples, found.batches);
  ASSERT_EQ(wave.errors.size(), wave.values.size());
  EXPECT_GT(wave.errors[2], 0.0);
  EXPECT_NEAR(wave.errors[1], 0.0, 1e-15);
}

TEST(RunSpectra, ContinueFromWhereTheyWereSaved) {
  const std::unique_ptr<Integrator> flow = flow_in_layer(layer_of_waves());
  std::vector<SpectrumRequest> requests{
      {.name = "a", .along = 0, .across = 2, .at = {0.5}, .every = 1},
      {.name = "b", .along = 1, .across = 2, .every = 1}};
  RunSpectra whole(flow->plan(), requests);
  RunSpectra first(flow->plan(), requests);
  for (std::int64_t step = 1; step <= 40; ++step) {
    const double time = 0.1 * static_cast<double>(step);
    whole.sample(step, time, *flow);
    if (step <= 35) {
      first.sample(step, time, *flow);
    }
  }
  KeptState state;
  first.save(state);
  RunSpectra second(flow->plan(), requests);
  second.begin(3.5);
  second.restore(state);
  for (std::int64_t step = 36; step <= 40; ++step) {
    second.sample(step, 0.1 * static_cast<double>(step), *flow);
  }
  KeptState of_whole;
  KeptState of_second;
  whole.save(of_whole);
  second.save(of_second);
  EXPECT_TRUE(of_second == of_whole);
  requests[0].at = {0.6};
  RunSpectra changed(flow->plan(), requests);
  changed.begin(3.5);
  changed.restore(state);
  EXPECT_EQ(changed.spectra().size(), 1U) << "asked for elsewhere: it begins anew";
}

}  // namespace
}  // namespace bankfull::convection
