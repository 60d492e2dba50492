#include "bankfull/app/convect/field_file.hpp"
#include "bankfull/core/base/build_facts.hpp"
#include "bankfull/core/io/hdf5_file.hpp"

#include <fmt/format.h>
#include <utility>

namespace bankfull::convect {
namespace {

using convection::axis_names;

class Hdf5FieldFile final : public FieldFile {
 public:
  Hdf5FieldFile(const std::filesystem::path& path, const FieldFileLayout& layout,
                const convection::FieldMoment& moment)
      : file_(path), layout_(layout) {
    file_.set_attribute("format", std::string("bankfull fields of convection"));
    file_.set_attribute("version", std::int64_t{1});
    file_.set_attribute("written_by", "bankfull " + build_facts().version);
    file_.set_attribute("revision", build_facts().git_revision);
    file_.set_attribute("case", layout.case_name);
    file_.set_attribute("units", layout.units);
    file_.set_attribute("number", moment.number);
    file_.set_attribute("step", moment.step);
    file_.set_number_attribute("time", moment.time);
    for (std::size_t axis = 0; axis < 3; ++axis) {
      add_axis(axis_names[axis], layout.axes[axis]);
    }
  }

  void write(std::size_t array, std::int64_t z0, std::int64_t z1, const double* values) override {
    const auto [nx, ny, nz] = layout_.cells;
    if (z0 == 0) {
      dataset_ = std::make_unique<hdf5::Dataset>(added(layout_.arrays[array]));
    }
    dataset_->write({{z0, 0, 0}, {z1 - z0, ny, nx}}, values);
    file_.begin_flush();
    if (z1 == nz) {
      dataset_.reset();
    }
  }

  void commit() override { file_.commit(); }

 private:
  void add_axis(const std::string& name, const convection::GridAxis& axis) {
    file_.add("grid/" + name + "_faces", axis.faces);
    file_.add("grid/" + name + "_centres",
              std::vector<double>(axis.centres.begin() + 1, axis.centres.end() - 1));
  }

  hdf5::Dataset added(const FieldArray& array) {
    const auto [nx, ny, nz] = layout_.cells;
    const bool single = layout_.request.precision == Precision::fp32;
    hdf5::Dataset dataset =
        file_.add(dataset_of(array), {.element = single ? hdf5::Element::fp32 : hdf5::Element::fp64,
                                      .extents = {nz, ny, nx},
                                      .deflate = layout_.request.compression,
                                      .threads = layout_.threads});
    dataset.set_attribute("place", place_of(array));
    dataset.set_attribute("units", units_of(array));
    return dataset;
  }

  [[nodiscard]] std::string units_of(const FieldArray& array) const {
    const bool is_pressure = array.field == layout_.pressure_field;
    return array.field < 3 ? "length / time"
           : is_pressure   ? "length^2 / time^2"
                           : "of " + array.name;
  }

  [[nodiscard]] static std::string place_of(const FieldArray& array) {
    const bool on_faces = array.field < 3 && !array.centred;
    const std::string axis = array.name == "u" ? "x" : array.name == "v" ? "y" : "z";
    return on_faces ? "lower faces of the cells across " + axis : "centres of the cells";
  }

  hdf5::NewFile file_;
  const FieldFileLayout& layout_;
  std::unique_ptr<hdf5::Dataset> dataset_;
};

}  // namespace

std::unique_ptr<FieldFile> make_hdf5_field_file(const std::filesystem::path& path,
                                                const FieldFileLayout& layout,
                                                const convection::FieldMoment& moment) {
  return std::make_unique<Hdf5FieldFile>(path, layout, moment);
}

}  // namespace bankfull::convect
