#include "bankfull/app/convect/physics.hpp"

#include "bankfull/workloads/convection/option_names.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>

namespace bankfull::convect {
namespace {

using convection::Problem;
using convection::Vector;

constexpr std::array<const char*, 2> numbers_of_similarity{"rayleigh", "prandtl"};
constexpr std::array<const char*, 5> numbers_with_dimension{"viscosity", "reynolds", "diffusivity",
                                                            "gravity", "expansion"};

bool uses_similarity(const TomlSection& physics) {
  return physics.has("rayleigh") || physics.has("prandtl");
}

void refuse_both_ways(const TomlSection& physics) {
  for (const char* similarity : numbers_of_similarity) {
    for (const char* dimensional : numbers_with_dimension) {
      if (physics.has(similarity) && physics.has(dimensional)) {
        physics.refuse(dimensional, fmt::format("contradicts {}", similarity),
                       "give rayleigh and prandtl, or viscosity, diffusivity, gravity and "
                       "expansion");
      }
    }
  }
}

/// Keys that would do nothing are mistakes.
void refuse_without(const TomlSection& physics, const std::vector<std::string>& keys,
                    const std::string& what) {
  for (const std::string& key : keys) {
    if (physics.has(key)) {
      physics.refuse(key, "means nothing without " + what, "add that, or leave this out");
    }
  }
}

Vector scaled(const Vector& direction, double factor) {
  return {factor * direction[0], factor * direction[1], factor * direction[2]};
}

Vector named_direction(TomlSection& physics) {
  const std::vector<std::string> names{"x+", "x-", "y+", "y-", "z+", "z-"};
  const std::size_t chosen = physics.choice("up", names, 4);
  Vector direction{};
  direction[chosen / 2] = chosen % 2 == 0 ? 1.0 : -1.0;
  return direction;
}

Vector read_up(TomlSection& physics) {
  if (!physics.has("up") || physics.node("up").is_string()) {
    return named_direction(physics);
  }
  const Vector given = physics.numbers("up", NumberRange::any());
  const double length = std::hypot(given[0], given[1], given[2]);
  if (!(length > 0.0)) {
    physics.refuse("up", "has no direction", "give a vector other than zero");
  }
  return scaled(given, 1.0 / length);
}

/// The extent of the box upwards; 0 where that is along no axis.
double height_of(const Problem& problem, const Vector& up) {
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (is_along(up, axis)) {
      return problem.axes[axis].upper - problem.axes[axis].lower;
    }
  }
  return 0.0;
}

/// Between the hottest and the coldest wall of fixed temperature; 0 where there are no two.
double difference_between_walls(const Problem& problem) {
  double least = std::numeric_limits<double>::infinity();
  double most = -least;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    for (const convection::WallScalar& wall : problem.scalars.front().walls[axis]) {
      const bool uniform = wall.is_fixed() && wall.slope == Vector{};
      if (uniform && !problem.axes[axis].periodic) {
        least = std::min(least, wall.value);
        most = std::max(most, wall.value);
      }
    }
  }
  return std::max(0.0, most - least);
}

double read_length(TomlSection& physics, const Problem& problem, const Vector& up) {
  const NumberRange range = NumberRange::positive("units of length");
  const double height = height_of(problem, up);
  return height > 0.0 ? physics.number("length", range, height) : physics.number("length", range);
}

double read_difference(TomlSection& physics, const Problem& problem) {
  const NumberRange range = NumberRange::positive("units of temperature");
  const double walls = difference_between_walls(problem);
  if (!physics.has("temperature_difference") && walls == 0.0) {
    physics.refuse_all("has no 'temperature_difference', and no two walls differ in temperature",
                       "add the difference that the Rayleigh number is made with");
  }
  return walls > 0.0 ? physics.number("temperature_difference", range, walls)
                     : physics.number("temperature_difference", range);
}

double scaled_viscosity(std::size_t scaling, double Ra, double Pr, double length) {
  switch (scaling) {
    case 0:
      return Pr;
    case 1:
      return 1.0;
    default:
      return std::sqrt(Pr * length * length * length / Ra);
  }
}

void read_similarity(TomlSection& physics, const Vector& up, Problem& problem) {
  const double Ra = physics.number("rayleigh", NumberRange::positive());
  const double Pr = physics.number("prandtl", NumberRange::positive());
  const std::size_t scaling = physics.choice("scaling", {"diffusive", "viscous", "free-fall"});
  const double length = read_length(physics, problem, up);
  const double difference = read_difference(physics, problem);
  convection::Scalar& temperature = problem.scalars.front();
  problem.viscosity = scaled_viscosity(scaling, Ra, Pr, length);
  temperature.diffusivity = problem.viscosity / Pr;
  const double drive = Ra * problem.viscosity * temperature.diffusivity;
  temperature.buoyancy = scaled(up, drive / (difference * length * length * length));
}

double read_viscosity(const TomlSection& physics) {
  if (physics.has("viscosity") && physics.has("reynolds")) {
    physics.refuse("reynolds", "contradicts viscosity",
                   "give one: reynolds is 1 / viscosity, with a unit velocity and length");
  }
  return physics.has("reynolds")
             ? 1.0 / physics.number("reynolds", NumberRange::positive())
             : physics.number("viscosity", NumberRange::at_least(0.0, "length^2 / time"));
}

void read_dimensional(const TomlSection& physics, const Vector& up, Problem& problem,
                      bool with_temperature) {
  refuse_without(physics, {"scaling", "length", "temperature_difference"}, "rayleigh and prandtl");
  problem.viscosity = read_viscosity(physics);
  if (!with_temperature) {
    refuse_without(physics, {"gravity", "expansion", "advection"}, "a diffusivity");
    return;
  }
  convection::Scalar& temperature = problem.scalars.front();
  temperature.diffusivity = physics.number("diffusivity", NumberRange::positive("length^2 / time"));
  const double gravity = physics.number("gravity", NumberRange::at_least(0.0, "length / time^2"));
  const double expansion = physics.number("expansion", NumberRange::any("1 / temperature"));
  temperature.buoyancy = scaled(up, gravity * expansion);
}

}  // namespace

void allow_physics(const TomlSection& physics) {
  physics.allow({"rayleigh", "prandtl", "scaling", "length", "temperature_difference", "viscosity",
                 "reynolds", "diffusivity", "gravity", "expansion", "advection", "up", "rotation"});
}

bool has_temperature(const TomlSection& physics) {
  return physics.has("diffusivity") || uses_similarity(physics);
}

Vector read_physics(TomlSection& physics, Problem& problem) {
  refuse_both_ways(physics);
  const Vector up = read_up(physics);
  const bool with_temperature = has_temperature(physics);
  if (uses_similarity(physics)) {
    read_similarity(physics, up, problem);
  } else {
    read_dimensional(physics, up, problem, with_temperature);
  }
  if (with_temperature) {
    problem.scalars.front().advection =
        physics.choice("advection", convection::advection_names, convection::Advection::centred);
  }
  problem.rotation = physics.numbers("rotation", NumberRange::any("1 / time"), {0.0, 0.0, 0.0});
  return up;
}

bool is_along(const Vector& direction, std::size_t axis) {
  return direction[axis] != 0.0 && direction[(axis + 1) % 3] == 0.0 &&
         direction[(axis + 2) % 3] == 0.0;
}

}  // namespace bankfull::convect
