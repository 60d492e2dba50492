#include "bankfull/app/convect/samples.hpp"

#include "bankfull/core/base/error.hpp"

#include <algorithm>
#include <cctype>
#include <fmt/format.h>

namespace bankfull::convect {
namespace {

using convection::ProbeRequest;

constexpr std::size_t max_probes = 100;
constexpr std::size_t max_points = 100'000;
constexpr std::int64_t usual_probe_steps = 10;

/// A point of the box, from a list of three numbers.
convection::Vector read_point(const TomlSection& section, const std::string& key,
                              const toml::node& given, const convection::Problem& problem) {
  const toml::array* list = given.as_array();
  if (list == nullptr || list->size() != 3) {
    section.refuse(key, "= " + written(given) + " is not a point", "give [x, y, z]");
  }
  convection::Vector point{};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const convection::AxisCells& cells = problem.axes[axis];
    const auto place = list->get(axis)->value<double>();
    const bool is_inside = place && *place >= cells.lower && *place <= cells.upper;
    if (!is_inside) {
      section.refuse(key, "= " + written(given) + " is outside of the box",
                     fmt::format("let {} be from {} to {}", convection::axis_names[axis],
                                 cells.lower, cells.upper));
    }
    point[axis] = *place;
  }
  return point;
}

std::vector<convection::Vector> read_list_of_points(const TomlSection& section,
                                                    const convection::Problem& problem) {
  const toml::array* list = section.node("points").as_array();
  if (list == nullptr || list->empty()) {
    section.refuse("points", "= " + written(section.node("points")) + " is not a list of points",
                   "give [[x, y, z], ...], or from and to for a line");
  }
  if (list->size() > max_points) {
    section.refuse("points", fmt::format("has {} points", list->size()),
                   fmt::format("give up to {}", max_points));
  }
  std::vector<convection::Vector> points;
  for (const toml::node& one : *list) {
    points.push_back(read_point(section, "points", one, problem));
  }
  return points;
}

/// Both ends and what is between, at equal distances.
std::vector<convection::Vector> read_line(const TomlSection& section,
                                          const convection::Problem& problem) {
  const convection::Vector from = read_point(section, "from", section.node("from"), problem);
  const convection::Vector to = read_point(section, "to", section.node("to"), problem);
  const std::int64_t count = section.integer(
      "points", NumberRange::within(2.0, static_cast<double>(max_points), "points"));
  std::vector<convection::Vector> points;
  for (std::int64_t n = 0; n < count; ++n) {
    const double share = static_cast<double>(n) / static_cast<double>(count - 1);
    convection::Vector& point = points.emplace_back();
    for (std::size_t axis = 0; axis < 3; ++axis) {
      point[axis] = n + 1 == count ? to[axis] : from[axis] + share * (to[axis] - from[axis]);
    }
  }
  return points;
}

std::vector<convection::Vector> read_points(const TomlSection& section,
                                            const convection::Problem& problem) {
  const bool is_line = section.has("from") || section.has("to");
  if (section.has("at")) {
    for (const char* other : {"points", "from", "to"}) {
      if (section.has(other)) {
        section.refuse(other, "contradicts at", "leave one of them out");
      }
    }
    return {read_point(section, "at", section.node("at"), problem)};
  }
  if (!is_line && !section.has("points")) {
    section.refuse_all("does not say where", "give at, points, or from, to and points");
  }
  return is_line ? read_line(section, problem) : read_list_of_points(section, problem);
}

/// Numbers of the fields that are named: velocity along x, y and z, then scalars.
std::vector<int> read_fields_of(TomlSection& section, const convection::Problem& problem) {
  std::vector<std::string> names(velocity_fields.begin(), velocity_fields.begin() + 3);
  for (const convection::Scalar& scalar : problem.scalars) {
    names.push_back(scalar.name);
  }
  std::vector<int> numbers;
  for (const std::string& name : section.some_of("fields", names)) {
    numbers.push_back(static_cast<int>(std::ranges::find(names, name) - names.begin()));
  }
  return numbers;
}

ProbeRequest read_probe(TomlSection& section, const std::string& absent_name,
                        const convection::Problem& problem) {
  section.allow({"name", "at", "points", "from", "to", "fields", "every", "time"});
  ProbeRequest probe;
  probe.name = read_file_name(section, absent_name);
  probe.points = read_points(section, problem);
  probe.fields = read_fields_of(section, problem);
  probe.time = section.number("time", NumberRange::at_least(0.0, "time, 0 for none"), 0.0);
  probe.every = section.integer("every", NumberRange::at_least(0.0, "steps, 0 for none"),
                                probe.time > 0.0 ? 0 : usual_probe_steps);
  if (probe.every == 0 && probe.time == 0.0) {
    section.refuse_all("does not say how often", "give every (steps), or time");
  }
  return probe;
}

constexpr std::size_t max_spectra = 100;
constexpr std::size_t max_places = 1000;

const std::vector<std::string>& letters_of_axes() {
  static const std::vector<std::string> letters{"x", "y", "z"};
  return letters;
}

/// The axis itself or, where it is not said, the first one that will do.
std::size_t read_periodic_axis(TomlSection& section, const convection::Problem& problem) {
  const auto serves = [&](std::size_t axis) {
    return problem.axes[axis].periodic && problem.axes[axis].cells > 1;
  };
  std::size_t absent = 0;
  while (absent < 2 && !serves(absent)) {
    ++absent;
  }
  const std::size_t along = section.choice("along", letters_of_axes(), absent);
  if (!serves(along)) {
    section.refuse(
        "along",
        fmt::format("= '{}' is not a periodic axis of several cells", letters_of_axes()[along]),
        "name one, or leave the spectrum out");
  }
  return along;
}

/// Places on an axis; one of them needs no list.
std::vector<double> read_places(const TomlSection& section, const convection::AxisCells& axis) {
  const NumberRange range = NumberRange::within(axis.lower, axis.upper, "units of length");
  if (!section.has("at")) {
    return {};
  }
  const toml::array* list = section.node("at").as_array();
  if (list == nullptr) {
    return {section.number("at", range)};
  }
  std::vector<double> places;
  for (const toml::node& one : *list) {
    const auto place = one.value<double>();
    if (!place || !range.holds(*place)) {
      section.refuse("at", fmt::format("has {}, which is outside the box", written(one)),
                     "give " + range.text());
    }
    places.push_back(*place);
  }
  if (places.empty() || places.size() > max_places) {
    section.refuse("at", fmt::format("has {} places", places.size()),
                   fmt::format("give 1 to {}, or leave it out for all the box", max_places));
  }
  return places;
}

convection::SpectrumRequest read_spectrum(TomlSection& section, const std::string& absent_name,
                                          const convection::Problem& problem) {
  section.allow({"name", "along", "across", "at", "every", "from", "until"});
  convection::SpectrumRequest request;
  request.name = read_file_name(section, absent_name);
  request.along = read_periodic_axis(section, problem);
  request.across =
      section.choice("across", letters_of_axes(), request.along == 2 ? std::size_t{0} : 2);
  if (request.across == request.along) {
    section.refuse("across", "= '" + letters_of_axes()[request.across] + "' is along, too",
                   "name another axis");
  }
  request.at = read_places(section, problem.axes[request.across]);
  request.every = section.integer("every", NumberRange::at_least(1.0, "steps"), 10);
  request.from = section.number("from", NumberRange::at_least(0.0, "time"), 0.0);
  request.until = section.number("until", NumberRange::at_least(0.0, "time, 0 for the end"), 0.0);
  require_window(section, request.from, request.until);
  return request;
}

/// Names are those of files: each is one's own.
template <class Request>
void add_named(const TomlSection& section, const std::string& what, Request request,
               std::vector<Request>& all) {
  if (request.name.empty()) {
    section.refuse("name", "is empty",
                   fmt::format("give each {} a name of its own, or none", what));
  }
  const bool taken =
      std::ranges::any_of(all, [&](const Request& one) { return one.name == request.name; });
  if (taken) {
    section.refuse("name", fmt::format("= '{}' is that of an earlier {}", request.name, what),
                   fmt::format("give each {} a name of its own", what));
  }
  all.push_back(std::move(request));
}

}  // namespace

