#pragma once

#include "bankfull/app/convect/field_file.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace bankfull::convect {

/// A file of fields as fields.csv lists it.
struct ListedFields {
  std::string file;  ///< "fields/flow-000042.h5"
  std::string time;  ///< as it is written there
};

inline constexpr const char* field_list_heading = "file,number,step,time";

/// The line of a file of fields.
std::string line_of(const std::string& file, const convection::FieldMoment& moment);

/// What a list has; nothing where there is none.
std::vector<ListedFields> listed_fields(const std::filesystem::path& list);

/// Which opens all files in ParaView, times among them: XDMF, "fields.xdmf", of those of
/// HDF5, and a collection of VTK, "fields.pvd", of the others. Velocities are in it where they are
/// centred.
std::string index_text(const FieldFileLayout& layout, const std::vector<ListedFields>& files);

}  // namespace bankfull::convect
