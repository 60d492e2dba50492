#pragma once

#include "bankfull/core/field/box.hpp"
#include "bankfull/numerics/poisson/poisson.hpp"
#include "bankfull/workloads/convection/problem.hpp"

#include <array>
#include <cstdint>
#include <vector>

namespace bankfull::convection {

/// Numbers of the storage axes: planes, rows and the contiguous cells of a row.
inline constexpr std::array<int, 3> storage_axes{0, 1, 2};

/// Positions and distances along one storage axis. Face n lies below cell n.
struct GridAxis {
  std::vector<double> faces;    ///< cells + 1
  std::vector<double> centres;  ///< cells + 2: centre of cell n at [n + 1], images beyond both ends
  poisson::Axis cells;

  [[nodiscard]] std::int64_t count() const { return cells.cells(); }
  [[nodiscard]] double centre(std::int64_t cell) const {
    return centres[static_cast<std::size_t>(cell + 1)];
  }
  [[nodiscard]] double length() const { return faces.back() - faces.front(); }
  [[nodiscard]] double width(std::int64_t cell) const {
    return cells.widths[static_cast<std::size_t>(cell)];
  }
};

/// The staggered (Arakawa C) grid: scalars and pressure at the centres of the cells, velocity n at
/// the centre of the cells' faces that are normal to storage axis n, on their lower side.
///
/// Fields are stored with the planes along the axis that is stretched the most, or along z. Mostly
/// the other two are uniform: then metrics are constant within a plane, and transforms run along
/// them.
class Grid {
 public:
  explicit Grid(const std::array<AxisCells, 3>& axes);

  [[nodiscard]] const GridAxis& axis(int storage_axis) const {
    return axes_[static_cast<std::size_t>(storage_axis)];
  }

  /// Which of x (0), y (1), z (2) runs along a storage axis, and the other way round.
  [[nodiscard]] int physical(int storage_axis) const {
    return physical_[static_cast<std::size_t>(storage_axis)];
  }
  /// Along x, y, z what is given along the storage axes.
  template <class T>
  [[nodiscard]] std::array<T, 3> along_xyz(const std::array<T, 3>& of_storage) const {
    return {of_storage[static_cast<std::size_t>(storage(0))],
            of_storage[static_cast<std::size_t>(storage(1))],
            of_storage[static_cast<std::size_t>(storage(2))]};
  }

  [[nodiscard]] int storage(int physical_axis) const {
    return storage_[static_cast<std::size_t>(physical_axis)];
  }

  /// +1 where the storage axes are right-handed, else -1.
  [[nodiscard]] int handedness() const { return handedness_; }

  [[nodiscard]] Extents extents() const {
    return {axes_[0].count(), axes_[1].count(), axes_[2].count()};
  }
  [[nodiscard]] poisson::Domain domain() const {
    return {axes_[0].cells, axes_[1].cells, axes_[2].cells};
  }

  /// Where element (i, j, k) of a field lies: of velocity n where field = n < 3, else at centres.
  [[nodiscard]] Vector place(int field, std::int64_t i, std::int64_t j, std::int64_t k) const;

  [[nodiscard]] double volume() const {
    return axes_[0].length() * axes_[1].length() * axes_[2].length();
  }

 private:
  std::array<int, 3> physical_{};
  std::array<int, 3> storage_{};
  int handedness_ = 1;
  std::array<GridAxis, 3> axes_;
};

}  // namespace bankfull::convection
