#pragma once

#include "bankfull/app/convect/case.hpp"
#include "bankfull/app/png_file.hpp"
#include "bankfull/workloads/convection/grid.hpp"
#include "bankfull/workloads/convection/integrator.hpp"

namespace bankfull::convect {

/// A slice in false colours, and the values that the first and the last colour stand for.
struct SlicePicture {
  Picture picture;
  double least = 0.0;
  double most = 0.0;
};

/// Draws a slice to scale: x to the right, or y across x; z upwards, or y across z. Pixels lie
/// between the centres of the cells and take their values from the four around, linearly; small
/// grids are enlarged. Velocity is taken at the centres.
SlicePicture draw_slice(const SliceRequest& slice, const convection::Problem& problem,
                        const convection::Grid& grid, const convection::FlowReader& flow);

}  // namespace bankfull::convect
