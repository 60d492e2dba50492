#include "bankfull/app/convect/case_file.hpp"

#include "bankfull/app/convect/boundaries.hpp"
#include "bankfull/app/convect/formula.hpp"
#include "bankfull/app/convect/output.hpp"
#include "bankfull/app/convect/physics.hpp"
#include "bankfull/app/convect/samples.hpp"
#include "bankfull/app/convect/settings.hpp"
#include "bankfull/app/counts.hpp"
#include "bankfull/app/input_file.hpp"
#include "bankfull/app/toml_check.hpp"
#include "bankfull/app/toml_section.hpp"
#include "bankfull/app/toml_text.hpp"
#include "bankfull/core/base/error.hpp"
#include "bankfull/core/base/format.hpp"
#include "bankfull/core/base/precision_names.hpp"
#include "bankfull/core/base/printable.hpp"
#include "bankfull/workloads/convection/option_names.hpp"

#include <algorithm>
#include <cctype>
#include <cstring>
#include <fmt/format.h>

namespace bankfull::convect {
namespace {

namespace fs = std::filesystem;
using convection::Problem;

constexpr double max_cells = 1 << 20;
constexpr std::size_t max_case_bytes = 1 << 20;
constexpr double default_courant = 0.35;

/// Files and folders are called by names, with some letters of ours after them.
constexpr std::size_t longest_name = 200;
constexpr std::size_t max_title_length = 200;

bool is_name(const std::string& text, const char* besides) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [besides](unsigned char letter) {
    return std::isalnum(letter) != 0 || std::strchr(besides, letter) != nullptr;
  });
}

toml::table parse_toml(const std::string& text, const std::string& file) {
  if (const auto fault = toml_fault(text)) {
    throw UsageError(fmt::format("{}:{}:{}: {}", file, fault->line, fault->column, fault->problem),
                     fault->remedy);
  }
  try {
    return toml::parse(safe_toml(text), file);
  } catch (const toml::parse_error& error) {
    throw UsageError(
        fmt::format("{}: invalid TOML: {}", place_of(error.source(), file), error.description()),
        "fix the line, or see https://toml.io");
  }
}

/// "64x1x64", which needs no quotes on a command line, is a list, too.
void read_cells(const TomlSection& domain, Problem& problem) {
  const NumberRange range = NumberRange::within(1.0, max_cells, "cells");
  toml::node& given = domain.node("cells");
  if (const auto text = given.value<std::string>()) {
    const std::vector<std::string> parts = parts_of(*text, 'x');
    toml::array list;
    for (const std::string& part : parts) {
      const auto count = parse_count(part, static_cast<std::int64_t>(max_cells));
      if (parts.size() != 3 || !count) {
        domain.refuse("cells", "= " + written(given) + " is not a size",
                      fmt::format("give 64x1x64 or [64, 1, 64], each from 1 to {}", max_cells));
      }
      list.push_back(*count);
    }
    domain.replace("cells", std::move(list));
  }
  const std::array<double, 3> cells = domain.numbers("cells", range);
  for (std::size_t axis = 0; axis < 3; ++axis) {
    problem.axes[axis].cells = static_cast<std::int64_t>(cells[axis]);
    if (static_cast<double>(problem.axes[axis].cells) != cells[axis]) {
      domain.refuse("cells", "= " + written(domain.node("cells")) + " has a part of a cell",
                    "give whole numbers");
    }
  }
}

void read_domain(TomlSection domain, Problem& problem) {
  domain.allow({"lower", "upper", "cells", "stretching"});
  const NumberRange place = NumberRange::any("units of length");
  const std::array<double, 3> lower = domain.numbers("lower", place, {0.0, 0.0, 0.0});
  const std::array<double, 3> upper = domain.numbers("upper", place);
  const std::array<double, 3> stretching =
      domain.numbers("stretching", NumberRange::within(0.0, 5.0), {0.0, 0.0, 0.0});
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (upper[axis] <= lower[axis]) {
      domain.refuse("upper",
                    fmt::format("ends {} at {}, where it begins at {}",
                                convection::axis_names[axis], upper[axis], lower[axis]),
                    "put the upper end above the lower one");
    }
    problem.axes[axis].lower = lower[axis];
    problem.axes[axis].upper = upper[axis];
    problem.axes[axis].stretching = stretching[axis];
  }
  read_cells(domain, problem);
}

void check_scalar_name(const TomlSection& section, const std::string& name,
                       const Problem& problem) {
  static const std::vector<std::string> taken{"velocity", "lower", "upper",       "noise",
                                              "seed",     "from",  "u",           "v",
                                              "w",        "speed", "acceleration"};
  if (name.size() > longest_name) {
    section.refuse("name", "= '" + name + "' is too long for files of pictures",
                   fmt::format("use up to {} letters", longest_name));
  }
  if (!is_name(name, "_-") || std::isalpha(static_cast<unsigned char>(name.front())) == 0) {
    section.refuse("name", "= '" + name + "' is not a name",
                   "begin with a letter, then letters, digits, _ and -");
  }
  const bool twice =
      std::any_of(problem.scalars.begin(), problem.scalars.end(),
                  [&](const convection::Scalar& scalar) { return scalar.name == name; });
  if (twice || name == "temperature" ||
      std::find(taken.begin(), taken.end(), name) != taken.end()) {
    section.refuse("name", "= '" + name + "' is taken", "choose another name");
  }
}