void require_window(const TomlSection& section, double from, double until) {
  if (until != 0.0 && until <= from) {
    section.refuse("until", fmt::format("= {} is no later than from = {}", until, from),
                   "give a later time, or 0 for the end of the run");
  }
}

std::string read_file_name(TomlSection& section, const std::string& absent) {
  constexpr std::size_t longest = 100;
  std::string name = section.text("name", absent);
  const bool sound =
      name.size() <= longest && std::all_of(name.begin(), name.end(), [](unsigned char letter) {
        return std::isalnum(letter) != 0 || letter == '_' || letter == '-';
      });
  if (!sound) {
    section.refuse("name", "= " + written(section.node("name")) + " is not a name for files",
                   "use up to 100 letters, digits, - and _");
  }
  return name;
}

void read_probes(const TomlSection& root, Case& wanted) {
  std::vector<ProbeRequest>& all = wanted.cadence.probes;
  for (TomlSection& section : root.sections("probe")) {
    if (all.size() == max_probes) {
      section.refuse_all("is one probe too many", fmt::format("ask for up to {}", max_probes));
    }
    add_named(section, "probe",
              read_probe(section, fmt::format("probe{}", all.size() + 1), wanted.problem), all);
  }
}

void read_spectra(const TomlSection& root, Case& wanted) {
  std::vector<convection::SpectrumRequest>& all = wanted.cadence.spectra;
  for (TomlSection& section : root.sections("spectrum")) {
    if (all.size() == max_spectra) {
      section.refuse_all("is one spectrum too many", fmt::format("ask for up to {}", max_spectra));
    }
    add_named(section, "spectrum",
              read_spectrum(section, fmt::format("spectrum{}", all.size() + 1), wanted.problem),
              all);
  }
}

}  // namespace bankfull::convect
