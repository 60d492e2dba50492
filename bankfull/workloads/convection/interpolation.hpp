#pragma once

#include "bankfull/core/field/field_set.hpp"
#include "bankfull/workloads/convection/grid.hpp"

#include <array>
#include <cstdint>
#include <vector>

namespace bankfull::convection {

/// An element of a field, or a ghost beside the box: -1 <= i <= cells along axis 0, and so on.
struct FieldElement {
  int field = 0;  ///< velocity along storage axis 0, 1, 2, then scalars
  std::int64_t i = 0;
  std::int64_t j = 0;
  std::int64_t k = 0;
};

/// The elements around a point of the box, the last storage axis fastest, and what each counts.
struct Neighbourhood {
  std::array<FieldElement, 8> elements;
  std::array<double, 8> weights{};
};

/// For a field's value at a point, linear along each axis between the places where the field has
/// its values. Walls are met: one is midway between a ghost and the value beside it, and a velocity
/// through it lies on it. `point`: along x, y, z, in the box.
Neighbourhood neighbourhood_of(const Grid& grid, int field, const Vector& point);

/// The listed elements of fields on the host, whose ghosts are in place.
template <class Real>
std::vector<double> elements_of(const FieldSet<Real>& fields,
                                const std::vector<FieldElement>& list) {
  std::vector<double> values;
  values.reserve(list.size());
  for (const FieldElement& one : list) {
    values.push_back(static_cast<double>(fields[one.field](one.i, one.j, one.k)));
  }
  return values;
}

/// The sum of the elements of a neighbourhood, times what they count.
double interpolated(const Neighbourhood& around, const double* elements);

}  // namespace bankfull::convection
