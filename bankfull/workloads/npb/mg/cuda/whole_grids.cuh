#pragma once

#include "bankfull/core/memory/buffer.hpp"
#include "bankfull/workloads/npb/mg/blocks.hpp"
#include "bankfull/workloads/npb/mg/cuda/ascend.cuh"
#include "bankfull/workloads/npb/mg/cuda/charges.hpp"
#include "bankfull/workloads/npb/mg/cuda/coarse.cuh"

#include <vector>

namespace bankfull::npb::mg::cuda {

inline Buffer<double> cube_of(int side) {
  const auto n = static_cast<std::size_t>(side);
  return {MemorySpace::device, n * n * n};
}

/// V-cycles on grids that one GPU holds whole, from bottom_side points per side on.
class WholeGrids {
 public:
  /// The finest of them has `side` points per side.
  WholeGrids(int side, const Weights& smoother, const MarchLimits& limits, const Stream& stream)
      : smoother_(smoother), stream_(stream) {
    for (int n = bottom_side; n <= side; n *= 2) {
      levels_.push_back({{n}, plan_march(Cube{n}, limits), cube_of(n), cube_of(n)});
      prepare_ascent<Cube>(levels_.back().plan.warps);
    }
    prepare_bottom();
  }

  /// On the finest: what to solve for, and the solution.
  [[nodiscard]] double* residual() const { return levels_.back().r.data(); }
  [[nodiscard]] const double* correction() const { return levels_.back().u.data(); }

  /// correction = one V-cycle for A correction = residual, from 0 on.
  void queue() const {
    for (std::size_t n = levels_.size() - 1; n > 0; --n) {
      queue_restriction<Cube>(stream_, {levels_[n].grid, levels_[n - 1].grid}, levels_[n].r.data(),
                              levels_[n - 1].r.data());
    }
    const Level& bottom = levels_.front();
    queue_bottom(stream_, smoother_, bottom.r.data(), bottom.u.data());
    for (std::size_t n = 1; n < levels_.size(); ++n) {
      queue_ascent<Cube>(stream_, levels_[n].plan,
                         {.grids = {levels_[n].grid, levels_[n - 1].grid},
                          .smoother = smoother_,
                          .coarse = levels_[n - 1].u.data(),
                          .u = nullptr,
                          .v = levels_[n].r.data(),
                          .next = levels_[n].u.data(),
                          .plane_pairs = 0});
    }
  }

  static std::int64_t bytes(int side) {
    std::int64_t values = 0;
    for (std::int64_t n = bottom_side; n <= side; n *= 2) {
      values += 2 * n * n * n;
    }
    return values * std::int64_t{sizeof(double)};
  }

 private:
  struct Level {
    Cube grid;
    MarchPlan plan;
    Buffer<double> u;
    Buffer<double> r;
  };

  Weights smoother_;
  const Stream& stream_;
  std::vector<Level> levels_;  ///< the coarsest first
};

/// The grids of one GPU that has the problem alone: see GridsOfRanks, which offers the same.
class GridsOfOneGpu {
 public:
  using Grid = Cube;

  GridsOfOneGpu(const Problem& problem, const Communicator& /*ranks*/, const Blocks& /*blocks*/,
                const MarchLimits& limits, const Stream& stream)
      : finest_{static_cast<int>(mg_parameters(problem.size).side)},
        coarse_(finest_.side / 2, perturbed_smoother(problem), limits, stream) {}

  [[nodiscard]] Cube finest() const { return finest_; }
  [[nodiscard]] GridPair<Cube> downward() const { return {finest_, {finest_.side / 2}}; }
  [[nodiscard]] GridPair<Cube> upward() const { return downward(); }

  [[nodiscard]] Buffer<double> field() const { return cube_of(finest_.side); }
  [[nodiscard]] double* values(const Buffer<double>& field) const { return field.data(); }
  [[nodiscard]] std::int64_t offset_of(const Point& point) const {
    return (point.i3 * finest_.side + point.i2) * finest_.side + point.i1;
  }

  [[nodiscard]] double* residual() const { return coarse_.residual(); }
  [[nodiscard]] const double* correction() const { return coarse_.correction(); }
  void queue_coarse_grids() const { coarse_.queue(); }

  void exchange(double* /*field*/) const {}
  [[nodiscard]] bool recordable() const { return true; }
  [[nodiscard]] static Transport transport() { return Transport::local; }

  static std::int64_t bytes(Class size) {
    const std::int64_t side = mg_parameters(size).side;
    return 3 * side * side * side * std::int64_t{sizeof(double)} +
           WholeGrids::bytes(static_cast<int>(side / 2));
  }

 private:
  Cube finest_;
  WholeGrids coarse_;
};

}  // namespace bankfull::npb::mg::cuda
