#pragma once

#include "bankfull/core/field/box.hpp"
#include "bankfull/workloads/convection/grid.hpp"
#include "bankfull/workloads/convection/metrics.hpp"
#include "bankfull/workloads/convection/problem.hpp"

#include <cmath>
#include <cstdint>
#include <vector>

namespace bankfull::convection {

/// All fields of a flow on the host, in fp64: velocity along the storage axes 0, 1, 2, then the
/// scalars. Element (i, j, k) of each at (i nj + j) nk + k.
struct FlowState {
  std::vector<std::vector<double>> fields;
};

/// Fields of which any part can be asked for: a whole flow may be larger than the host's memory.
class FlowReader {
 public:
  virtual ~FlowReader() = default;

  /// Writes the elements of a field in a part of the grid, k fastest. A flow that ranks share is
  /// read by all of them together; `values` is null on those that need none.
  virtual void read(int field, const Box& part, double* values) const = 0;

  [[nodiscard]] FlowState whole(const Grid& grid, int fields) const;
};

/// Reads a FlowState. Both it and the grid must outlive the reader.
class KeptFlow final : public FlowReader {
 public:
  KeptFlow(const FlowState& state, const Grid& grid) : state_(&state), grid_(&grid) {}

  void read(int field, const Box& part, double* values) const override;

 private:
  const FlowState* state_;
  const Grid* grid_;
};

/// The fields that a problem starts from, noise included, as initial conditions give them, formed
/// by Problem::host_threads threads where they are read. Both outlive it.
///
/// Reading throws UsageError about the setting where a formula is not finite.
class InitialFlow final : public FlowReader {
 public:
  InitialFlow(const Problem& problem, const Grid& grid) : problem_(&problem), grid_(&grid) {}

  void read(int field, const Box& part, double* values) const override;

 private:
  const Problem* problem_;
  const Grid* grid_;
};

/// The whole of an InitialFlow.
FlowState initial_state(const Problem& problem, const Grid& grid);

/// Planes along axis 0 whose elements of one field take about 64 MiB as fp64, one at least.
std::int64_t planes_of_a_piece(const Extents& cells);

/// The value of a scalar between those that walls fix at time 0 or, where none does, in the middle
/// of the box at the start.
double middle_value(const Problem& problem, const Scalar& scalar);

/// What is left out of the buoyancy of scalars. Along axes with walls that of their middle_value:
/// pressure balances it there, whatever it is, and stays small without it, which counts in single
/// precision. Along others nothing is left out: less than nothing, that of what the problem's
/// scalars are less than themselves.
Vector reference_acceleration(const Problem& problem);

/// What the fluid of a problem is, along storage axes.
template <class Real>
Medium<Real> medium_of(const Problem& problem, const Grid& grid) {
  Medium<Real> medium;
  medium.viscosity = static_cast<Real>(problem.viscosity);
  medium.scalar_count = static_cast<int>(problem.scalars.size());
  const Vector reference = reference_acceleration(problem);
  for (const int n : storage_axes) {
    const auto along = static_cast<std::size_t>(grid.physical(n));
    medium.implicit_along[n] = problem.implicit_along()[along];
    medium.reference[n] = static_cast<Real>(reference[along]);
    medium.twice_rotation[n] = static_cast<Real>(2.0 * grid.handedness() * problem.rotation[along]);
    for (std::size_t s = 0; s < problem.scalars.size(); ++s) {
      medium.scalars[s].diffusivity = static_cast<Real>(problem.scalars[s].diffusivity);
      const double buoyancy = problem.scalars[s].buoyancy[along];
      medium.scalars[s].buoyancy[n] = static_cast<Real>(buoyancy);
      medium.scalars[s].total_buoyancy += static_cast<Real>(std::abs(buoyancy));
    }
  }
  return medium;
}

/// Metrics at every index along an axis.
template <class Real>
std::vector<AxisMetric<Real>> metrics_of(const GridAxis& axis) {
  std::vector<AxisMetric<Real>> metrics;
  const std::vector<double>& widths = axis.cells.widths;
  const std::size_t count = widths.size();
  for (std::size_t n = 0; n < count; ++n) {
    const std::size_t beyond = axis.cells.periodic ? count - 1 : 0;
    const double before = n == 0 ? widths[beyond] : widths[n - 1];
    const auto face = static_cast<std::int64_t>(n);
    metrics.push_back({.per_cell = static_cast<Real>(1.0 / widths[n]),
                       .per_cell_before = static_cast<Real>(1.0 / before),
                       .per_face = static_cast<Real>(1.0 / axis.cells.distance(face)),
                       .per_face_next = static_cast<Real>(1.0 / axis.cells.distance(face + 1)),
                       .weight = static_cast<Real>(before / (before + widths[n]))});
  }
  return metrics;
}

/// Steady accelerations and sources at every element, as FlowState's fields; a field without any is
/// empty.
std::vector<std::vector<double>> steady_sources(const Problem& problem, const Grid& grid);

/// Those in a part of the grid, k fastest.
std::vector<std::vector<double>> steady_sources(const Problem& problem, const Grid& grid,
                                                const Box& part);

/// Looks at the formulas of the initial flow, forces and sources at some places of the grid, those
/// at its ends among them: cheap on any grid, and all places of a small one.
///
/// Throws UsageError about the setting where one is not finite there, as InitialFlow does.
void require_finite_formulas(const Problem& problem, const Grid& grid);

/// Which of a field's elements lie on a wall, where velocity through it is zero.
bool lies_on_wall(const Grid& grid, int field, std::int64_t i, std::int64_t j, std::int64_t k);

}  // namespace bankfull::convection
