#pragma once

#include "bankfull/core/comm/communicator.hpp"
#include "bankfull/core/measure/statistics.hpp"
#include "bankfull/workloads/hpcg/coloured_traffic.hpp"
#include "bankfull/workloads/hpcg/cycle.hpp"
#include "bankfull/workloads/hpcg/path.hpp"

#include <cstddef>
#include <utility>
#include <vector>

namespace bankfull::hpcg {

/// Seconds of the steps of an iteration, in their order, by marks between them. `Marks` sets marks
/// on a device: restart() and set(), and then seconds_before(n) of mark n since the one before it.
template <class Marks>
class StepTimes {
 public:
  explicit StepTimes(Marks marks) : marks_(std::move(marks)) {}

  void begin() {
    used_ = 0;
    marks_.restart();
  }

  void mark(const char* name, std::size_t level, const Traffic& traffic) {
    if (used_ == steps_.size()) {
      steps_.push_back({name, static_cast<int>(level), 0.0, traffic});
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

  /// Over all ranks: the slowest's medians, everybody's traffic.
  [[nodiscard]] std::vector<Step> over(const Communicator& ranks) const {
    std::vector<Step> steps = steps_;
    for (std::size_t n = 0; n < steps.size(); ++n) {
      const Traffic& mine = steps_[n].traffic;
      steps[n].seconds = ranks.max(summarise(samples_[n]).median);
      steps[n].traffic = {ranks.sum(mine.bytes_read), ranks.sum(mine.bytes_written),
                          ranks.sum(mine.flops)};
    }
    return steps;
  }

 private:
  Marks marks_;
  std::size_t used_ = 0;
  std::vector<Step> steps_;
  std::vector<std::vector<double>> samples_;
};

/// The half sweeps of a path with a mark after each.
template <class Path, class Marks>
class MarkedSweeps {
 public:
  MarkedSweeps(Path& path, const std::vector<SweepTraffic>& traffic, StepTimes<Marks>& times)
      : path_(path), traffic_(traffic), times_(times) {}

  [[nodiscard]] std::size_t level_count() const { return path_.level_count(); }

  void forward_from_zero(std::size_t level) {
    path_.forward_from_zero(level);
    times_.mark("forward sweep from 0", level, traffic_[level].forward_from_zero);
  }
  void backward_after_zero(std::size_t level) {
    path_.backward_after_zero(level);
    times_.mark("backward sweep after it", level, traffic_[level].backward_after_zero);
  }
  void restrict_residual(std::size_t level) {
    path_.restrict_residual(level);
    times_.mark("residual and restriction", level, traffic_[level].restrict_residual);
  }
  void prolong(std::size_t level) {
    path_.prolong(level);
    times_.mark("prolongation", level, traffic_[level].prolong);
  }
  void forward_again(std::size_t level) {
    path_.forward_again(level);
    times_.mark("forward sweep", level, traffic_[level].forward_again);
  }
  void backward_again(std::size_t level) {
    path_.backward_again(level);
    times_.mark("backward sweep", level, traffic_[level].backward_again);
  }

 private:
  Path& path_;
  const std::vector<SweepTraffic>& traffic_;
  StepTimes<Marks>& times_;
};

/// Slots of `upper` that have columns of coarse rows.
template <class Executor>
std::int64_t coarse_slot_count(const Executor& executor, const ColouredLevel& level) {
  std::int64_t slots = 0;
  for (const SlotRange& range : executor.to_host(
           level.coarse_slots.data(), static_cast<std::int64_t>(level.coarse_slots.size()))) {
    slots += range.end - range.begin;
  }
  return slots;
}

/// Times the steps of so many iterations of a path of half sweeps in slices of `height` rows. Of
/// the path it takes a Path's steps, the half sweeps, and finish_precondition(), which forms r.z of
/// what the last sweep left.
template <class Path, class Executor, class Marks>
std::vector<Step> profile_iterations(Path& path, const Executor& executor,
                                     const std::vector<ColouredLevel>& levels, int height,
                                     const Communicator& ranks, Marks marks, int repeats) {
  std::vector<SweepTraffic> traffic;
  traffic.reserve(levels.size());
  for (const ColouredLevel& level : levels) {
    traffic.push_back(sweep_traffic(level, coarse_slot_count(executor, level), height));
  }
  const ColouredLevel& finest = levels.front();
  StepTimes<Marks> times(std::move(marks));
  MarkedSweeps<Path, Marks> sweeps(path, traffic, times);
  path.start();
  path.precondition(true);
  path.turn(true);
  for (int n = 0; n < repeats; ++n) {
    times.begin();
    path.multiply();
    times.mark("SpMV and p.Ap", 0, multiply_traffic(finest));
    path.advance();
    times.mark("r and r.r", 0, advance_traffic(finest));
    half_sweep_cycle(sweeps, 0);
    path.finish_precondition();
    times.mark("r.z", 0, {});
    path.turn(false);
    times.mark("x and p", 0, turn_traffic(finest));
    times.end();
  }
  static_cast<void>(path.take_times());
  return times.over(ranks);
}

}  // namespace bankfull::hpcg
