#pragma once

#include "bankfull/app/convect/case.hpp"
#include "bankfull/workloads/convection/flow.hpp"
#include "bankfull/workloads/convection/grid.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace bankfull::convect {

/// One array of a file of fields.
struct FieldArray {
  std::string name;      ///< "u", "v", "w" along x, y, z, that of a scalar, or "pressure"
  int field = 0;         ///< of the flow: velocities are less than 3
  bool centred = false;  ///< of a velocity: at the centres of cells, not on their lower faces
};

/// What a case asks for. Files of VTK have no place for values on faces.
std::vector<FieldArray> arrays_of(const FieldRequest& request, const convection::Problem& problem,
                                  const convection::Grid& grid);

/// Cells along x, y, z.
std::array<std::int64_t, 3> cells_along_xyz(const convection::Grid& grid);

/// The axis that runs along x (0), y (1) or z (2).
const convection::GridAxis& axis_along(const convection::Grid& grid, int physical_axis);

/// Reads fields by planes across z, whatever the order is in which the flow is stored: files have x
/// fastest, then y.
class PlaneReader {
 public:
  /// Both outlive it.
  PlaneReader(const convection::Grid& grid, const convection::FlowReader& flow);

  /// The planes z0 <= z < z1: element (x, y, z) at ((z - z0) ny + y) nx + x.
  void read(const FieldArray& array, std::int64_t z0, std::int64_t z1, double* values);

 private:
  void read_field(int field, std::int64_t z0, std::int64_t z1, double* values);
  void centre(int field, std::int64_t z0, std::int64_t z1, double* values);

  const convection::Grid* grid_;
  const convection::FlowReader* flow_;
  std::array<std::int64_t, 3> n_;  ///< cells along x, y, z
  bool is_in_order_;               ///< the flow is stored as files are
  std::vector<double> stored_;     ///< a part as it is stored
  std::vector<double> beyond_;     ///< faces beyond the last ones of a part
};

}  // namespace bankfull::convect
