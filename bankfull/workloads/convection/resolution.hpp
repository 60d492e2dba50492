#pragma once

#include "bankfull/core/measure/run_result.hpp"
#include "bankfull/workloads/convection/diagnosis.hpp"
#include "bankfull/workloads/convection/grid.hpp"
#include "bankfull/workloads/convection/heat_path.hpp"
#include "bankfull/workloads/convection/problem.hpp"
#include "bankfull/workloads/convection/scalar_range.hpp"
#include "bankfull/workloads/convection/state.hpp"

#include <optional>
#include <string>
#include <vector>

namespace bankfull::convection {

/// How fine a grid is for the flow on it at one time. What does not apply to a flow is empty.
struct Resolution {
  /// The largest cell, as the geometric mean of its widths, over the length of Batchelor,
  /// eta / sqrt(max(1, nu / kappa)), with Kolmogorov's eta = (nu^3 / dissipation)^(1/4) for the
  /// mean dissipation: of the least diffusive scalar.
  std::optional<double> cell_over_batchelor;
  std::optional<double> cell_over_kolmogorov;

  /// The mean width of cells in the thinner thermal boundary layer, over its thickness
  /// L / (2 Nu): the inverse of the number of cells there, where there is any.
  std::optional<double> cell_in_boundary_layer;

  /// By how much a scalar is outside the values that it began with and has on walls, over their
  /// range: the largest of all scalars without sources and heated walls.
  std::optional<double> overshoot;

  /// Without viscosity, where there is no Kolmogorov's length: the largest cell over the length of
  /// the flow's gradients, (mean |u|^2 / mean |grad u|^2)^(1/2).
  std::optional<double> cell_over_gradients;

  /// By how much the rounding of what a scalar is stored less of (Scalar::reference) is a part of
  /// its range, now or at the start with fixed walls, whichever is larger: the most of all scalars.
  /// What surroundings are, or walls come to later, is no range of what is stored. A scalar that
  /// nothing makes differ from place to place has none: what it differs by is rounding alone.
  std::optional<double> rounding;

  /// Largest |u| h / min(nu, kappa) along any axis, with its widest cells; without viscosity of the
  /// least diffusive scalar.
  std::optional<double> cell_peclet;
};

/// What a resolved flow may have. Cells up to pi eta: G. Groetzbach, J. Comput. Phys. 49 (1983)
/// 241-264. Boundary layers: three cells at least, which O. Shishkina, R. J. A. M. Stevens,
/// S. Grossmann, D. Lohse, New J. Phys. 12 (2010) 075022 ask for at Ra 1e6; more at larger ones.
/// Gradients of a flow without viscosity: as of a wave of eight cells, which centred differences of
/// second order carry a tenth too slowly. Turbulence is beyond, whatever the grid: nothing else
/// ends its cascade. Rounding: a layer at Ra 1e4 in fp32, far from what its scalar is stored less
/// of, has its Nusselt numbers to 1 % there. Three cells at all times are within, whatever their
/// mean rounds to.
struct ResolutionBounds {
  static constexpr double cell_over_batchelor = 3.1416;
  static constexpr double cell_in_boundary_layer = (1.0 + 1e-12) / 3.0;
  static constexpr double overshoot = 0.02;
  static constexpr double cell_over_gradients = 0.7854;
  static constexpr double rounding = 1e-3;
};

/// Whether a flow is within all bounds.
bool is_resolved(const Resolution& resolution);

/// Follows how a run is resolved.
class ResolutionWatch {
 public:
  /// `start` is the flow that the run begins with.
  ResolutionWatch(const Problem& problem, const Grid& grid, const Diagnosis& start);

  /// Notes the flow of a time and says how it is resolved. `nusselt`: where there is a HeatPath.
  Resolution add(double time, const Diagnosis& flow, const std::optional<Nusselt>& nusselt);

  /// For the second half of the run: means over it, and the largest overshoot.
  [[nodiscard]] std::vector<Check> checks() const;

  /// One for each scalar, for the whole run.
  [[nodiscard]] std::vector<KnownRange> known_ranges() const;

  /// For a run that continues later, from the same start.
  void save(PackedNumbers& to) const;
  void restore(PackedNumbers& from);

  /// The scalar that left its bounds tenfold, and how far it got; "" while none did. No flow does
  /// so: it grows by its scheme.
  [[nodiscard]] std::string runaway(const Diagnosis& flow) const;

 private:
  struct Bounds {
    double least = 0.0;
    double most = 0.0;
    bool hold = false;            ///< nothing heats
    double range_at_start = 0.0;  ///< with that of fixed walls then
    bool differs = false;         ///< anything makes it so

    [[nodiscard]] double range() const { return most - least; }
    [[nodiscard]] double excess(const Diagnosis::OfScalar& scalar) const;
  };

  struct Noted {
    double time = 0.0;
    Resolution resolution;
  };

  [[nodiscard]] static Bounds bounds_of(const Problem& problem, const Scalar& scalar,
                                        const Diagnosis::OfScalar& start);
  [[nodiscard]] std::optional<double> boundary_layer_cell(const Nusselt& nusselt) const;
  [[nodiscard]] std::optional<double> cell_peclet(const Diagnosis& flow) const;
  [[nodiscard]] std::optional<double> rounding(const Diagnosis& flow) const;

  const Problem& problem_;
  const Grid& grid_;
  double widest_ = 0.0;           ///< geometric mean
  double largest_prandtl_ = 1.0;  ///< nu / kappa, at least 1
  std::vector<Bounds> bounds_;    ///< of the scalars
  std::vector<Noted> noted_;
};

}  // namespace bankfull::convection
