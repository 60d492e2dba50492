#pragma once

#include "bankfull/core/measure/run_result.hpp"
#include "bankfull/workloads/convection/budget.hpp"
#include "bankfull/workloads/convection/diagnosis.hpp"
#include "bankfull/workloads/convection/heat_path.hpp"
#include "bankfull/workloads/convection/problem.hpp"
#include "bankfull/workloads/convection/state.hpp"

#include <array>
#include <memory>
#include <optional>
#include <vector>

namespace bankfull::convection {

/// Nusselt numbers averaged over the second half of a run.
struct NusseltAverages {
  double from = 0.0;  ///< time
  double to = 0.0;
  Nusselt mean;

  /// The greatest less the least of the means, over the largest magnitude; nothing where they would
  /// differ in a steady flow too: see all_agree.
  std::optional<double> disagreement;

  /// The part of it, over the same, that the flow has not stored: the largest of what the
  /// discretisation adds to the budgets of heat, temperature variance and kinetic energy.
  double by_discretisation = 0.0;

  /// The standard error of the least certain mean, over the largest magnitude of them: by what the
  /// means over batches of the window differ. The largest error by 8, 16 and 32 batches counts,
  /// for short ones are not independent. Nothing where too little was noted.
  std::optional<double> error;

  /// The bound of either: Nusselt numbers of different simulations differ by as much, or less.
  static constexpr double bound = 0.02;

  /// Whether the window was long enough for averages: what the flow has stored no longer matters.
  [[nodiscard]] bool settled() const {
    return disagreement && *disagreement - by_discretisation <= bound;
  }
};

/// Whether all Nusselt numbers are the same on average over a long time: each wall of the path has
/// one temperature at all times, and heat neither passes through others nor has a source.
bool all_agree(const Problem& problem, const HeatPath& path);

/// Follows the Nusselt numbers of a run.
///
/// Between walls that all_agree is true of, with <> the mean over the volume, Delta what has
/// changed over the window, and each in units of what conduction alone would do,
///
///     lower - upper                 ~ Delta <T>
///     volume - (lower + upper) / 2  ~ Delta <height T>
///     thermal - (lower + upper) / 2 ~ - Delta <(T - middle)^2> / 2
///     kinetic - volume              ~ - Delta <u^2> / 2,
///
/// exactly for the discrete equations but for what the discretisation in time and bounded advection
/// add (run_test.cpp holds the four to what the steps are long). So numbers that differ show a
/// flow that has not reached its average, on any grid. What the discretisation adds is found
/// without that: each time that the two steps before are known, what the budgets leave over these.
class NusseltWindow {
 public:
  explicit NusseltWindow(const Problem& problem);

  /// To be called in the order of times. `budgets` end with this flow.
  void add(double time, const Diagnosis& flow, const BudgetHistory& budgets);

  // What was noted, for a run that continues from a state.
  void save(PackedNumbers& to) const;
  void restore(PackedNumbers& from);

  /// The part by which any of the numbers has changed within so much time until now (greatest less
  /// least, over the largest magnitude), or by which the kinetic energy has grown: a fluid at rest
  /// that has just begun to move is not steady. Looks at eight flows at least. Nothing where the
  /// run is shorter.
  [[nodiscard]] std::optional<double> drift(double duration) const;

  /// Nothing where there is no HeatPath, and before any step.
  [[nodiscard]] std::optional<NusseltAverages> averages() const;

 private:
  static constexpr std::size_t quantities = 5;
  static constexpr std::size_t budgets_of_heat = 3;  ///< heat, variance, kinetic energy
  using Numbers = std::array<double, quantities>;
  using Leftovers = std::array<double, budgets_of_heat>;

  struct Noted {
    double time = 0.0;
    Numbers numbers{};
    double kinetic_energy = 0.0;
  };
  struct Left {
    double time = 0.0;
    Leftovers parts{};
  };

  [[nodiscard]] std::optional<Leftovers> leftovers(const BudgetHistory& budgets) const;
  [[nodiscard]] double largest_leftover(double from) const;
  [[nodiscard]] std::optional<double> largest_error(double from) const;
  [[nodiscard]] double largest_error(double from, std::size_t batches) const;

  const Problem& problem_;
  std::unique_ptr<HeatPath> path_;
  bool agree_ = false;
  std::vector<Noted> noted_;
  std::vector<Left> left_;
};

/// What is judged of the averages; nothing of a problem whose Nusselt numbers need not agree.
std::vector<Check> checks_of(const NusseltAverages& averages);

}  // namespace bankfull::convection
