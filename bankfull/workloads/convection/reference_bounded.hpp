#pragma once

#include "bankfull/core/field/field_set.hpp"
#include "bankfull/workloads/convection/grid.hpp"
#include "bankfull/workloads/convection/problem.hpp"
#include "bankfull/workloads/convection/scheme.hpp"
#include "bankfull/workloads/convection/state.hpp"

#include <array>
#include <cstdint>
#include <vector>

namespace bankfull::convection {

/// Flux-corrected transport of bounded scalars by its definition: fluxes of both orders through all
/// faces, limited one after the other. No schedule shares this code, nor the form of its equations.
class ReferenceBounded {
 public:
  ReferenceBounded(const Problem& problem, const Grid& grid);

  /// What a stage from this flow, whose ghosts are in place, adds to the centred result of each
  /// bounded scalar: element (i, j, k) at (i nj + j) nk + k. Keeps its fluxes.
  void find_corrections(const FieldSet<double>& flow, const Stage& stage);

  /// Adds them to a scalar that the stage has advanced from `before`; see
  /// Diagnosis::OfScalar::corrected_variance. Nothing to one that is not bounded.
  void correct(int scalar, const FieldView<const double>& before, const FieldView<double>& after);

  /// That, since the last restart.
  [[nodiscard]] double corrected_variance(int scalar) const {
    return corrected_variance_[static_cast<std::size_t>(scalar)];
  }

  /// The sum of all that leaves a cell in a time, of its content; see exchange_rate.
  [[nodiscard]] double exchange_rate(const FieldSet<double>& flow, std::int64_t i, std::int64_t j,
                                     std::int64_t k) const;

  // What later stages depend on.
  void save(StateWriter& to) const;
  void restore(const StateReader& from);

  /// Forgets fluxes and sums.
  void restart();

 private:
  using Index = std::array<std::int64_t, 3>;

  /// Through the faces of all cells across each axis: face n lies below cell n.
  using Fluxes = std::array<std::vector<double>, 3>;

  [[nodiscard]] std::int64_t count(int axis) const { return grid_.axis(axis).count(); }
  [[nodiscard]] bool walled(int axis) const { return !grid_.axis(axis).cells.periodic; }
  [[nodiscard]] std::size_t face(int axis, Index at) const;
  [[nodiscard]] std::size_t cell(Index at) const;
  [[nodiscard]] static Index beside(Index at, int axis, std::int64_t steps);
  [[nodiscard]] bool wall_beside(const Index& at, int axis, int side) const;

  template <class Body>
  void each_face(int axis, const Body& body) const;
  template <class Body>
  void each_cell(const Body& body) const;

  [[nodiscard]] Fluxes fluxes_of(const FieldSet<double>& flow, int scalar, bool upwind) const;
  /// What fluxes add to a cell.
  [[nodiscard]] double gain(const Fluxes& fluxes, const Index& at) const;
  [[nodiscard]] std::vector<double> limits(const FieldSet<double>& flow, int scalar,
                                           const std::vector<double>& low, const Fluxes& wanted,
                                           bool upper) const;
  /// Leaves of fluxes what there is no room for.
  void withhold(const std::vector<double>& rise, const std::vector<double>& fall,
                Fluxes& fluxes) const;

  const Problem& problem_;
  const Grid& grid_;
  std::vector<int> bounded_;
  std::vector<Fluxes> before_;                    ///< of each scalar, centred
  std::vector<std::vector<double>> corrections_;  ///< of each scalar
  std::vector<double> corrected_variance_;        ///< of each scalar
};

}  // namespace bankfull::convection
