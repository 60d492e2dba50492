#pragma once

#include "bankfull/core/field/view.hpp"
#include "bankfull/workloads/convection/boundary.hpp"
#include "bankfull/workloads/convection/drive.hpp"
#include "bankfull/workloads/convection/grid.hpp"
#include "bankfull/workloads/convection/problem.hpp"

#include <array>
#include <vector>

namespace bankfull::convection {

/// Implicit diffusion by its definition: second differences of fields with ghosts, and one line of
/// unknowns after the other. No schedule shares this code.
class ReferenceDiffusion {
 public:
  ReferenceDiffusion(const Problem& problem, const Grid& grid);

  [[nodiscard]] bool along(int axis) const { return along_[static_cast<std::size_t>(axis)]; }
  [[nodiscard]] bool any() const { return along_[0] || along_[1] || along_[2]; }

  /// The sum of the field's second differences along all implicit axes at a cell, times its
  /// diffusivity.
  [[nodiscard]] double rate(int field, const FieldView<double>& values, std::int64_t i,
                            std::int64_t j, std::int64_t k) const;

  /// Replaces the right side by the change of the field that solves, along all implicit axes,
  /// (1 - time diffusivity D) change = right side. Walls prescribe the change of what they are in
  /// the times of a stage: each in the solves along its own axis, so that the order of the axes
  /// counts where walls meet. The mean of all orders is taken.
  void solve(int field, double time, const StageTimes& times,
             const FieldView<double>& change) const;

  /// The sum of the second differences of a potential, through walls zero, times the viscosity.
  [[nodiscard]] double rate_of_potential(const std::vector<double>& potential, std::int64_t i,
                                         std::int64_t j, std::int64_t k) const;

 private:
  using Index = std::array<std::int64_t, 3>;

  /// 1 / (distance times length) of the differences to both neighbours along an axis.
  struct Weights {
    double below;
    double above;
  };
  [[nodiscard]] Weights weights(bool on_faces, int axis, std::int64_t n) const;

  void solve_along(int field, int axis, double time, const Continuation* wall_changes,
                   const FieldView<double>& change) const;
  void solve_line(int field, int axis, double time, Index at,
                  const FieldView<double>& change) const;

  const Problem& problem_;
  const Grid& grid_;
  std::array<bool, 3> along_{};
  std::vector<double> diffusivities_;  ///< of all fields
  std::vector<Continuations> continuations_;
};

}  // namespace bankfull::convection
