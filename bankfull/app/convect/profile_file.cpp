#include "bankfull/app/convect/profile_file.hpp"

#include "bankfull/app/output_file.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace bankfull::convect {
namespace {

std::string profile_name(const std::string& window, std::size_t axis, bool on_faces) {
  return fmt::format("{}{}{}{}.csv", window, window.empty() ? "" : "-",
                     convection::axis_names[axis], on_faces ? "-faces" : "");
}

/// Two lines that begin with '#': what is averaged, and the units; names of columns; one row for
/// each plane.
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

std::string spectrum_name(const convection::SpectrumRequest& request) {
  return request.name + ".csv";
}

/// What a spectrum is of, and where: values lie in the planes nearest to the places asked for.
std::string heading_of_spectrum(const convection::Spectrum& spectrum) {
  const convection::SpectrumRequest& request = *spectrum.request;
  const char* const along = convection::axis_names[request.along];
  const char* const across = convection::axis_names[request.across];
  std::string text = fmt::format(
      "# variances by wavenumber along {}, averaged over {} and over times {} to {}; {} samples; "
      "errors by {} batches\n",
      along, request.at.empty() ? std::string("the box") : fmt::format("planes across {}", across),
      spectrum.from, spectrum.until, spectrum.samples, spectrum.batches);
  for (const convection::SpectrumAtPlace& at : spectrum.at) {
    for (std::size_t n = 0; n < at.places.size(); ++n) {
      text += n == 0 ? fmt::format("# {} = {}: of values at", across, at.place) : ",";
      text += fmt::format(" {} ({})", at.places[n], at.columns[n].name);
    }
    text += at.places.empty() ? "" : "\n";
  }
  text += "# units: wavenumber: 1/length";
  for (const convection::ProfileColumn& column : spectrum.at.front().columns) {
    text += fmt::format("; {}: {}", column.name, column.unit);
  }
  text += fmt::format("\n{}mode,wavenumber", request.at.empty() ? "" : across + std::string(","));
  for (const convection::ProfileColumn& column : spectrum.at.front().columns) {
    text += fmt::format(",{0},{0}_error", column.name);
  }
  return text + "\n";
}

std::string text_of_spectrum(const convection::Spectrum& spectrum) {
  std::string text = heading_of_spectrum(spectrum);
  for (const convection::SpectrumAtPlace& at : spectrum.at) {
    for (std::size_t k = 0; k < spectrum.wavenumbers.size(); ++k) {
      text += at.places.empty() ? "" : fmt::format("{},", at.place);
      text += fmt::format("{},{}", k, spectrum.wavenumbers[k]);
      for (const convection::ProfileColumn& column : at.columns) {
        text += fmt::format(",{},{}", column.values[k],
                            column.errors.empty() ? "" : fmt::format("{}", column.errors[k]));
      }
      text += "\n";
    }
  }
  return text;
}

}  // namespace

std::vector<std::string> spectrum_names(const Case& wanted) {
  const std::vector<convection::SpectrumRequest>& spectra = wanted.cadence.spectra;
  std::vector<std::string> names(spectra.size());
  std::ranges::transform(spectra, names.begin(), spectrum_name);
  return names;
}

void write_spectrum(const std::filesystem::path& folder, const convection::Spectrum& spectrum) {
  StagedFile(folder / spectrum_name(*spectrum.request), text_of_spectrum(spectrum)).replace();
}

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
