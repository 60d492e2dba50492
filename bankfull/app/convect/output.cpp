#include "bankfull/app/convect/output.hpp"

#include "bankfull/app/convect/checkpoints.hpp"
#include "bankfull/app/convect/physics.hpp"
#include "bankfull/app/convect/picture_frame.hpp"
#include "bankfull/app/convect/samples.hpp"
#include "bankfull/build_config.hpp"
#include "bankfull/core/base/bytes.hpp"
#include "bankfull/core/base/precision_names.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace bankfull::convect {
namespace {

constexpr std::size_t max_slices = 100;
constexpr std::size_t max_windows = 20;

constexpr auto field_format_names =
    enum_names<FieldFormat>({{FieldFormat::hdf5, "hdf5"}, {FieldFormat::vtk, "vtk"}});

const std::vector<std::string>& axis_letters() {
  static const std::vector<std::string> letters{"x", "y", "z"};
  return letters;
}

std::vector<std::string> fields_of(const convection::Problem& problem) {
  std::vector<std::string> names(problem.scalars.size());
  std::transform(problem.scalars.begin(), problem.scalars.end(), names.begin(),
                 [](const convection::Scalar& scalar) { return scalar.name; });
  names.insert(names.end(), velocity_fields.begin(), velocity_fields.end());
  return names;
}

/// The pressure last, unless a scalar is called so.
std::vector<std::string> fields_to_write(const convection::Problem& problem) {
  std::vector<std::string> names(velocity_fields.begin(), velocity_fields.begin() + 3);
  for (const convection::Scalar& scalar : problem.scalars) {
    names.push_back(scalar.name);
  }
  if (std::ranges::find(names, pressure_name) == names.end()) {
    names.emplace_back(pressure_name);
  }
  return names;
}

/// Across this axis one sees up and down, and along the others as many cells as there are.
std::size_t viewing_axis(const convection::Problem& problem, const convection::Vector& up) {
  std::size_t chosen = 1;
  std::int64_t fewest = -1;
  for (const std::size_t axis : {std::size_t{1}, std::size_t{0}, std::size_t{2}}) {
    const bool horizontal = !is_along(up, axis);
    if (horizontal && (fewest < 0 || problem.axes[axis].cells < fewest)) {
      chosen = axis;
      fewest = problem.axes[axis].cells;
    }
  }
  return chosen;
}

void read_range(TomlSection& section, SliceRequest& slice) {
  const bool is_named = !section.has("range") || section.node("range").is_string();
  if (is_named) {
    slice.range = section.choice("range", colour_range_names, ColourRange::run);
    return;
  }
  const toml::array* ends = section.node("range").as_array();
  const bool numbers = ends != nullptr && ends->size() == 2 &&
                       ends->get(0)->value<double>().has_value() &&
                       ends->get(1)->value<double>().has_value();
  if (numbers) {
    slice.given = {ends->get(0)->value_or(0.0), ends->get(1)->value_or(0.0)};
  }
  const auto& [least, most] = slice.given;
  if (!numbers || !std::isfinite(least) || !std::isfinite(most) || most <= least) {
    section.refuse("range", "= " + written(section.node("range")) + " is not a range",
                   R"(give [least, greatest], "run" or "picture")");
  }
  slice.range = ColourRange::given;
}

std::vector<std::string> fields_of_slice(TomlSection& section, const convection::Problem& problem) {
  const std::vector<std::string> fields = fields_of(problem);
  if (!section.has("fields")) {
    return {
        fields[section.choice("field", fields, problem.scalars.empty() ? fields.size() - 1 : 0)]};
  }
  if (section.has("field")) {
    section.refuse("fields", "cannot be combined with field", "leave one of them out");
  }
  return section.some_of("fields", fields);
}

bool is_of_velocity(const std::string& field) {
  return std::find(velocity_fields.begin(), velocity_fields.end(), field) != velocity_fields.end();
}

ColourMap usual_colours(const std::string& field) {
  return is_of_velocity(field) ? ColourMap::viridis : ColourMap::inferno;
}

/// One for each of its fields.
std::vector<SliceRequest> read_slice(TomlSection& section, const convection::Problem& problem,
                                     std::size_t default_axis) {
  section.allow({"field", "fields", "normal", "at", "range", "colours"});
  SliceRequest slice;
  const std::vector<std::string> fields = fields_of_slice(section, problem);
  const std::size_t normal = section.choice("normal", axis_letters(), default_axis);
  slice.normal = static_cast<int>(normal);
  const convection::AxisCells& axis = problem.axes[normal];
  slice.position = section.number("at", NumberRange::within(axis.lower, axis.upper),
                                  0.5 * (axis.lower + axis.upper));
  read_range(section, slice);
  // With several fields each has its own colours, so a single name does not suffice.
  const bool one_map = fields.size() == 1 || section.has("colours");
  if (one_map) {
    slice.colours = section.choice("colours", colour_map_names, usual_colours(fields.front()));
  }
  std::vector<SliceRequest> slices;
  for (const std::string& field : fields) {
    slice.field = field;
    slice.colours = one_map ? slice.colours : usual_colours(field);
    slices.push_back(slice);
  }
  return slices;
}

/// The names of axes in a list, or one of them.
std::array<bool, 3> read_axes(TomlSection& section, const std::string& key,
                              const std::string& absent) {
  std::array<bool, 3> chosen{};
  if (!section.has(key)) {
    static_cast<void>(section.text(key, absent));
  }
  const auto choose = [&](const toml::node& name) {
    const auto& letters = axis_letters();
    const auto place = std::find(letters.begin(), letters.end(), name.value_or(std::string()));
    if (place == letters.end()) {
      section.refuse(key, "= " + written(section.node(key)) + " names no axis",
                     R"(give "z", or a list as ["x", "z"])");
    }
    chosen[static_cast<std::size_t>(place - letters.begin())] = true;
  };
  const toml::node& given = section.node(key);
  if (const toml::array* names = given.as_array()) {
    for (const toml::node& name : *names) {
      choose(name);
    }
  } else {
    choose(given);
  }
  if (chosen == std::array<bool, 3>{}) {
    section.refuse(key, "= [] names no axis", "leave the section out to have no statistics");
  }
  return chosen;
}

convection::StatisticsRequest read_window(TomlSection& section, const std::string& absent_name,
                                          const std::string& absent_axis) {
  section.allow({"name", "profiles", "every", "from", "until"});
  convection::StatisticsRequest request;
  request.name = read_file_name(section, absent_name);
  request.along = read_axes(section, "profiles", absent_axis);
  request.every = section.integer("every", NumberRange::at_least(1.0, "steps"), 10);
  request.from = section.number("from", NumberRange::at_least(0.0, "time"), 0.0);
  request.until = section.number("until", NumberRange::at_least(0.0, "time, 0 for the end"), 0.0);
  require_window(section, request.from, request.until);
  return request;
}

}  // namespace

