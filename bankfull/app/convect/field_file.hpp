#pragma once

#include "bankfull/app/convect/field_planes.hpp"
#include "bankfull/workloads/convection/run.hpp"

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace bankfull::convect {

/// What the files of a run's fields have in common.
struct FieldFileLayout {
  FieldRequest request;
  std::vector<FieldArray> arrays;
  std::string case_name;
  std::string units;  ///< of all that is in them
  std::array<std::int64_t, 3> cells{};
  std::array<convection::GridAxis, 3> axes;  ///< along x, y, z
  bool is_uniform = true;                    ///< along all of them
  int pressure_field = 0;                    ///< FieldArray::field of the pressure
  int threads = 1;                           ///< that form chunks of a file
};

/// As many as keep up with a disk; one where the run itself needs all.
int threads_of_field_files(const convection::Problem& problem);

FieldFileLayout layout_of(const Case& run, const convection::Grid& grid);

/// A file of fields of one time, which appears whole or not at all. Throws RuntimeFailure, and
/// NoRoom.
class FieldFile {
 public:
  virtual ~FieldFile() = default;

  /// The planes of an array from z0 on, as PlaneReader gives them: arrays in order, and planes.
  virtual void write(std::size_t array, std::int64_t z0, std::int64_t z1, const double* values) = 0;

  /// Gives it its name.
  virtual void commit() = 0;
};

std::unique_ptr<FieldFile> make_field_file(const std::filesystem::path& path,
                                           const FieldFileLayout& layout,
                                           const convection::FieldMoment& moment);

// The two kinds; the first one in builds with HDF5 only.
std::unique_ptr<FieldFile> make_hdf5_field_file(const std::filesystem::path& path,
                                                const FieldFileLayout& layout,
                                                const convection::FieldMoment& moment);
std::unique_ptr<FieldFile> make_vtk_field_file(const std::filesystem::path& path,
                                               const FieldFileLayout& layout);

/// Where an array is in a file of HDF5: "fields/u", "centred/u".
std::string dataset_of(const FieldArray& array);

/// "flow-000042.h5", ".vti" on a uniform grid, ".vtr" on others.
std::string field_file_name(const FieldFileLayout& layout, std::int64_t number);

/// Whether a name is that of such a file, or of one that was being written.
bool is_field_file_name(const std::string& name);
bool is_temporary_field_file(const std::string& name);

}  // namespace bankfull::convect
