#include "bankfull/app/convect/slice_file.hpp"

#include "bankfull/core/base/build_facts.hpp"
#include "bankfull/core/io/hdf5_file.hpp"

namespace bankfull::convect {

void write_slice(const std::filesystem::path& path, const SliceRequest& slice,
                 const SlicePlane& plane, const convection::SnapshotMoment& moment) {
  const auto rows = static_cast<std::int64_t>(plane.up.centres.size());
  const auto columns = static_cast<std::int64_t>(plane.right.centres.size());
  hdf5::NewFile file(path);
  file.set_attribute("format", std::string("bankfull slice of convection"));
  file.set_attribute("version", std::int64_t{1});
  file.set_attribute("written_by", "bankfull " + build_facts().version);
  file.set_attribute("field", slice.field);
  file.set_attribute("normal", convection::axis_names[static_cast<std::size_t>(slice.normal)]);
  file.set_number_attribute("at", slice.position);
  file.set_attribute("number", moment.number);
  file.set_attribute("step", moment.step);
  file.set_number_attribute("time", moment.time);
  file.add(plane.up.name, plane.up.centres);
  file.add(plane.right.name, plane.right.centres);
  file.add("values", {.element = hdf5::Element::fp64, .extents = {rows, columns}})
      .write({{0, 0}, {rows, columns}}, plane.values.data());
  file.commit();
}

}  // namespace bankfull::convect
