#include "bankfull/app/convect/field_file.hpp"

#include "bankfull/app/output_file.hpp"
#include "bankfull/build_config.hpp"
#include "bankfull/core/base/error.hpp"

#include <algorithm>
#include <cctype>
#include <fmt/format.h>
#include <string_view>

namespace bankfull::convect {
namespace {

constexpr std::string_view field_file_beginning = "flow-";
constexpr std::size_t fewest_digits_of_a_number = 6;
constexpr std::array<std::string_view, 3> field_file_endings{".h5", ".vti", ".vtr"};

}  // namespace

int threads_of_field_files(const convection::Problem& problem) {
  return problem.device.is_cuda() ? std::min(problem.host_threads, max_threads_per_file) : 1;
}

FieldFileLayout layout_of(const Case& run, const convection::Grid& grid) {
  FieldFileLayout layout{.request = run.fields,
                         .arrays = arrays_of(run.fields, run.problem, grid),
                         .case_name = run.problem.name,
                         .units = run.units,
                         .cells = cells_along_xyz(grid),
                         .pressure_field = 3 + static_cast<int>(run.problem.scalars.size()),
                         .threads = threads_of_field_files(run.problem)};
  for (int n = 0; n < 3; ++n) {
    const auto axis = static_cast<std::size_t>(n);
    layout.axes[axis] = axis_along(grid, n);
    layout.is_uniform = layout.is_uniform && run.problem.axes[axis].stretching == 0.0;
  }
  return layout;
}

std::unique_ptr<FieldFile> make_field_file(const std::filesystem::path& path,
                                           const FieldFileLayout& layout,
                                           const convection::FieldMoment& moment) {
  if constexpr (build::hdf5) {
    if (layout.request.format == FieldFormat::hdf5) {
      return make_hdf5_field_file(path, layout, moment);
    }
  }
  return make_vtk_field_file(path, layout);
}

std::string dataset_of(const FieldArray& array) {
  return (array.centred ? "centred/" : "fields/") + array.name;
}

std::string field_file_name(const FieldFileLayout& layout, std::int64_t number) {
  const std::size_t ending = layout.request.format == FieldFormat::hdf5 ? 0
                             : layout.is_uniform                        ? 1
                                                                        : 2;
  return fmt::format("{}{:0{}}{}", field_file_beginning, number, fewest_digits_of_a_number,
                     field_file_endings[ending]);
}

bool is_field_file_name(const std::string& name) {
  const std::size_t dot = name.find('.');
  if (dot == std::string::npos || !name.starts_with(field_file_beginning) ||
      dot < field_file_beginning.size() + fewest_digits_of_a_number) {
    return false;
  }
  const auto number = name.substr(field_file_beginning.size(), dot - field_file_beginning.size());
  return std::ranges::find(field_file_endings, name.substr(dot)) != field_file_endings.end() &&
         std::ranges::all_of(number,
                             [](unsigned char letter) { return std::isdigit(letter) != 0; });
}

bool is_temporary_field_file(const std::string& name) {
  return std::ranges::any_of(field_file_endings, [&name](std::string_view ending) {
    const std::size_t end = name.find(ending);
    const std::string file =
        name.substr(0, end == std::string::npos ? std::string::npos : end + ending.size());
    return end != std::string::npos && is_field_file_name(file) && is_temporary_of(name, file);
  });
}

}  // namespace bankfull::convect
