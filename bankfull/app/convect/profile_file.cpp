#include "bankfull/app/convect/profile_file.hpp"

#include "bankfull/app/output_file.hpp"

#include <fmt/format.h>

namespace bankfull::convect {
namespace {

std::string profile_name(const std::string& window, std::size_t axis, bool on_faces) {
  return fmt::format("{}{}{}{}.csv", window, window.empty() ? "" : "-",
                     convection::axis_names[axis], on_faces ? "-faces" : "");
}

/// Two lines that begin with '#': what is averaged, and the units; names of columns; a row a plane.
std::string text_of_profile(const convection::Profile& profile,
                            const convection::ProfileTable& table) {
  const char* const axis = convection::axis_names[profile.axis];
  std::string text = fmt::format(
      "# averages over planes across {} and over times {} to {}; {} samples; errors by {} "
      "batches\n# units: {}: length",
      axis, profile.from, profile.until, profile.samples, profile.batches, axis);
  std::string names = axis;
  for (const convection::ProfileColumn& column : table.columns) {
    text += fmt::format("; {}: {}", column.name, column.unit);
    names += "," + column.name;
    names += column.name == "width" ? "" : "," + column.name + "_error";
  }
  text += "\n" + names + "\n";
  for (std::size_t n = 0; n < table.places.size(); ++n) {
    text += fmt::format("{}", table.places[n]);
    for (const convection::ProfileColumn& column : table.columns) {
      text += fmt::format(",{}", column.values[n]);
      if (column.name != "width") {
        text += column.errors.empty() ? "," : fmt::format(",{}", column.errors[n]);
      }
    }
    text += "\n";
  }
  return text;
}

}  // namespace

std::vector<std::string> profile_names(const Case& wanted) {
  std::vector<std::string> names;
  for (const convection::StatisticsRequest& request : wanted.cadence.statistics) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      if (request.along[axis]) {
        names.push_back(profile_name(request.name, axis, false));
        names.push_back(profile_name(request.name, axis, true));
      }
    }
  }
  return names;
}

void write_profile(const std::filesystem::path& folder, const convection::Profile& profile) {
  for (const convection::ProfileTable& table : profile.tables) {
    StagedFile(folder / profile_name(profile.window, profile.axis, table.on_faces),
               text_of_profile(profile, table))
        .replace();
  }
}

}  // namespace bankfull::convect
