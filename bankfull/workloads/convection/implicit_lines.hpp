#pragma once

#include "bankfull/workloads/convection/boundary.hpp"
#include "bankfull/workloads/convection/drive.hpp"
#include "bankfull/workloads/convection/grid.hpp"
#include "bankfull/workloads/convection/implicit_line.hpp"
#include "bankfull/workloads/convection/problem.hpp"
#include "bankfull/workloads/convection/wall_changes.hpp"

#include <array>
#include <cstdint>
#include <vector>

namespace bankfull::convection {

/// Thomas's factors of all fields along the implicit axes: what (1 - time nu D) makes of a line
/// depends on the place along it alone, so that one table serves all lines of an axis.
template <class Real>
class ImplicitLines {
 public:
  ImplicitLines(const Problem& problem, const Grid& grid);

  [[nodiscard]] bool along(int axis) const { return along_[static_cast<std::size_t>(axis)]; }
  [[nodiscard]] bool any() const { return along_[0] || along_[1] || along_[2]; }

  /// Whether planes are the only implicit axis, so that one elimination leads from the old values
  /// to the new ones; with several axes, their solves lead to the change.
  [[nodiscard]] bool for_values() const { return along_[0] && !along_[1] && !along_[2]; }

  /// For the matrices with `time`: theta tau.
  void form(double time);

  /// The factors of all fields, one after the other, at index n along an axis. Planes have factors,
  /// too, where diffusion along them is explicit: these change nothing.
  [[nodiscard]] const LineFactors<Real>* at(int axis, std::int64_t n) const {
    return &factors_[static_cast<std::size_t>(axis)][static_cast<std::size_t>(n) * fields_];
  }

  /// What the wall beyond one end of the planes adds to the right side beside it, for each unit
  /// that it prescribes: time nu / distance^2, roughly.
  [[nodiscard]] Real wall_weight(int field, int side) const {
    return static_cast<Real>(line(0, field).wall_weight(time_, side));
  }

  [[nodiscard]] const Continuation& wall(int field, int side) const {
    return continuations_[static_cast<std::size_t>(field)].at[0][side];
  }

  /// What walls whose ghosts change within a stage add to its right side.
  [[nodiscard]] WallChanges<Real> wall_changes(const std::vector<VaryingWall>& walls,
                                               const StageTimes& times) const;

  /// It points to weights(axis, ...).
  [[nodiscard]] ImplicitLine line(int axis, int field) const;

  /// The weights of the velocity along the axis, which lies on faces across it, or of all other
  /// fields.
  [[nodiscard]] const std::vector<NeighbourWeights<double>>& weights(int axis,
                                                                     bool on_faces) const {
    return weights_[static_cast<std::size_t>(axis)][on_faces ? 1 : 0];
  }

 private:
  std::array<bool, 3> along_{};
  std::size_t fields_;
  double time_ = 0.0;
  std::vector<double> diffusivities_;
  std::vector<Continuations> continuations_;
  std::array<std::array<std::vector<NeighbourWeights<double>>, 2>, 3> weights_;
  std::array<std::vector<LineFactors<Real>>, 3> factors_;
};

}  // namespace bankfull::convection
