#pragma once

#include "bankfull/core/comm/communicator.hpp"
#include "bankfull/core/measure/statistics.hpp"
#include "bankfull/workloads/hpcg/cg_backend.hpp"
#include "bankfull/workloads/hpcg/coloured_traffic.hpp"
#include "bankfull/workloads/hpcg/cycle.hpp"

#include <cstddef>
#include <utility>
#include <vector>

namespace bankfull::hpcg {

/// Seconds and work of the steps of an iteration, in their order, by marks between them. `Marks`
/// sets marks on a device: restart() and set(), and then seconds_before(n) of mark n since the one
/// before it.
template <class Marks>
class StepTimes {
 public:
  /// With the working set of each level's steps.
  StepTimes(Marks marks, std::vector<double> working_sets)
      : marks_(std::move(marks)), working_sets_(std::move(working_sets)) {}

  void begin() {
    used_ = 0;
    marks_.restart();
  }

  void mark(const char* name, std::size_t level, const Traffic& traffic) {
    if (used_ == steps_.size()) {
      steps_.push_back(
          {name, static_cast<int>(level), 0.0, step_work(traffic, working_sets_[level])});
      samples_.emplace_back();
    }
    ++used_;
    marks_.set();
  }

  void end() {
    for (std::size_t n = 0; n < steps_.size(); ++n) {
      samples_[n].push_back(marks_.seconds_before(n));
    }
  }

  /// Collective: with the medians of the slowest rank, and the work of this one.
  [[nodiscard]] std::vector<Step> over(const Communicator& ranks) const {
    std::vector<Step> steps = steps_;
    for (std::size_t n = 0; n < steps.size(); ++n) {
      steps[n].seconds = ranks.max(summarise(samples_[n]).median);
    }
    return steps;
  }

 private:
  Marks marks_;
  std::vector<double> working_sets_;
  std::size_t used_ = 0;
  std::vector<Step> steps_;
  std::vector<std::vector<double>> samples_;
};

/// Times the steps of so many iterations of a solver by half sweeps in slices of `Height` rows. The
/// solver provides a CgBackend's steps, cycle_steps(after), which is half_sweep_cycle after
/// update_solution(), updates_r_in_cycle(), whether its first sweep updates r,
/// finish_precondition(), which computes r.z after the last sweep, product_apart(), whether there
/// is anything to do for that, and products(), how it forms A p.
template <int Height, class Solver, class Executor, class Marks>
std::vector<Step> profile_iterations(Solver& solver, const Executor& executor,
                                     const std::vector<ColouredLevel>& levels,
                                     const Communicator& ranks, Marks marks, int repeats) {
  std::vector<SweepTraffic> traffic;
  traffic.reserve(levels.size());
  for (const ColouredLevel& level : levels) {
    traffic.push_back(
        sweep_traffic(level, count_coarse_slots<Height>(executor, level), Height, traffic.empty()));
  }
  sum_cycles(traffic);
  const ColouredLevel& finest = levels.front();
  const bool recurrence = solver.products() == Products::recurrence;
  if (recurrence) {
    traffic.front().backward_again = with_kept_products(traffic.front().backward_again, finest);
  }
  const bool with_r = solver.updates_r_in_cycle();
  if (with_r) {
    traffic.front().forward_from_zero = with_update_of_r(traffic.front().forward_from_zero, finest);
  }
  StepTimes<Marks> times(std::move(marks), working_sets(levels));
  solver.start();
  solver.precondition(true);
  solver.update_direction(true);
  for (int n = 0; n < repeats; ++n) {
    times.begin();
    solver.multiply();
    if (recurrence) {
      times.mark("x, p, A p and p.Ap", 0, recurrence_traffic(finest));
    } else {
      times.mark("SpMV and p.Ap", 0, multiply_traffic(finest));
    }
    solver.update_solution();
    if (!with_r) {
      times.mark("r and r.r", 0, update_solution_traffic(finest));
    }
    solver.cycle_steps([&](const char* step, std::size_t level, Traffic SweepTraffic::*moved) {
      const bool first = level == 0 && moved == &SweepTraffic::forward_from_zero;
      times.mark(with_r && first ? "r, r.r and forward sweep from 0" : step, level,
                 traffic[level].*moved);
    });
    solver.finish_precondition();
    if (solver.product_apart()) {
      times.mark("r.z", 0, {});
    }
    solver.update_direction(false);
    if (!recurrence) {  // else it is a part of the product
      times.mark("x and p", 0, update_direction_traffic(finest));
    }
    times.end();
  }
  static_cast<void>(solver.take_times());
  return times.over(ranks);
}

}  // namespace bankfull::hpcg
