#pragma once

#include "bankfull/workloads/convection/grid.hpp"
#include "bankfull/workloads/convection/integrator.hpp"
#include "bankfull/workloads/convection/problem.hpp"

#include <functional>
#include <memory>
#include <span>
#include <vector>

namespace bankfull::convection {

/// A flow and its clock, for cases that look at it now and then.
class TimedFlow {
 public:
  /// At the problem's initial state. The problem's own end does not matter. Collective over ranks,
  /// as all that follows; the reference schedule runs on each of them alone.
  explicit TimedFlow(Problem problem, const poisson::Sharing& sharing = {});

  /// Advances by exactly `duration`, by steps of equal length, none longer than `longest`.
  void advance_evenly(double duration, double longest);

  /// Advances by exactly `duration`, by steps as the problem's time_step says.
  void advance(double duration);

  /// One step.
  void step(double dt);

  [[nodiscard]] double time() const { return time_; }
  [[nodiscard]] const Problem& problem() const { return plan_.problem(); }
  [[nodiscard]] const Grid& grid() const { return plan_.grid(); }
  [[nodiscard]] Integrator& integrator() { return *integrator_; }

 private:
  Plan plan_;
  std::unique_ptr<Integrator> integrator_;
  double time_ = 0.0;
  double dt_before_ = 0.0;
};

/// When a flow counts as steady: what is watched changes by less than `tolerance`, relative, in
/// each of two intervals.
struct Steadiness {
  double interval = 0.1;
  double tolerance = 1e-7;
  double longest = 10.0;  ///< the flow is given up as unsteady after so much time
};

/// Advances until the flow is steady; false where it is not after the longest time.
/// `told` is called with the time that has passed.
bool settle(TimedFlow& flow, const Steadiness& steadiness,
            const std::function<double(const Diagnosis&)>& watched,
            const std::function<void(double)>& told);

/// Values of velocity along `component` (0, 1, 2: x, y, z) and where they are, along the line
/// through `place` that runs along physical axis `along`; across it the line must go through the
/// places of this velocity to within rounding, or in the middle between two, whose mean is taken.
struct LineProfile {
  std::vector<double> places;
  std::vector<double> values;
};
LineProfile velocity_profile(const Grid& grid, const FlowState& state, std::size_t component,
                             std::size_t along, const Vector& place);

/// The share of each point's value in that of the polynomial through all of them, at x. Shape: as
/// `places`, which must differ.
std::vector<double> shares_in_polynomial(std::span<const double> places, double x);

/// The largest value along the profile, between its points by the polynomial of six of them.
double max_along(const LineProfile& profile);
/// The least.
double min_along(LineProfile profile);

}  // namespace bankfull::convection