void add_scalars(const TomlSection& root, bool with_temperature, Problem& problem) {
  if (with_temperature) {
    problem.scalars.emplace_back();
  }
  for (const TomlSection& section : root.sections("scalar")) {
    section.allow({"name", "diffusivity", "buoyancy", "advection"});
    const std::string name = section.text("name");
    check_scalar_name(section, name, problem);
    problem.scalars.push_back({.name = name});
  }
}

/// What the scalars beside the temperature are, now that the direction upwards is known.
void read_scalars(const TomlSection& root, const convection::Vector& up, bool with_temperature,
                  Problem& problem) {
  std::size_t next = with_temperature ? 1 : 0;
  for (TomlSection& section : root.sections("scalar")) {
    convection::Scalar& scalar = problem.scalars[next++];
    scalar.diffusivity = section.number("diffusivity", NumberRange::positive("length^2 / time"));
    const double buoyancy =
        section.number("buoyancy", NumberRange::any("length / time^2 for each unit"), 0.0);
    scalar.buoyancy = {buoyancy * up[0], buoyancy * up[1], buoyancy * up[2]};
    scalar.advection =
        section.choice("advection", convection::advection_names, convection::Advection::centred);
  }
}

std::vector<std::string> with_scalars(std::vector<std::string> keys, const Problem& problem) {
  for (const convection::Scalar& scalar : problem.scalars) {
    keys.push_back(scalar.name);
  }
  return keys;
}

/// Which scalars the other run has is not known yet.
void read_from(const TomlSection& initial, std::string& from) {
  from = initial.text("from");
  if (from.empty()) {
    initial.refuse("from", "names no run", "name the folder of one, or leave it out");
  }
  if (initial.has("velocity")) {
    initial.refuse("velocity", "contradicts from", "leave one of them out");
  }
}

void read_initial(TomlSection initial, Case& loaded) {
  Problem& problem = loaded.problem;
  refuse_stray_temperature(initial, problem);
  initial.allow(with_scalars({"from", "velocity", "noise", "seed"}, problem));
  if (initial.has("from")) {
    read_from(initial, loaded.from);
  }
  problem.initial_velocity = read_formulas(initial, "velocity");
  for (convection::Scalar& scalar : problem.scalars) {
    if (initial.has(scalar.name)) {
      loaded.own_initial.insert(scalar.name);
    }
    scalar.initial = read_formula(initial, scalar.name);
  }
  problem.noise = initial.number("noise", NumberRange::at_least(0.0, "length / time"), 0.0);
  problem.seed = static_cast<std::uint64_t>(initial.integer("seed", NumberRange::at_least(0.0), 1));
}

void read_forcing(const TomlSection& forcing, Problem& problem) {
  refuse_stray_temperature(forcing, problem);
  forcing.allow(with_scalars({"acceleration"}, problem));
  std::array<Source, 3> acceleration = read_sources(forcing, "acceleration");
  for (std::size_t axis = 0; axis < acceleration.size(); ++axis) {
    problem.force[axis] = std::move(acceleration[axis].field);
    problem.force_factor[axis] = std::move(acceleration[axis].factor);
  }
  for (convection::Scalar& scalar : problem.scalars) {
    Source source = read_source(forcing, scalar.name);
    scalar.source = std::move(source.field);
    scalar.source_factor = std::move(source.factor);
  }
}

void read_step(TomlSection& time, convection::TimeStep& step) {
  const NumberRange duration = NumberRange::positive("units of time");
  if (time.has("dt")) {
    for (const char* other : {"cfl", "longest"}) {
      if (time.has(other)) {
        time.refuse(other, "contradicts dt", "give dt, or cfl and perhaps longest");
      }
    }
    step.fixed = time.number("dt", duration);
    return;
  }
  step.courant = time.number("cfl", NumberRange::positive(), default_courant);
  if (time.has("longest")) {
    step.longest = time.number("longest", duration);
  }
}

/// After the domain and its walls, which say whether it can be implicit. A case that asks for what
/// it then has not would be thought to run with it.
void read_implicit_diffusion(TomlSection& time, Problem& problem) {
  using convection::ImplicitDiffusion;
  const std::string key = "implicit_diffusion";
  problem.implicit_diffusion =
      time.choice(key, convection::implicit_diffusion_names, ImplicitDiffusion::none);
  if (problem.implicit_diffusion == ImplicitDiffusion::none || problem.implicit_anywhere()) {
    return;
  }
  const bool of_walls = problem.implicit_diffusion == ImplicitDiffusion::walls;
  time.refuse(key,
              fmt::format("= '{}', but no axis {}", to_string(problem.implicit_diffusion),
                          of_walls ? "lies between walls" : "is stretched"),
              of_walls ? R"(use "none")" : R"(use "none", or "walls", or give domain.stretching)");
}

