#pragma once

#include "bankfull/app/convect/case.hpp"
#include "bankfull/app/convect/picture_frame.hpp"
#include "bankfull/app/png_file.hpp"
#include "bankfull/workloads/convection/grid.hpp"
#include "bankfull/workloads/convection/integrator.hpp"
#include "bankfull/workloads/convection/scalar_range.hpp"

#include <limits>

namespace bankfull::convect {

/// A slice in false colours, and the values that the first and the last colour stand for.
struct SlicePicture {
  Picture picture;
  double least = 0.0;
  double most = 0.0;
};

/// One of the two axes of a slice, and the centres of its cells.
struct SliceAxis {
  std::string name;  ///< "x", "y" or "z"
  std::vector<double> centres;
};

/// The values of a slice at the centres of cells, between the two next to it linearly.
struct SlicePlane {
  SliceAxis right;
  SliceAxis up;
  std::vector<double> values;  ///< rows along `right`, the lowest first
};

/// `right` is x, or y for a slice across x; `up` is z, or y for a slice across z. Velocity is taken
/// at the cells' centres, as the mean over two faces.
SlicePlane slice_plane(const SliceRequest& slice, const convection::Problem& problem,
                       const convection::Grid& grid, const convection::FlowReader& flow);

/// The range of no values, to be extended.
inline constexpr convection::ScalarRange no_range{std::numeric_limits<double>::infinity(),
                                                  -std::numeric_limits<double>::infinity()};

/// The range of all values of either.
convection::ScalarRange both(const convection::ScalarRange& one,
                             const convection::ScalarRange& other);

/// What is known of a slice's values before it is drawn, of those that its colours stand for in the
/// whole run: of a scalar what the run knows of it, of the speed that it is not below 0. `so_far`:
/// what colours of earlier pictures stood for.
convection::KnownRange range_beforehand(const SliceRequest& slice,
                                        const convection::Problem& problem,
                                        const std::vector<convection::KnownRange>& scalars,
                                        const convection::ScalarRange& so_far);

/// Draws a slice to scale. Pixels lie between the centres of the cells and take their values from
/// the four around, linearly; small grids are enlarged. Where colours stand for the range of the
/// run that is what is known beforehand, with the extremes of the picture unless that holds.
SlicePicture draw_slice(const SliceRequest& slice, const SlicePlane& plane,
                        const convection::Grid& grid,
                        const convection::KnownRange& beforehand = {.range = no_range});

/// What the frame of such a picture says, of the flow at a time and step.
PictureCaption caption_of(const SliceRequest& slice, const convection::Grid& grid,
                          const SlicePicture& drawn, double time, std::int64_t step);

}  // namespace bankfull::convect
