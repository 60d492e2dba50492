#include "bankfull/core/base/error.hpp"
#include "bankfull/workloads/convection/profile_statistics.hpp"
#include "bankfull/workloads/convection/profile_table.hpp"
#include "tests/workloads/convection/kept_state.hpp"
#include "tests/workloads/convection/profile_samples.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <memory>
#include <numbers>
#include <numeric>

namespace bankfull::convection {
namespace {

class ProfileCase : public testing::TestWithParam<Case> {};

INSTANTIATE_TEST_SUITE_P(Cases, ProfileCase, testing::ValuesIn(all_cases()), case_name);

TEST_P(ProfileCase, AgreesWithTheReference) {
  const std::vector<ProfileSample> expected = samples_of(by_reference(GetParam().problem));
  Problem tuned = GetParam().problem;
  tuned.threads = 2;
  expect_same_samples(samples_of(tuned), expected, 1e-11);
  tuned.precision = Precision::fp32;
  tuned.divergence = 1e-4;
  expect_same_samples(samples_of(tuned), expected, 1e-4);
}

TEST_P(ProfileCase, DoesNotDependOnTheThreads) {
  Problem problem = GetParam().problem;
  const std::vector<ProfileSample> one = samples_of(problem);
  problem.threads = 3;
  const std::vector<ProfileSample> three = samples_of(problem);
  for (std::size_t axis = 0; axis < 3; ++axis) {
    EXPECT_EQ(three[axis].means, one[axis].means);
  }
}

const ProfileColumn& column_of(const Profile& profile, const std::string& name) {
  for (const ProfileTable& table : profile.tables) {
    for (const ProfileColumn& one : table.columns) {
      if (one.name == name) {
        return one;
      }
    }
  }
  throw RuntimeFailure("no column " + name);
}

/// The profile of the flow as it is: averages of one sample.
Profile profile_now(Integrator& flow, std::size_t axis) {
  const StatisticsRequest request{.name = "", .along = {true, true, true}, .every = 1};
  ProfileAverages averages(flow.plan(), request, axis, 0.0);
  averages.add(1.0, flow.sample(flow.plan().grid().storage(static_cast<int>(axis))));
  return averages.profile();
}

double mean_over(const std::vector<double>& values, const std::vector<double>& weights) {
  return std::inner_product(values.begin(), values.end(), weights.begin(), 0.0) /
         std::accumulate(weights.begin(), weights.end(), 0.0);
}

/// Profiles of dissipation are those of the budgets: their means are what these take.
TEST_P(ProfileCase, SumsUpToTheBudgets) {
  const Problem& problem = GetParam().problem;
  const std::unique_ptr<Integrator> flow = make_integrator(Plan(problem));
  flow->load(initial_state(problem, Grid(problem.axes)));
  const Diagnosis all = flow->diagnose();
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const Profile profile = profile_now(*flow, axis);
    const std::vector<double>& widths = column_of(profile, "width").values;
    EXPECT_NEAR(mean_over(column_of(profile, "dissipation").values, widths), all.dissipation,
                1e-12 * all.dissipation);
    for (std::size_t s = 0; s < all.scalars.size(); ++s) {
      const std::string& name = problem.scalars[s].name;
      const Diagnosis::OfScalar& scalar = all.scalars[s];
      EXPECT_NEAR(mean_over(column_of(profile, name + "_dissipation").values, widths),
                  scalar.dissipation, 1e-12 * scalar.dissipation);
      EXPECT_NEAR(mean_over(column_of(profile, name + "_mean").values, widths), scalar.mean, 1e-13);
      if (!problem.axes[axis].periodic) {
        const std::vector<double>& flux = column_of(profile, name + "_diffusive_flux").values;
        const double size = std::max(1.0, std::abs(scalar.inflow[axis][0]));
        EXPECT_NEAR(flux.front(), scalar.inflow[axis][0], 1e-12 * size);
        EXPECT_NEAR(flux.back(), -scalar.inflow[axis][1],
                    1e-12 * std::max(1.0, std::abs(scalar.inflow[axis][1])));
      }
    }
  }
}

/// A box of stretched cells at rest, with a scalar of the place.
Problem prescribed(const PointFunction& scalar) {
  Problem problem;
  problem.axes[0] = {.lower = 0.0, .upper = 2.0, .cells = 8, .periodic = true};
  problem.axes[1] = {.lower = -1.0, .upper = 1.0, .cells = 6, .stretching = 1.2};
  problem.axes[2] = {.lower = 0.0, .upper = 1.0, .cells = 20, .stretching = 2.0};
  problem.scalars.emplace_back();
  problem.scalars[0].diffusivity = 0.3;
  problem.scalars[0].initial = scalar;
  problem.scalars[0].walls[2] = {WallScalar::fixed(1.0), WallScalar::fixed(0.0)};
  problem.time_step.fixed = 1e-5;
  problem.steps = 1;
  return problem;
}

Profile profile_of(const Problem& problem, std::size_t axis) {
  const std::unique_ptr<Integrator> flow = make_integrator(Plan(problem));
  flow->load(initial_state(problem, Grid(problem.axes)));
  return profile_now(*flow, axis);
}

/// T = f(z) + sin(pi x): over whole waves the mean of the sine is 0, of its square 1/2, of its cube
/// 0.
TEST(Profile, OfPrescribedFieldsIsExact) {
  const auto f = [](double z) { return z * z * z - 2.0 * z + 0.3; };
  const Problem problem = prescribed(
      [f](double x, double /*y*/, double z) { return f(z) + std::sin(std::numbers::pi * x); });
  const Profile profile = profile_of(problem, 2);
  const std::vector<double>& places = profile.tables[0].places;
  ASSERT_EQ(places.size(), 20U);
  for (std::size_t n = 0; n < places.size(); ++n) {
    EXPECT_NEAR(column_of(profile, "temperature_mean").values[n], f(places[n]), 1e-14);
    EXPECT_NEAR(column_of(profile, "temperature_variance").values[n], 0.5, 1e-14);
    EXPECT_NEAR(column_of(profile, "temperature_third_moment").values[n], 0.0, 1e-13);
    EXPECT_EQ(column_of(profile, "u_mean").values[n], 0.0);
  }
}

/// u = T = sin(2 pi y), which do not depend on x: what is carried along x is half everywhere.
TEST(Profile, HasTheFluxesWithinItsPlanes) {
  Problem problem = prescribed(
      [](double /*x*/, double y, double z) { return 300.0 + z + std::sin(std::numbers::pi * y); });
  problem.axes[1].periodic = true;
  problem.axes[1].stretching = 0.0;
  problem.initial_velocity[0] = [](double /*x*/, double y, double /*z*/) {
    return std::sin(std::numbers::pi * y);
  };
  const Profile profile = profile_of(problem, 2);
  const ProfileColumn& along_x = column_of(profile, "temperature_turbulent_flux_x");
  EXPECT_EQ(along_x.unit, "temperature length/time");
  for (std::size_t n = 0; n < along_x.values.size(); ++n) {
    EXPECT_NEAR(along_x.values[n], 0.5, 1e-12);
    EXPECT_NEAR(column_of(profile, "temperature_turbulent_flux_y").values[n], 0.0, 1e-12);
  }
  EXPECT_THROW(column_of(profile, "temperature_turbulent_flux_z"), RuntimeFailure);
}

/// A third moment that is not zero: of a fluid half of which is at 0 and a quarter at 2 ...
TEST(Profile, HasTheThirdMomentOfUnequalParts) {
  const Problem problem =
      prescribed([](double x, double /*y*/, double /*z*/) { return x < 0.5 ? 3.0 : -1.0; });
  const Profile profile = profile_of(problem, 2);
  for (const double third : column_of(profile, "temperature_third_moment").values) {
    EXPECT_NEAR(third, 0.25 * 27.0 - 0.75, 1e-12);  // mean 0
  }
}

TEST(Profile, OfConductionHasOneFlux) {
  const Problem problem = prescribed([](double /*x*/, double /*y*/, double z) { return 1.0 - z; });
  const Profile profile = profile_of(problem, 2);
  const std::vector<double>& flux = column_of(profile, "temperature_flux").values;
  ASSERT_EQ(flux.size(), 21U);
  for (std::size_t n = 0; n < flux.size(); ++n) {
    EXPECT_NEAR(flux[n], 0.3, 1e-13) << n;
    EXPECT_NEAR(column_of(profile, "temperature_turbulent_flux").values[n], 0.0, 1e-15);
  }
  for (const double dissipation : column_of(profile, "temperature_dissipation").values) {
    EXPECT_NEAR(dissipation, 0.3, 1e-12);
  }
}

/// Far from zero, where scalars are stored less a reference: the moments know nothing of it.
TEST(Profile, OfValuesFarFromZeroIsThatOfTheirDifferences) {
  Problem near = prescribed([](double x, double /*y*/, double z) {
    return 1.0 - z + 0.1 * std::sin(std::numbers::pi * x);
  });
  Problem far = near;
  far.scalars[0].initial = [initial = near.scalars[0].initial](double x, double y, double z) {
    return 300.0 + initial(x, y, z);
  };
  for (WallScalar& wall : far.scalars[0].walls[2]) {
    wall.value += 300.0;
  }
  const Profile of_near = profile_of(near, 2);
  const Profile of_far = profile_of(far, 2);
  for (std::size_t n = 0; n < 20; ++n) {
    EXPECT_NEAR(column_of(of_far, "temperature_mean").values[n],
                300.0 + column_of(of_near, "temperature_mean").values[n], 1e-12);
    EXPECT_NEAR(column_of(of_far, "temperature_variance").values[n],
                column_of(of_near, "temperature_variance").values[n], 1e-14);
  }
}

/// A sample whose values are all the same.
ProfileSample sample_of(const Plan& plan, double value) {
  const std::int64_t planes = plan.grid().axis(plan.grid().storage(2)).count();
  return {.planes = planes,
          .means = std::vector<double>(static_cast<std::size_t>(sums_of(plan) * planes), value),
          .beyond = std::vector<double>(6, value)};
}

TEST(ProfileAverages, WeighSamplesByTheTimeSinceTheOneBefore) {
  const Plan plan(prescribed({}));
  const StatisticsRequest request{.name = "late", .along = {false, false, true}, .from = 1.0};
  ProfileAverages averages(plan, request, 2, 0.0);
  EXPECT_TRUE(averages.empty());
  averages.add(1.5, sample_of(plan, 2.0));  // half a unit of time, from the window's beginning
  averages.add(4.0, sample_of(plan, 4.0));
  const Profile profile = averages.profile();
  EXPECT_EQ(profile.window, "late");
  EXPECT_EQ(profile.from, 1.0);
  EXPECT_EQ(profile.until, 4.0);
  EXPECT_EQ(profile.samples, 2);
  EXPECT_NEAR(column_of(profile, "temperature_mean").values[3], (0.5 * 2.0 + 2.5 * 4.0) / 3.0,
              1e-14);
  EXPECT_TRUE(column_of(profile, "temperature_mean").errors.empty()) << "of two batches";
}

TEST(ProfileAverages, AskForStepsWithinTheWindow) {
  const StatisticsRequest request{.name = "", .along = {}, .from = 1.0, .until = 2.0, .every = 5};
  EXPECT_FALSE(request.asks_for(5, 1.0));
  EXPECT_TRUE(request.asks_for(10, 1.5));
  EXPECT_FALSE(request.asks_for(11, 1.5));
  EXPECT_TRUE(request.asks_for(15, 2.0));
  EXPECT_FALSE(request.asks_for(20, 2.1));
}

/// Equal batches with the means 0 and 1 by turns have the error sqrt(1/4 / (n - 1)).
TEST(ProfileAverages, HaveTheErrorOfBatchMeans) {
  const Plan plan(prescribed({}));
  const StatisticsRequest request{.name = "", .along = {false, false, true}};
  ProfileAverages averages(plan, request, 2, 0.0);
  for (int n = 0; n < 20; ++n) {
    averages.add(n + 1.0, sample_of(plan, n % 2));
  }
  const Profile profile = averages.profile();
  EXPECT_EQ(profile.batches, 20);
  EXPECT_NEAR(column_of(profile, "temperature_mean").values[0], 0.5, 1e-15);
  EXPECT_NEAR(column_of(profile, "temperature_mean").errors[0], std::sqrt(0.25 / 19.0), 1e-15);
}

/// Neighbours that are merged have the mean 1/2 each: then nothing is left to differ.
TEST(ProfileAverages, MergeBatchesThatBecomeTooMany) {
  const Plan plan(prescribed({}));
  const StatisticsRequest request{.name = "", .along = {false, false, true}};
  ProfileAverages averages(plan, request, 2, 0.0);
  for (int n = 0; n < 34; ++n) {
    averages.add(n + 1.0, sample_of(plan, n % 2));
  }
  const Profile profile = averages.profile();
  EXPECT_EQ(profile.samples, 34);
  EXPECT_EQ(profile.batches, 17);
  EXPECT_NEAR(column_of(profile, "temperature_mean").values[0], 0.5, 1e-15);
  EXPECT_NEAR(column_of(profile, "temperature_mean").errors[0], 0.0, 1e-15);
}

TEST(ProfileAverages, ContinueFromWhereTheyWereSaved) {
  const Plan plan(prescribed({}));
  const StatisticsRequest request{.name = "w", .along = {false, false, true}};
  ProfileAverages whole(plan, request, 2, 0.0);
  ProfileAverages first(plan, request, 2, 0.0);
  for (int n = 0; n < 45; ++n) {
    const ProfileSample sample = sample_of(plan, 1.0 / (n + 3.0));
    whole.add(0.1 * (n + 1), sample);
    if (n < 39) {
      first.add(0.1 * (n + 1), sample);
    }
  }
  KeptState state;
  first.save(state);
  ProfileAverages second(plan, request, 2, 3.9);
  second.restore(state);
  for (int n = 39; n < 45; ++n) {
    second.add(0.1 * (n + 1), sample_of(plan, 1.0 / (n + 3.0)));
  }
  KeptState of_whole;
  KeptState of_second;
  whole.save(of_whole);
  second.save(of_second);
  EXPECT_TRUE(of_second == of_whole);
  const StatisticsRequest other{.name = "w", .along = {false, false, true}, .every = 3};
  ProfileAverages changed(plan, other, 2, 3.9);
  changed.restore(state);
  EXPECT_TRUE(changed.empty()) << "asked for otherwise: it begins anew";
}

/// With other walls a scalar may be stored less another reference: sums that go on are as before.
TEST(ProfileAverages, KeepTheReferenceThatTheyBeganWith) {
  const Plan plan(prescribed({}));
  Problem moved_problem = prescribed({});
  for (WallScalar& wall : moved_problem.scalars[0].walls[2]) {
    wall.value += 300.0;
  }
  const Plan moved(moved_problem);
  ASSERT_NE(moved.stepped().scalars[0].reference, 0.0);
  const StatisticsRequest request{.name = "w", .along = {false, false, true}};
  ProfileAverages before(plan, request, 2, 0.0);
  before.add(1.0, sample_of(plan, 0.0));
  KeptState state;
  before.save(state);
  ProfileAverages after(moved, request, 2, 1.0);
  after.restore(state);
  after.add(2.0, sample_of(moved, 0.0));  // at its reference, everywhere
  const double reference = moved.stepped().scalars[0].reference;
  const Profile profile = after.profile();
  EXPECT_NEAR(column_of(profile, "temperature_mean").values[0], 0.5 * reference, 1e-10);
  EXPECT_NEAR(column_of(profile, "temperature_variance").values[0], 0.25 * reference * reference,
              1e-8);
}

TEST(Profile, ReadsTheVelocitiesOnceMoreForEachScalar) {
  Problem problem = prescribed({});
  const double cells = static_cast<double>(problem.cells());
  EXPECT_EQ(sample_traffic(Plan(problem)).bytes_read, cells * 8.0 * (3 + 4));
  problem.precision = Precision::fp32;
  problem.scalars.push_back(problem.scalars[0]);
  problem.scalars[1].name = "salt";
  EXPECT_EQ(sample_traffic(Plan(problem)).bytes_read, cells * 4.0 * (3 + 2 * 4));
}

}  // namespace
}  // namespace bankfull::convection
