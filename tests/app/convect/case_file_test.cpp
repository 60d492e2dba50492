#include "bankfull/app/convect/case_file.hpp"

#include "bankfull/app/convect/ready_cases.hpp"
#include "bankfull/core/base/error.hpp"

#include <cmath>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace bankfull::convect {
namespace {

using convection::Problem;
using convection::Vector;
using testing::HasSubstr;
using testing::StartsWith;

constexpr const char* layer = R"toml(title = "a layer"

[domain]
upper = [2, 1, 1]
cells = [16, 4, 8]

[physics]
rayleigh = 1e4
prandtl = 0.5
scaling = "diffusive"

[boundaries]
x = "periodic"
y = { velocity = "free-slip", temperature = "insulating" }
z.lower = { velocity = "no-slip", temperature = 1 }
z.upper = { velocity = [1, -2, 0], temperature = { flux = -3 } }

[initial]
temperature = "1 - z"
velocity = ["sin(pi*x)", 0, "-z"]
noise = 1e-3
seed = 7

[time]
dt = 1e-4
steps = 10
)toml";

std::string replaced(std::string text, const std::string& old, const std::string& fresh) {
  const std::size_t at = text.find(old);
  EXPECT_NE(at, std::string::npos) << old;
  return text.replace(at, old.size(), fresh);
}

/// The layer with one piece of its text replaced.
std::string layer_with(const std::string& old, const std::string& fresh) {
  return replaced(layer, old, fresh);
}

Case parsed(const std::string& text, const std::vector<std::string>& settings = {}) {
  return parse_case(text, "layer.toml", settings);
}

