#pragma once

#include "bankfull/core/base/nan.hpp"
#include "bankfull/workloads/hpcg/problem.hpp"

#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

namespace bankfull::hpcg {

/// Size of one level's system over all ranks.
struct LevelSize {
  std::int64_t equations = 0;
  std::int64_t nonzeros = 0;

  // On rank 0, for the official model of memory.
  std::int64_t local_columns = 0;
  std::int64_t sent_elements = 0;
  std::int64_t neighbours = 0;
};

/// Seconds of the parts of conjugate gradients, summed over all timed sets.
struct CgTimes {
  double total = 0.0;
  double ddot = 0.0;
  double waxpby = 0.0;
  double spmv = 0.0;
  double mg = 0.0;
  double allreduce = 0.0;  ///< of this rank; part of ddot
};

/// A value that was not determined; it passes no test.
inline constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
inline constexpr int not_counted = -1;

/// Whether what is solved is the benchmark's problem: rows of all ranks and levels that are not
/// its, and rows of the optimised product that are wrong; see check_problem.hpp.
struct ProblemCheck {
  std::int64_t wrong_rows = not_counted;
  std::int64_t wrong_products = not_counted;

  [[nodiscard]] bool passed() const { return wrong_rows == 0 && wrong_products == 0; }
};

/// One solve of the spectral test, for the log.
struct SpectralSolve {
  bool preconditioned = false;
  int iterations = 0;
  double residual = 0.0;  ///< scaled
};

/// Conjugate gradients on the matrix with exaggerated diagonal.
struct SpectralTest {
  int max_iterations_plain = not_counted;
  int allowed_plain = 12;
  int max_iterations_preconditioned = not_counted;
  int allowed_preconditioned = 2;
  std::vector<SpectralSolve> solves = {};

  /// The number of iterations as the test counts it: 0 is no solve.
  [[nodiscard]] double counted(int iterations) const {
    return solves.empty() || iterations < 1 ? unknown : iterations;
  }
  [[nodiscard]] bool passed() const {
    return counted(max_iterations_plain) <= allowed_plain &&
           counted(max_iterations_preconditioned) <= allowed_preconditioned;
  }
};

/// |x'Ay - y'Ax| and |x'My - y'Mx| over 2 ||x||^2 ||A|| ||y||^2 epsilon, ||A|| taken as 52.
struct SymmetryTest {
  double departure_spmv = unknown;
  double departure_mg = unknown;
  /// Largest |b - A x| of products with the exact solution.
  std::vector<double> spmv_residuals = {};

  /// The largest of these. Entries, x and b are small whole numbers: it is 0 in any order of sums.
  [[nodiscard]] double product_error() const {
    return spmv_residuals.empty()
               ? unknown
               : std::accumulate(spmv_residuals.begin(), spmv_residuals.end(), 0.0, larger_or_nan);
  }

  /// By the benchmark.
  [[nodiscard]] bool passed() const { return departure_spmv <= 1.0 && departure_mg <= 1.0; }
};

/// Whether the optimised solver reaches the residual of the reference.
struct ConvergenceTest {
  int reference_iterations = 50;
  int iterations = 0;                   ///< of a timed set: never fewer than the reference's
  double reference_residual = unknown;  ///< scaled by the initial one, after reference_iterations
  double residual = unknown;            ///< likewise, of the optimised solver after `iterations`
  bool reached = false;

  [[nodiscard]] bool passed() const { return reached; }

  /// How far a scaled residual is above the reference's, over the latter; at most residual_slack is
  /// allowed. NaN where either is.
  [[nodiscard]] double beyond_reference(double scaled) const {
    return scaled <= reference_residual ? 0.0 : scaled / reference_residual - 1.0;
  }
};

/// Scaled residuals at the end of the timed sets.
struct NormsTest {
  std::vector<double> residuals = {};
  double mean = unknown;
  double variance = unknown;
  /// Largest difference from the first one, over it. The variance that the benchmark allows is that
  /// of residuals near 1e-3; those of sets that do the same differ by nothing.
  double spread = unknown;
  /// Largest difference from the residual of the convergence test, over it: as many iterations of
  /// the same backend leave the same.
  double from_convergence = unknown;
  double allowed_difference = 1e-6;   ///< of both
  double beyond_reference = unknown;  ///< of the largest; see ConvergenceTest

  /// By the benchmark.
  [[nodiscard]] bool passed() const { return !residuals.empty() && variance < 1e-6; }

  /// By ours: all sets did all of their work.
  [[nodiscard]] bool complete() const {
    return spread <= allowed_difference && from_convergence <= allowed_difference &&
           beyond_reference <= residual_slack;
  }
};

/// The last timed set's x, tested by the reference's product and the closed form of b: checks of
/// ours in addition to the benchmark's. `solution_test` derives what is allowed.
struct SolutionTest {
  double product_error = unknown;  ///< largest |b - A 1| of the reference's product, which is exact
  double true_residual = unknown;  ///< ||b - A x|| / ||b||, A by the reference
  double allowed_residual = 0.0;   ///< the reference's after its iterations, and roundings
  double reported_residual = unknown;  ///< what the recurrence reports for it
  double allowed_difference = 0.0;     ///< of the two
  double departure = unknown;          ///< ||(b - A x) - r|| / ||b||, r being the recurrence's
  double allowed_departure = 0.0;
  double error = unknown;  ///< largest |x - 1|: a figure without a verdict

  [[nodiscard]] double difference() const { return std::fabs(true_residual - reported_residual); }

  /// Whether anything was solved: x = 0 leaves the residual 1. False for NaN.
  [[nodiscard]] bool worked() const { return true_residual < 1.0; }
  [[nodiscard]] bool passed() const {
    return product_error == 0.0 && true_residual <= allowed_residual &&
           difference() <= allowed_difference && departure <= allowed_departure;
  }
};

/// Everything that a whole benchmark found; the same on all ranks.
struct Outcome {
  Grid3 global;
  Grid3 process_grid;
  Grid3 local;
  int ranks = 1;
  int threads = 1;
  bool quick = false;
  bool reference = false;                      ///< the timed sets ran the reference's kernels
  double perturbation = 0.0;                   ///< of the measured operator; 0 in what is a result
  std::vector<std::string> broken_rules = {};  ///< of official runs, but for their time
  std::vector<std::string> notes = {};         ///< on how the work was done, and what times cover

  std::array<LevelSize, level_count> levels;
  double optimised_bytes = 0.0;  ///< over all ranks, of data that the optimisation added

  ProblemCheck problem;
  SpectralTest spectral;
  SymmetryTest symmetry;
  ConvergenceTest convergence;
  NormsTest norms;
  SolutionTest solution;

  /// The same for the reference's own x after its iterations: its residual is what all others are
  /// held to.
  SolutionTest reference_solution;

  int sets = 0;
  CgTimes times;  ///< of rank 0
  double allreduce_min = 0.0;
  double allreduce_max = 0.0;
  double allreduce_mean = 0.0;
  double setup_seconds = 0.0;
  double optimise_seconds = 0.0;
  double reference_spmv_mg_seconds = 0.0;  ///< of one SpMV and one MG of the reference
  double reference_cg_seconds = 0.0;       ///< of `reference_iterations` iterations

  /// By the benchmark's tests and ours.
  [[nodiscard]] bool valid() const {
    return problem.passed() && spectral.passed() && symmetry.passed() && convergence.passed() &&
           norms.passed() && norms.complete() && symmetry.product_error() == 0.0 &&
           solution.passed() && reference_solution.passed() && reference_solution.worked() &&
           perturbation == 0.0;
  }
};

}  // namespace bankfull::hpcg
