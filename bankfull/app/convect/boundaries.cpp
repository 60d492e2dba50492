#include "bankfull/app/convect/boundaries.hpp"

#include "bankfull/app/convect/formula.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <string>
#include <vector>

namespace bankfull::convect {
namespace {

using convection::Problem;
using convection::Vector;
using convection::WallMotion;
using convection::WallScalar;

/// Lower or upper end of an axis.
struct Face {
  std::size_t axis = 0;
  std::size_t side = 0;
};

/// A word in a place that takes other things, too: one of `words`, by its place among them. Others
/// are refused with all that can stand there.
std::size_t word_of(const TomlSection& section, const std::string& key,
                    const std::vector<std::string>& words, const std::string& besides) {
  const std::string given = section.text(key);
  const auto found = std::find(words.begin(), words.end(), given);
  if (found == words.end()) {
    section.refuse(key, fmt::format("= '{}' is unknown", given),
                   fmt::format("use \"{}\", {}", fmt::join(words, "\", \""), besides));
  }
  return static_cast<std::size_t>(found - words.begin());
}

void refuse_motion_through(const TomlSection& wall, std::size_t axis, const Vector& velocity) {
  if (velocity[axis] != 0.0) {
    wall.refuse("velocity", fmt::format("moves the wall along {}", convection::axis_names[axis]),
                fmt::format("walls move within their plane: give 0 along {}",
                            convection::axis_names[axis]));
  }
}

WallMotion read_special_wall(TomlSection wall, std::size_t axis) {
  wall.allow({"velocity", "slip_length", "varying"});
  WallMotion motion{
      .velocity = wall.numbers("velocity", NumberRange::any("length / time"), {0.0, 0.0, 0.0}),
      .slip_length =
          wall.number("slip_length", NumberRange::at_least(0.0, "units of length"), 0.0)};
  refuse_motion_through(wall, axis, motion.velocity);
  motion.varying = read_time_formulas(wall, "varying");
  if (motion.varying[axis]) {
    wall.refuse("varying", fmt::format("moves the wall along {}", convection::axis_names[axis]),
                fmt::format("walls move within their plane: give 0 along {}",
                            convection::axis_names[axis]));
  }
  return motion;
}

WallMotion read_motion(const TomlSection& wall, std::size_t axis) {
  if (wall.node("velocity").is_table()) {
    return read_special_wall(wall.section("velocity"), axis);
  }
  if (wall.node("velocity").is_string()) {
    const std::size_t kind =
        word_of(wall, "velocity", {"no-slip", "free-slip"},
                "the velocity of the wall, [1, 0, 0], or { slip_length = 0.01 }");
    return {.free_slip = kind == 1};
  }
  const Vector velocity = wall.numbers("velocity", NumberRange::any("length / time"));
  refuse_motion_through(wall, axis, velocity);
  return {.velocity = velocity};
}

WallScalar read_steady_profile(TomlSection& section) {
  if (section.has("flux")) {
    for (const char* other : {"value", "slope", "transfer", "surroundings"}) {
      if (section.has(other)) {
        section.refuse("flux", "contradicts a fixed value",
                       "give a flux, a value and a slope, or a transfer and the surroundings");
      }
    }
    return WallScalar::heated(
        section.number("flux", NumberRange::any("length / time times the scalar")));
  }
  const bool is_mixed = section.has("transfer") || section.has("surroundings");
  if (is_mixed && section.has("value")) {
    section.refuse("value", "contradicts surroundings", "give one of both");
  }
  const double transfer =
      is_mixed ? section.number("transfer", NumberRange::positive("length / time")) : 0.0;
  const double value = section.number(is_mixed ? "surroundings" : "value", NumberRange::any());
  const Vector slope = section.numbers("slope", NumberRange::any(), {0.0, 0.0, 0.0});
  return is_mixed ? WallScalar::mixed(transfer, value, slope) : WallScalar::fixed(value, slope);
}

WallScalar read_profile(TomlSection section) {
  section.allow({"flux", "value", "slope", "transfer", "surroundings", "varying"});
  WallScalar wall = read_steady_profile(section);
  wall.varying = read_time_formula(section, "varying");
  return wall;
}

WallScalar read_scalar(const TomlSection& wall, const std::string& name) {
  const toml::node& given = wall.node(name);
  if (given.is_table()) {
    return read_profile(wall.section(name));
  }
  if (given.is_string()) {
    static_cast<void>(word_of(wall, name, {"insulating"},
                              "a number for a fixed value, { value = 1, slope = [0, 0, 1] } or { "
                              "flux = 1 }"));
    return WallScalar::insulating();
  }
  return WallScalar::fixed(wall.number(name, NumberRange::any()));
}

void allow_wall(const TomlSection& wall, const Problem& problem, std::vector<std::string> keys) {
  for (const convection::Scalar& scalar : problem.scalars) {
    keys.push_back(scalar.name);
  }
  refuse_stray_temperature(wall, problem);
  wall.allow(keys);
}

void read_wall(const TomlSection& wall, const Face& face, Problem& problem) {
  allow_wall(wall, problem, {"velocity"});
  problem.walls[face.axis][face.side] = read_motion(wall, face.axis);
  for (convection::Scalar& scalar : problem.scalars) {
    scalar.walls[face.axis][face.side] = read_scalar(wall, scalar.name);
  }
}

/// Whether the value of a key is the word periodic; refuses other words.
bool says_periodic(const TomlSection& section, const std::string& key) {
  if (!section.node(key).is_string()) {
    return false;
  }
  static_cast<void>(
      word_of(section, key, {"periodic"}, "or describe the walls, { velocity = \"no-slip\" }"));
  return true;
}

void read_two_sides(const TomlSection& sides, std::size_t axis, Problem& problem) {
  sides.allow({"lower", "upper"});
  const bool lower_periodic = says_periodic(sides, "lower");
  const bool upper_periodic = says_periodic(sides, "upper");
  if (lower_periodic != upper_periodic) {
    sides.refuse(
        lower_periodic ? "lower" : "upper", "is periodic, the other side is not",
        fmt::format("make both walls, or write {} = \"periodic\"", convection::axis_names[axis]));
  }
  problem.axes[axis].periodic = lower_periodic;
  if (!lower_periodic) {
    read_wall(sides.section("lower"), {axis, 0}, problem);
    read_wall(sides.section("upper"), {axis, 1}, problem);
  }
}

void read_axis(const TomlSection& boundaries, std::size_t axis, Problem& problem) {
  const std::string name = convection::axis_names[axis];
  if (says_periodic(boundaries, name)) {
    problem.axes[axis].periodic = true;
    return;
  }
  const TomlSection sides = boundaries.section(name);
  allow_wall(sides, problem, {"lower", "upper", "velocity"});
  if (sides.has("lower") || sides.has("upper")) {
    read_two_sides(sides, axis, problem);
    return;
  }
  read_wall(boundaries.section(name), {axis, 0}, problem);
  read_wall(boundaries.section(name), {axis, 1}, problem);
}

}  // namespace

void refuse_stray_temperature(const TomlSection& section, const Problem& problem) {
  const bool has_one = !problem.scalars.empty() && problem.scalars.front().name == "temperature";
  if (!has_one && section.has("temperature")) {
    section.refuse("temperature", "is of a case that has none",
                   "give it a diffusivity in [physics], or rayleigh and prandtl");
  }
}

void read_boundaries(const TomlSection& boundaries, Problem& problem) {
  boundaries.allow({"x", "y", "z"});
  for (std::size_t axis = 0; axis < 3; ++axis) {
    read_axis(boundaries, axis, problem);
  }
}

}  // namespace bankfull::convect