void read_output(TomlSection& output, const convection::Vector& up, Case& wanted) {
  output.allow({"series_every", "snapshots", "frame", "data", "report", "slice"});
  wanted.cadence.series_steps =
      output.integer("series_every", NumberRange::at_least(0.0, "steps, 0 for about 200 rows"), 0);
  wanted.cadence.snapshots = static_cast<int>(
      output.integer("snapshots", NumberRange::within(0.0, 100'000.0, "pictures per slice"), 5));
  if (wanted.cadence.snapshots == 1) {
    output.refuse("snapshots", "= 1 is too few", "give 0, or 2 and more: one is of the start");
  }
  wanted.frames = output.flag("frame", has_picture_frames());
  if (wanted.frames && !has_picture_frames()) {
    output.refuse("frame", "= true needs stb_truetype, which this program was built without",
                  "install libstb-dev and build it again, or leave it out");
  }
  wanted.slice_data = output.flag("data", false);
  if (wanted.slice_data && !build::hdf5) {
    output.refuse("data", "= true needs HDF5, which this program was built without",
                  "install libhdf5-dev and build it again, or leave it out");
  }
  wanted.report = output.flag("report", true);
  const std::size_t axis = viewing_axis(wanted.problem, up);
  std::vector<TomlSection> sections = output.sections_or_one("slice");
  if (sections.size() > max_slices) {
    output.refuse("slice", fmt::format("has {} sections", sections.size()),
                  fmt::format("ask for up to {} slices", max_slices));
  }
  for (TomlSection& section : sections) {
    const std::vector<SliceRequest> slices = read_slice(section, wanted.problem, axis);
    wanted.slices.insert(wanted.slices.end(), slices.begin(), slices.end());
  }
  if (wanted.slices.size() > max_slices) {
    output.refuse("slice", fmt::format("asks for {} fields in all", wanted.slices.size()),
                  fmt::format("ask for up to {}", max_slices));
  }
}

void read_statistics(TomlSection& root, const convection::Vector& up, Case& wanted) {
  std::size_t vertical = 2;
  for (const std::size_t axis : {std::size_t{1}, std::size_t{0}}) {
    vertical = is_along(up, axis) ? axis : vertical;
  }
  const std::string& along = axis_letters()[vertical];
  if (!root.has("statistics")) {
    return;
  }
  if (root.node("statistics").is_table()) {
    TomlSection section = root.section("statistics");
    wanted.cadence.statistics.push_back(read_window(section, "", along));
    return;
  }
  for (TomlSection& section : root.sections("statistics")) {
    std::vector<convection::StatisticsRequest>& all = wanted.cadence.statistics;
    const std::string absent = fmt::format("window{}", all.size() + 1);
    convection::StatisticsRequest request = read_window(section, absent, along);
    const bool taken = std::any_of(all.begin(), all.end(),
                                   [&](const auto& other) { return other.name == request.name; });
    if (taken) {
      section.refuse("name", "= '" + request.name + "' is that of an earlier window",
                     "give each window a name of its own");
    }
    if (all.size() == max_windows) {
      section.refuse_all("is one window too many",
                         fmt::format("ask for up to {} windows", max_windows));
    }
    all.push_back(std::move(request));
  }
}

void read_fields(TomlSection fields, Case& wanted) {
  fields.allow({"every", "time", "wall", "write", "precision", "compression", "centred", "format",
                "buffer"});
  const bool says_how_often = fields.has("every") || fields.has("time") || fields.has("wall");
  convection::FieldCadence& cadence = wanted.cadence.fields;
  cadence.steps = fields.integer("every", NumberRange::at_least(0.0, "steps, 0 for none"), 0);
  cadence.time = fields.number("time", NumberRange::at_least(0.0, "time, 0 for none"), 0.0);
  cadence.seconds = fields.number("wall", NumberRange::at_least(0.0, "seconds, 0 for none"), 0.0);
  if (!cadence.any()) {
    const bool says_what = fields.has("write") || fields.has("centred") || fields.has("format");
    if (says_what && !says_how_often) {
      fields.refuse_all("does not say how often", "give every (steps), time or wall (seconds)");
    }
    if (!says_what) {
      return;  // no fields: [fields] may be there to end those of an earlier run
    }
  }
  FieldRequest& request = wanted.fields;
  request.names =
      fields.some_of("write", fields_to_write(wanted.problem), 3 + wanted.problem.scalars.size());
  request.precision = fields.choice("precision", precision_names, wanted.problem.precision);
  request.compression =
      static_cast<int>(fields.integer("compression", NumberRange::within(0.0, 9.0), 0));
  request.format = fields.choice("format", field_format_names,
                                 build::hdf5 ? FieldFormat::hdf5 : FieldFormat::vtk);
  request.buffer_bytes = mib * fields.integer("buffer", NumberRange::within(1.0, 1e6, "MiB"), 1024);
  request.centred = fields.flag("centred", request.format == FieldFormat::vtk);
  if (request.format == FieldFormat::hdf5) {
    if (!build::hdf5) {
      fields.refuse("format", "= 'hdf5' needs HDF5, which this program was built without",
                    "use \"vtk\"");
    }
    return;
  }
  if (request.compression > 0) {
    fields.refuse("compression", "is not for files of VTK", "leave it out, or use HDF5");
  }
  if (!request.centred) {
    fields.refuse("centred", "= false, but files of VTK have velocities at centres only",
                  "leave it out, or use HDF5");
  }
}

void read_checkpoint(TomlSection checkpoint, Case& wanted) {
  checkpoint.allow({"every", "time", "wall"});
  convection::CheckpointCadence& cadence = wanted.cadence.checkpoints;
  cadence.steps = checkpoint.integer("every", NumberRange::at_least(0.0, "steps, 0 for none"), 0);
  cadence.time = checkpoint.number("time", NumberRange::at_least(0.0, "time, 0 for none"), 0.0);
  cadence.seconds =
      checkpoint.number("wall", NumberRange::at_least(0.0, "seconds, 0 for none"), 0.0);
  if (cadence.any()) {
    about("checkpoint", [] { require_checkpoints("[checkpoint]"); });
  }
}

}  // namespace bankfull::convect