void read_until(const TomlSection& until, convection::Until& bounds) {
  until.allow({"steady", "converged", "window"});
  if (!until.has("steady") && !until.has("converged")) {
    until.refuse_all("has neither 'steady' nor 'converged'", "give one of them, or both");
  }
  const NumberRange part = NumberRange::within(1e-12, 1.0, "parts of the Nusselt number");
  if (until.has("steady")) {
    bounds.steady = until.number("steady", part);
  }
  if (until.has("converged")) {
    bounds.converged = until.number("converged", part);
  }
  bounds.window = until.number("window", NumberRange::positive("units of time"));
}

void read_time(TomlSection time, Problem& problem) {
  time.allow({"scheme", "implicit_diffusion", "dt", "cfl", "longest", "steps", "end", "until"});
  problem.scheme =
      time.choice("scheme", convection::time_scheme_names, convection::TimeScheme::adams_bashforth);
  read_implicit_diffusion(time, problem);
  read_step(time, problem.time_step);
  if (!time.has("steps") && !time.has("end")) {
    time.refuse_all("has neither 'steps' nor 'end'", "say when the run ends");
  }
  if (time.has("steps")) {
    problem.steps = time.integer("steps", NumberRange::at_least(1.0, "steps"));
  }
  if (time.has("end")) {
    problem.end_time = time.number("end", NumberRange::positive("units of time"));
  }
  if (time.has("until")) {
    read_until(time.section("until"), problem.until);
  }
}

void read_solver(TomlSection solver, Problem& problem) {
  solver.allow({"pressure", "divergence", "precision", "schedule"});
  problem.solver = solver.choice("pressure", convection::pressure_solver_names,
                                 convection::PressureSolver::automatic);
  problem.divergence = solver.number("divergence", NumberRange::positive(), Problem{}.divergence);
  problem.precision = solver.choice("precision", precision_names, Precision::fp64);
  problem.schedule =
      solver.choice("schedule", convection::schedule_names, convection::Schedule::tuned);
}

/// As a person would write them.
const std::vector<std::string>& sections_in_order() {
  static const std::vector<std::string> sections{
      "name", "title",  "domain", "physics",    "scalar",   "boundaries", "initial", "forcing",
      "time", "solver", "output", "statistics", "spectrum", "probe",      "fields",  "checkpoint"};
  return sections;
}

void read_names(TomlSection& root, const std::string& file, Case& loaded) {
  const std::string stem = fs::path(file).stem().string();
  loaded.problem.name = root.text("name", stem);
  if (!is_name(loaded.problem.name, "._-") || loaded.problem.name.front() == '.') {
    root.refuse("name", "= '" + loaded.problem.name + "' is not a name for a folder",
                "use letters, digits, - and _");
  }
  if (loaded.problem.name.size() > longest_name) {
    root.refuse("name", "= '" + loaded.problem.name + "' is too long for a folder",
                fmt::format("use up to {} letters", longest_name));
  }
  loaded.title = printable(root.text("title", ""), max_title_length);
}

void read_case(TomlSection& root, Case& loaded) {
  root.allow(sections_in_order());
  Problem& problem = loaded.problem;
  read_names(root, root.file(), loaded);
  read_domain(root.section("domain"), problem);
  TomlSection physics = root.section("physics");
  allow_physics(physics);
  loaded.has_temperature = has_temperature(physics);
  add_scalars(root, loaded.has_temperature, problem);
  read_boundaries(root.section("boundaries"), problem);
  const convection::Vector up = read_physics(physics, problem);
  loaded.units = physics.has("scaling") ? physics.text("scaling") + " scaling" : "of the case";
  read_scalars(root, up, loaded.has_temperature, problem);
  read_initial(root.section_or_empty("initial"), loaded);
  read_forcing(root.section_or_empty("forcing"), problem);
  read_time(root.section("time"), problem);
  read_solver(root.section_or_empty("solver"), problem);
  TomlSection output = root.section_or_empty("output");
  read_output(output, up, loaded);
  read_statistics(root, up, loaded);
  read_spectra(root, loaded);
  read_probes(root, loaded);
  read_fields(root.section_or_empty("fields"), loaded);
  read_checkpoint(root.section_or_empty("checkpoint"), loaded);
}

}  // namespace

Case parse_case(const std::string& text, const std::string& file,
                const std::vector<std::string>& settings) {
  toml::table table = parse_toml(text, file);
  for (const std::string& setting : settings) {
    apply_setting(table, setting);
  }
  Case loaded;
  loaded.places = SettingPlaces(table, file);
  TomlSection root(table, "", file);
  placed(loaded.places, [&] {
    read_case(root, loaded);
    loaded.problem.validate();
  });
  loaded.resolved = toml_text(table, sections_in_order());
  return loaded;
}

Case load_case(const fs::path& file, const std::vector<std::string>& settings) {
  const std::string text = read_input_file(file, max_case_bytes,
                                           {.problem = "cannot read the case " + file.string(),
                                            .remedy = "name a case file, or one of --list-cases"});
  return parse_case(text, file.string(), settings);
}

}  // namespace bankfull::convect
