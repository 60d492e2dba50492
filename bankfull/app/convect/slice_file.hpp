#pragma once

#include "bankfull/app/convect/slice.hpp"
#include "bankfull/workloads/convection/run.hpp"

#include <filesystem>

namespace bankfull::convect {

/// Writes the values of a slice and their places to a file of HDF5, which appears whole or not at
/// all: "values" with rows along `right`, "x" and the like the centres of cells along both axes.
/// Throws RuntimeFailure. Builds with HDF5 only.
void write_slice(const std::filesystem::path& path, const SliceRequest& slice,
                 const SlicePlane& plane, const convection::SnapshotMoment& moment);

}  // namespace bankfull::convect