std::string refusal_of(const std::string& text, const std::vector<std::string>& settings = {}) {
  try {
    parsed(text, settings);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "";
}

/// Two walls of fixed temperature, which make the difference that a Rayleigh number requires.
std::string fixed_layer() { return layer_with("{ flux = -3 }", "0"); }

std::string fixed_layer_with(const std::string& old, const std::string& fresh) {
  return replaced(fixed_layer(), old, fresh);
}

TEST(CaseFile, ReadsEveryField) {
  const Case layer_case =
      parsed(layer_with("scaling = \"diffusive\"",
                        "scaling = \"diffusive\"\ntemperature_difference = 2\nlength = 0.5\n"
                        "rotation = [0, 0, 3]\nup = \"z+\""));
  const Problem& problem = layer_case.problem;
  EXPECT_EQ(problem.name, "layer");
  EXPECT_EQ(layer_case.title, "a layer");
  EXPECT_EQ(problem.axes[0].upper, 2.0);
  EXPECT_EQ(problem.axes[0].cells, 16);
  EXPECT_EQ(problem.axes[1].cells, 4);
  EXPECT_EQ(problem.axes[2].cells, 8);
  EXPECT_TRUE(problem.axes[0].periodic);
  EXPECT_FALSE(problem.axes[1].periodic);
  EXPECT_TRUE(problem.walls[1][0].free_slip);
  EXPECT_TRUE(problem.walls[1][1].free_slip);
  EXPECT_FALSE(problem.walls[2][0].free_slip);
  EXPECT_EQ(problem.walls[2][1].velocity, (Vector{1.0, -2.0, 0.0}));
  ASSERT_EQ(problem.scalars.size(), 1U);
  const convection::Scalar& temperature = problem.scalars.front();
  EXPECT_EQ(temperature.name, "temperature");
  EXPECT_TRUE(temperature.walls[1][0].is_flux);
  EXPECT_EQ(temperature.walls[1][0].flux, 0.0);
  EXPECT_FALSE(temperature.walls[2][0].is_flux);
  EXPECT_EQ(temperature.walls[2][0].value, 1.0);
  EXPECT_TRUE(temperature.walls[2][1].is_flux);
  EXPECT_EQ(temperature.walls[2][1].flux, -3.0);
  EXPECT_EQ(temperature.diffusivity, 1.0);
  EXPECT_EQ(problem.viscosity, 0.5);
  EXPECT_DOUBLE_EQ(temperature.buoyancy[2], 1e4 * 0.5 / (2.0 * 0.125));
  EXPECT_EQ(problem.rotation, (Vector{0.0, 0.0, 3.0}));
  EXPECT_DOUBLE_EQ(temperature.initial(0.0, 0.0, 0.25), 0.75);
  EXPECT_DOUBLE_EQ(problem.initial_velocity[0](0.5, 0.0, 0.0), 1.0);
  EXPECT_FALSE(problem.initial_velocity[1]) << "is zero everywhere";
  EXPECT_EQ(problem.noise, 1e-3);
  EXPECT_EQ(problem.seed, 7U);
  EXPECT_EQ(problem.time_step.fixed, 1e-4);
  EXPECT_EQ(problem.steps, 10);
  EXPECT_EQ(problem.precision, Precision::fp64);
}

TEST(CaseFile, ReadsFormulasOfTime) {
  const std::string text =
      replaced(replaced(fixed_layer(), "velocity = \"no-slip\"",
                        "velocity = { varying = [\"2*t\", 0, 0] }"),
               "temperature = \"insulating\"", "temperature = { flux = 1, varying = \"3*t\" }") +
      "[forcing]\nacceleration = [0, { factor = \"4*t\" }, { formula = \"z\", factor = \"5*t\" "
      "}]\ntemperature = { formula = \"x\" }\n";
  for (const std::string& read : {text, parsed(text).resolved}) {
    const Problem problem = parsed(read).problem;
    EXPECT_EQ(problem.walls[2][0].velocity_at(0.5), (Vector{1.0, 0.0, 0.0}));
    EXPECT_EQ(problem.walls[2][0].varying[1], nullptr);
    const convection::WallScalar& wall = problem.scalars.front().walls[1][1];
    EXPECT_EQ(wall.flux, 1.0);
    EXPECT_EQ(convection::value_at(wall.varying, 0.5), 1.5);
    EXPECT_FALSE(problem.force[0]);
    EXPECT_EQ(problem.force[1](7.0, 8.0, 9.0), 1.0);
    EXPECT_EQ(convection::value_at(problem.force_factor[1], 0.5), 2.0);
    EXPECT_EQ(problem.force[2](7.0, 8.0, 9.0), 9.0);
    EXPECT_EQ(convection::value_at(problem.force_factor[2], 0.5), 2.5);
    EXPECT_EQ(problem.scalars.front().source(7.0, 8.0, 9.0), 7.0);
    EXPECT_EQ(problem.scalars.front().source_factor, nullptr);
  }
}

TEST(CaseFile, ReadsMixedWalls) {
  const std::string both =
      replaced(replaced(fixed_layer(), "velocity = \"no-slip\"",
                        "velocity = { velocity = [0.5, 0, 0], slip_length = 0.02 }"),
               "temperature = \"insulating\"",
               "temperature = { transfer = 4, surroundings = 0.25, slope = [0, 0, 1] }");
  const Problem& problem = parsed(both).problem;
  EXPECT_EQ(problem.walls[2][0].velocity, (Vector{0.5, 0.0, 0.0}));
  EXPECT_EQ(problem.walls[2][0].slip_length, 0.02);
  EXPECT_EQ(problem.walls[2][1].slip_length, 0.0);
  const convection::WallScalar& wall = problem.scalars.front().walls[1][1];
  EXPECT_FALSE(wall.is_flux);
  EXPECT_FALSE(wall.is_fixed());
  EXPECT_EQ(wall.transfer, 4.0);
  EXPECT_EQ(wall.value, 0.25);
  EXPECT_EQ(wall.slope, (Vector{0.0, 0.0, 1.0}));
  EXPECT_TRUE(problem.scalars.front().walls[2][0].is_fixed());
  // As it was written out, it reads the same.
  EXPECT_EQ(parsed(parsed(both).resolved).problem.scalars.front().walls[1][1].transfer, 4.0);
}

TEST(CaseFile, ScalingsAreOneProblem) {
  for (const std::string scaling : {"diffusive", "viscous", "free-fall"}) {
    const Problem problem =
        parsed(fixed_layer(), {"physics.scaling=" + scaling, "dt=1e-6"}).problem;
    const double kappa = problem.scalars.front().diffusivity;
    const double drive = problem.scalars.front().buoyancy[2];
    EXPECT_NEAR(drive / (problem.viscosity * kappa), 1e4, 1e-8) << scaling;
    EXPECT_NEAR(problem.viscosity / kappa, 0.5, 1e-15) << scaling;
  }
  EXPECT_EQ(parsed(fixed_layer(), {"physics.scaling=viscous"}).problem.viscosity, 1.0);
  const Problem falling = parsed(fixed_layer(), {"physics.scaling=free-fall"}).problem;
  EXPECT_DOUBLE_EQ(falling.scalars.front().buoyancy[2], 1.0);
}

TEST(CaseFile, TakesDimensionsAndAnyDirection) {
  const std::string numbers =
      "viscosity = 1.5e-5\ndiffusivity = 2e-5\ngravity = 9.81\nexpansion = 3e-3\n";
  const std::string text = layer_with("rayleigh = 1e4\nprandtl = 0.5\nscaling = \"diffusive\"\n",
                                      numbers + "up = \"x-\"\n");
  const Problem problem = parsed(text).problem;
  EXPECT_EQ(problem.viscosity, 1.5e-5);
  EXPECT_EQ(problem.scalars.front().diffusivity, 2e-5);
  EXPECT_DOUBLE_EQ(problem.scalars.front().buoyancy[0], -9.81 * 3e-3);
  const Vector tilted = parsed(text, {"physics.up=[3, 0, 4]"}).problem.scalars.front().buoyancy;
  EXPECT_DOUBLE_EQ(tilted[0], 0.6 * 9.81 * 3e-3);
  EXPECT_DOUBLE_EQ(tilted[2], 0.8 * 9.81 * 3e-3);
}

TEST(CaseFile, TakesAnyNumberOfScalars) {
  std::string text = fixed_layer();
  const auto replace = [&](const std::string& old, const std::string& fresh) {
    text.replace(text.find(old), old.size(), fresh);
  };
  replace("[boundaries]",
          "[[scalar]]\nname = \"salt\"\ndiffusivity = 0.01\nbuoyancy = -4\n\n[[scalar]]\n"
          "name = \"dye\"\ndiffusivity = 0.1\nadvection = \"bounded\"\n\n[boundaries]");
  replace("temperature = \"insulating\"",
          R"(temperature = "insulating", salt = "insulating", dye = 0)");
  replace("temperature = 1 ", "temperature = 1, salt = { value = 1, slope = [2, 0, 0] }, dye = 0 ");
  replace("temperature = 0 ", "temperature = 0, salt = { flux = 2 }, dye = 0 ");
  replace("[initial]",
          "[forcing]\ndye = \"x\"\nacceleration = [0, \"y\", 0]\n\n[initial]\n"
          "salt = \"z\"");
  const Problem problem = parsed(text).problem;
  ASSERT_EQ(problem.scalars.size(), 3U);
  EXPECT_EQ(problem.scalars[1].name, "salt");
  EXPECT_EQ(problem.scalars[1].buoyancy, (Vector{0.0, 0.0, -4.0}));
  EXPECT_EQ(problem.scalars[1].walls[2][0].slope, (Vector{2.0, 0.0, 0.0}));
  EXPECT_EQ(problem.scalars[1].walls[2][1].flux, 2.0);
  EXPECT_EQ(problem.scalars[1].initial(0.0, 0.0, 3.0), 3.0);
  EXPECT_EQ(problem.scalars[2].source(5.0, 0.0, 0.0), 5.0);
  EXPECT_EQ(problem.scalars[2].buoyancy, Vector{});
  EXPECT_EQ(problem.scalars[1].advection, convection::Advection::centred);
  EXPECT_EQ(problem.scalars[2].advection, convection::Advection::bounded);
  EXPECT_EQ(problem.scalars[0].advection, convection::Advection::centred);
  EXPECT_EQ(parsed(text, {"physics.advection=bounded"}).problem.scalars[0].advection,
            convection::Advection::bounded);
  EXPECT_EQ(problem.force[1](0.0, 6.0, 0.0), 6.0);
  EXPECT_FALSE(problem.force[0]) << "a flow without it is driven by less";
}

TEST(CaseFile, SaysWhereAndWhatIsWrong) {
  EXPECT_THAT(refusal_of(layer_with("rayleigh", "raleigh")),
              StartsWith("layer.toml:8:1: [physics] has an unknown key 'raleigh'; did you mean "
                         "'rayleigh'?"));
  EXPECT_THAT(refusal_of(layer_with("[time]", "[tyme]")), HasSubstr("did you mean 'time'"));
  EXPECT_THAT(refusal_of(layer_with("prandtl = 0.5", "prandtl = -0.5")),
              StartsWith("layer.toml:9:11: [physics] prandtl = -0.5 is out of range"));
  EXPECT_THAT(refusal_of(layer_with("prandtl = 0.5", "prandtl = \"air\"")),
              StartsWith("layer.toml:9:11: [physics] prandtl = \"air\" is not a number"));
  EXPECT_THAT(refusal_of(layer_with("prandtl = 0.5", "prandtl = inf")), HasSubstr("out of range"));
  EXPECT_THAT(refusal_of(layer_with("prandtl = 0.5", "prandtl = nan")), HasSubstr("out of range"));
  EXPECT_THAT(refusal_of(layer_with("prandtl = 0.5\n", "")),
              HasSubstr("[physics] has no 'prandtl'"));
  EXPECT_THAT(refusal_of(layer_with("upper = [2, 1, 1]", "upper = [2, 0, 1]")),
              StartsWith("layer.toml:4:9: [domain] upper ends y at 0"));
  EXPECT_THAT(refusal_of(layer_with("cells = [16, 4, 8]", "cells = [16, 0, 8]")),
              StartsWith("layer.toml:5:14: [domain] cells = 0 is out of range"));
  EXPECT_THAT(refusal_of(layer_with("cells = [16, 4, 8]", "cells = [16, 4.5, 8]")),
              HasSubstr("whole numbers"));
  EXPECT_THAT(refusal_of(fixed_layer_with("\"sin(pi*x)\"", "\"sin(pi*q)\"")),
              StartsWith("layer.toml:20:13: [initial] velocity: the formula 'sin(pi*q)'"));
  EXPECT_THAT(refusal_of(fixed_layer_with("steps = 10\n", "")),
              HasSubstr("neither 'steps' nor 'end'"));
  EXPECT_THAT(refusal_of(layer_with("title = \"a layer\"", "title = a layer")),
              StartsWith("layer.toml:1:"));
  EXPECT_THAT(refusal_of(""), StartsWith("layer.toml:1:1: there is no section [domain]"));
}

TEST(CaseFile, RefusesContradictions) {
  EXPECT_THAT(refusal_of(fixed_layer_with("dt = 1e-4", "dt = 1e-4\ncfl = 0.3")),
              HasSubstr("[time] cfl contradicts dt"));
  EXPECT_THAT(refusal_of(layer_with("prandtl = 0.5", "prandtl = 0.5\nviscosity = 1")),
              StartsWith("layer.toml:10:13: [physics] viscosity contradicts rayleigh"));
  EXPECT_THAT(refusal_of(layer_with("{ flux = -3 }", "{ flux = -3, value = 2 }")),
              HasSubstr("flux contradicts a fixed value"));
  EXPECT_THAT(refusal_of(layer), HasSubstr("no 'temperature_difference'"));
  EXPECT_THAT(refusal_of(fixed_layer(), {"domain.stretching=[1,0,0]"}),
              HasSubstr("stretched and periodic"));
  EXPECT_EQ(refusal_of(fixed_layer(), {"domain.stretching=[0,1,1]"}), "");
}

TEST(CaseFile, RefusesHalfAPeriodicAxis) {
  EXPECT_THAT(
      refusal_of(layer_with("x = \"periodic\"",
                            "x.lower = \"periodic\"\nx.upper = { velocity = "
                            "\"no-slip\", temperature = 0 }")),
      StartsWith("layer.toml:13:11: [boundaries.x] lower is periodic, the other side is not"));
  EXPECT_THAT(refusal_of(layer_with("x = \"periodic\"", "x.lower = \"periodic\"")),
              HasSubstr("[boundaries.x] has no 'upper'"));
  EXPECT_TRUE(parsed(fixed_layer(), {"boundaries.x={lower=\"periodic\", upper=\"periodic\"}"})
                  .problem.axes[0]
                  .periodic);
}

TEST(CaseFile, RefusesStepsBeyondStabilityNamingTheLimit) {
  // 1 / (4 (8^2 + 4^2 + 8^2)) with the narrowest cells.
  EXPECT_THAT(refusal_of(fixed_layer(), {"dt=0.1"}), HasSubstr("beyond 0.00173611"));
  EXPECT_THAT(refusal_of(fixed_layer(), {"cfl=3"}), HasSubstr("Courant number"));
}

TEST(CaseFile, NeedsATemperatureForItsBoundaries) {
  std::string text = fixed_layer();
  const std::string physics = "rayleigh = 1e4\nprandtl = 0.5\nscaling = \"diffusive\"\n";
  text.replace(text.find(physics), physics.size(), "reynolds = 100\n");
  EXPECT_THAT(refusal_of(text), HasSubstr("temperature is of a case that has none"));
}

TEST(Settings, ReplaceWhatTheFileSays) {
  const Case changed =
      parsed(fixed_layer(), {"ra=2e5", "cells=32x2x16", "time.cfl=0.2", "precision=fp32",
                             "boundaries.z.lower.velocity=free-slip", "steps=5", "steps=6"});
  EXPECT_EQ(changed.problem.axes[0].cells, 32);
  EXPECT_EQ(changed.problem.axes[2].cells, 16);
  EXPECT_EQ(changed.problem.time_step.fixed, 0.0);
  EXPECT_EQ(changed.problem.time_step.courant, 0.2);
  EXPECT_EQ(changed.problem.precision, Precision::fp32);
  EXPECT_TRUE(changed.problem.walls[2][0].free_slip);
  EXPECT_EQ(changed.problem.steps, 6);
  EXPECT_NEAR(changed.problem.scalars.front().buoyancy[2], 2e5 * 0.5, 1e-6);
}

TEST(Settings, AreCheckedAlikeAndNamed) {
  const std::string text = fixed_layer();
  EXPECT_THAT(refusal_of(text, {"ra=-1"}),
              StartsWith("--set ra=-1: [physics] rayleigh = -1 is out of range"));
  EXPECT_THAT(refusal_of(text, {"physics.raleigh=1"}),
              StartsWith("--set physics.raleigh=1: [physics] has an unknown key 'raleigh'"));
  EXPECT_THAT(refusal_of(text, {"raleigh=1"}), HasSubstr("did you mean 'ra'"));
  EXPECT_THAT(refusal_of(text, {"tyme.end=1"}),
              StartsWith("--set tyme.end=1: the case has an unknown key 'tyme'"));
  EXPECT_THAT(refusal_of(text, {"initial.temperature=2*q"}), HasSubstr("--set initial"));
  EXPECT_THAT(refusal_of(text, {"solver=fast"}), HasSubstr("'fast' is unknown"));
  for (const std::string setting : {"ra", "=3", "physics..rayleigh=3", ".ra=3"}) {
    EXPECT_THAT(refusal_of(text, {setting}), StartsWith("--set " + setting + ": ")) << setting;
  }
}

TEST(Resolved, IsTheSameCaseAgain) {
  const Case first = parsed(fixed_layer(), {"ra=3.3333e4", "time.end=0.1"});
  EXPECT_THAT(first.resolved, HasSubstr("temperature_difference = 1.0"));
  const Case second = parse_case(first.resolved, "elsewhere/case.toml", {});
  EXPECT_EQ(second.resolved, first.resolved);
  EXPECT_EQ(second.problem.name, "layer");
  EXPECT_EQ(second.problem.viscosity, first.problem.viscosity);
  EXPECT_EQ(second.problem.scalars[0].buoyancy, first.problem.scalars[0].buoyancy);
  EXPECT_EQ(second.problem.end_time, first.problem.end_time);
  EXPECT_EQ(second.problem.initial_velocity[0](0.3, 0.0, 0.0),
            first.problem.initial_velocity[0](0.3, 0.0, 0.0));
}

TEST(Slices, AreOfTheTemperatureAcrossTheThinnestHorizontalAxisByDefault) {
  const Case plain = parsed(fixed_layer());
  ASSERT_EQ(plain.slices.size(), 1U);
  EXPECT_EQ(plain.slices[0].field, "temperature");
  EXPECT_EQ(plain.slices[0].normal, 1);
  EXPECT_EQ(plain.slices[0].position, 0.5);
  EXPECT_EQ(plain.slices[0].range, ColourRange::run);
  EXPECT_THAT(plain.resolved, HasSubstr("range = \"run\""));
  const std::string chosen = std::string(fixed_layer()) +
                             "[[output.slice]]\nfield = \"w\"\nnormal = \"z\"\nat = 0.25\n"
                             "range = [-1, 2]\n";
  const Case asked = parsed(chosen);
  ASSERT_EQ(asked.slices.size(), 1U);
  EXPECT_EQ(asked.slices[0].field, "w");
  EXPECT_EQ(asked.slices[0].normal, 2);
  EXPECT_EQ(asked.slices[0].range, ColourRange::given);
  EXPECT_EQ(asked.slices[0].given.most, 2.0);
  EXPECT_EQ(asked.slices[0].colours, ColourMap::viridis);
  EXPECT_THAT(refusal_of(chosen, {"output.slice.0.at=3"}), HasSubstr("at = 3 is out of range"));
  EXPECT_THAT(refusal_of(chosen, {"output.slice.0.range=[1,1]"}), HasSubstr("range"));
  EXPECT_THAT(refusal_of(chosen, {"output.slice.1.at=0"}), HasSubstr("not one of the list's 1"));
  EXPECT_THAT(refusal_of(chosen, {"output.slice.0.range=always"}), HasSubstr("unknown"));
  EXPECT_THAT(refusal_of(chosen, {"output.snapshots=1"}), HasSubstr("too few"));
}

TEST(Slices, AreOfOneFieldOrSeveral) {
  const std::string chosen = std::string(fixed_layer()) +
                             "[[output.slice]]\nfields = [\"u\", \"temperature\"]\nat = 0.25\n"
                             "range = \"picture\"\n[[output.slice]]\nfield = \"speed\"\n";
  const Case asked = parsed(chosen);
  ASSERT_EQ(asked.slices.size(), 3U);
  EXPECT_EQ(asked.slices[0].field, "temperature");
  EXPECT_EQ(asked.slices[0].colours, ColourMap::inferno);
  EXPECT_EQ(asked.slices[1].field, "u");
  EXPECT_EQ(asked.slices[1].colours, ColourMap::viridis);
  EXPECT_EQ(asked.slices[2].field, "speed");
  for (const std::size_t n : {0U, 1U}) {
    EXPECT_EQ(asked.slices[n].position, 0.25);
    EXPECT_EQ(asked.slices[n].range, ColourRange::picture);
  }
  EXPECT_EQ(parse_case(asked.resolved, "again.toml", {}).slices.size(), 3U);
  const Case in_one_map = parsed(chosen, {"output.slice.0.colours=viridis"});
  EXPECT_EQ(in_one_map.slices[0].colours, ColourMap::viridis);
  EXPECT_THAT(refusal_of(chosen, {"output.slice.0.field=w"}),
              HasSubstr("cannot be combined with field"));
  EXPECT_THAT(refusal_of(chosen, {"output.slice.0.fields=[]"}), HasSubstr("names none"));
  EXPECT_THAT(refusal_of(chosen, {"output.slice.0.fields=[\"q\"]"}), HasSubstr("'q' is unknown"));
  std::string many = fixed_layer();
  for (int n = 0; n < 51; ++n) {
    many += "[[output.slice]]\nfields = [\"u\", \"w\"]\n";
  }
  EXPECT_THAT(refusal_of(many, {}), HasSubstr("slice asks for 102 fields in all"));
}

TEST(ReadyCases, AreAllGood) {
  const auto cases = ready_cases();
  EXPECT_GE(cases.size(), 13U);
  for (const auto& path : cases) {
    const Case ready = load_case(path, {});
    EXPECT_FALSE(ready.title.empty()) << path;
    EXPECT_EQ(ready.problem.name, path.stem().string());
    EXPECT_EQ(parse_case(ready.resolved, "again.toml", {}).resolved, ready.resolved) << path;
  }
}

TEST(ReadyCases, AreFoundByName) {
  EXPECT_EQ(find_case("heated-cube").filename(), "heated-cube.toml");
  EXPECT_EQ(find_case("some/where"), "some/where");
  EXPECT_EQ(find_case("mine.toml"), "mine.toml");
  try {
    find_case("heated-cub");
    FAIL();
  } catch (const UsageError& error) {
    EXPECT_THAT(error.what(), HasSubstr("did you mean 'heated-cube'"));
  }
}

}  // namespace
}  // namespace bankfull::convect
