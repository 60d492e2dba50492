#pragma once

#include "bankfull/numerics/poisson/multigrid/levels.hpp"

#include <utility>
#include <vector>

namespace bankfull::poisson::multigrid {

/// What a solve begins with.
enum class Beginning {
  zero,
  planes,  ///< what planes across axis i have in common: see plane_start.hpp. GPUs do
};

/// The multigrid of this folder in fp64, by one thread, in plain loops: what the schedules are
/// compared with. Fields are dense, k fastest. Only the reference relaxes lines.
class Reference {
 public:
  using Field = std::vector<double>;

  explicit Reference(const Domain& domain, Smoother smoother = Smoother::points)
      : levels_(make_levels(domain, smoother)) {}
  explicit Reference(std::vector<Level> levels) : levels_(std::move(levels)) {}

  /// f - L p
  [[nodiscard]] Field residual(const Field& p, const Field& f) const {
    return residual_on(levels_.front(), p, f);
  }

  /// The correction for a residual, by one V-cycle from zero.
  [[nodiscard]] Field v_cycle(const Field& r) const;

  /// The same by full multigrid: solved on the coarsest grid, then interpolated to each finer one
  /// and improved there by a V-cycle, or by the sweeps after the correction where there are none
  /// before it.
  [[nodiscard]] Field full_multigrid(const Field& r) const;

  /// Solves L p = f, whose mean must be 0. Returns max |f - L p| before the first cycle and after
  /// each, until it is below the tolerance.
  std::vector<double> solve(const Field& f, Stopping stopping, Field* p,
                            Beginning beginning = Beginning::zero) const;

 private:
  /// Improves e for L e = r on level l, after so many sweeps, by a correction and more sweeps.
  void improve(std::size_t l, int sweeps_before, const Field& r, Field* e) const;
  [[nodiscard]] Field start_of_planes(const Field& f) const;
  [[nodiscard]] static Field residual_on(const Level& level, const Field& e, const Field& r);
  [[nodiscard]] Field restricted(std::size_t l, const Field& r) const;
  [[nodiscard]] Field interpolated_to(std::size_t l, const Field& coarse) const;

  std::vector<Level> levels_;
};

}  // namespace bankfull::poisson::multigrid
