#include "bankfull/app/convect/field_index.hpp"

#include <fmt/format.h>
#include <fstream>

namespace bankfull::convect {
namespace {

/// Coordinates of the faces, which are the nodes of the mesh.
std::string mesh_text(const FieldFileLayout& layout, const std::string& file) {
  const auto [nx, ny, nz] = layout.cells;
  const std::string nodes = fmt::format("{} {} {}", nz + 1, ny + 1, nx + 1);
  const auto& axes = layout.axes;
  if (layout.is_uniform) {
    const auto width = [&](std::size_t axis) {
      return axes[axis].length() / static_cast<double>(layout.cells[axis]);
    };
    return fmt::format(
        "    <Topology TopologyType=\"3DCoRectMesh\" Dimensions=\"{}\"/>\n"
        "    <Geometry GeometryType=\"ORIGIN_DXDYDZ\">\n"
        "     <DataItem Dimensions=\"3\" NumberType=\"Float\" Precision=\"8\" Format=\"XML\">"
        "{} {} {}</DataItem>\n"
        "     <DataItem Dimensions=\"3\" NumberType=\"Float\" Precision=\"8\" Format=\"XML\">"
        "{} {} {}</DataItem>\n"
        "    </Geometry>\n",
        nodes, axes[2].faces.front(), axes[1].faces.front(), axes[0].faces.front(), width(2),
        width(1), width(0));
  }
  std::string text = fmt::format(
      "    <Topology TopologyType=\"3DRectMesh\" Dimensions=\"{}\"/>\n"
      "    <Geometry GeometryType=\"VXVYVZ\">\n",
      nodes);
  for (std::size_t axis = 0; axis < 3; ++axis) {
    text += fmt::format(
        "     <DataItem Dimensions=\"{}\" NumberType=\"Float\" Precision=\"8\" Format=\"HDF\">"
        "{}:/grid/{}_faces</DataItem>\n",
        layout.cells[axis] + 1, file, convection::axis_names[axis]);
  }
  return text + "    </Geometry>\n";
}

std::string values_text(const FieldFileLayout& layout, const FieldArray& array,
                        const std::string& file) {
  const auto [nx, ny, nz] = layout.cells;
  return fmt::format(
      "     <DataItem Dimensions=\"{} {} {}\" NumberType=\"Float\" Precision=\"{}\" "
      "Format=\"HDF\">{}:/{}</DataItem>\n",
      nz, ny, nx, bytes_of(layout.request.precision), file, dataset_of(array));
}

std::string array_text(const FieldFileLayout& layout, const FieldArray& array,
                       const std::string& file) {
  return fmt::format(
      "    <Attribute Name=\"{}\" AttributeType=\"Scalar\" Center=\"Cell\">\n{}"
      "    </Attribute>\n",
      array.name, values_text(layout, array, file));
}

/// The three velocities as one vector, where all are there; else nothing.
std::string velocity_text(const FieldFileLayout& layout, const std::string& file) {
  std::array<std::string, 3> components;
  for (const FieldArray& array : layout.arrays) {
    for (std::size_t n = 0; n < 3; ++n) {
      if (array.centred && array.name == velocity_fields[n]) {
        components[n] = values_text(layout, array, file);
      }
    }
  }
  const auto& [u, v, w] = components;
  if (u.empty() || v.empty() || w.empty()) {
    return "";
  }
  const auto [nx, ny, nz] = layout.cells;
  return fmt::format(
      "    <Attribute Name=\"velocity\" AttributeType=\"Vector\" Center=\"Cell\">\n"
      "     <DataItem ItemType=\"Function\" Function=\"JOIN($0, $1, $2)\" "
      "Dimensions=\"{} {} {} 3\">\n{}{}{}"
      "     </DataItem>\n"
      "    </Attribute>\n",
      nz, ny, nx, u, v, w);
}

std::string xdmf_text(const FieldFileLayout& layout, const std::vector<ListedFields>& files) {
  std::string text =
      "<?xml version=\"1.0\"?>\n"
      "<Xdmf Version=\"2.0\">\n"
      " <Domain>\n"
      "  <Grid Name=\"fields\" GridType=\"Collection\" CollectionType=\"Temporal\">\n";
  for (const ListedFields& listed : files) {
    text += fmt::format("   <Grid Name=\"flow\" GridType=\"Uniform\">\n    <Time Value=\"{}\"/>\n",
                        listed.time);
    text += mesh_text(layout, listed.file);
    for (const FieldArray& array : layout.arrays) {
      if (array.field >= 3 || array.centred) {
        text += array_text(layout, array, listed.file);
      }
    }
    text += velocity_text(layout, listed.file);
    text += "   </Grid>\n";
  }
  return text + "  </Grid>\n </Domain>\n</Xdmf>\n";
}

std::string pvd_text(const std::vector<ListedFields>& files) {
  std::string text =
      "<?xml version=\"1.0\"?>\n"
      "<VTKFile type=\"Collection\" version=\"1.0\" byte_order=\"LittleEndian\">\n"
      "  <Collection>\n";
  for (const ListedFields& listed : files) {
    text += fmt::format("    <DataSet timestep=\"{}\" file=\"{}\"/>\n", listed.time, listed.file);
  }
  return text + "  </Collection>\n</VTKFile>\n";
}

}  // namespace

std::string line_of(const std::string& file, const convection::FieldMoment& moment) {
  return fmt::format("{},{},{},{}", file, moment.number, moment.step, moment.time);
}

std::vector<ListedFields> listed_fields(const std::filesystem::path& list) {
  std::vector<ListedFields> files;
  std::error_code ignored;
  if (std::filesystem::symlink_status(list, ignored).type() !=
      std::filesystem::file_type::regular) {
    return files;
  }
  std::ifstream stream(list);
  std::string line;
  std::getline(stream, line);  // the heading
  while (std::getline(stream, line)) {
    const std::filesystem::path file = line.substr(0, line.find(','));
    if (file.parent_path() == "fields" && is_field_file_name(file.filename().string())) {
      files.push_back({file.string(), line.substr(line.rfind(',') + 1)});
    }
  }
  return files;
}

std::string index_text(const FieldFileLayout& layout, const std::vector<ListedFields>& files) {
  return layout.request.format == FieldFormat::hdf5 ? xdmf_text(layout, files) : pvd_text(files);
}

}  // namespace bankfull::convect
