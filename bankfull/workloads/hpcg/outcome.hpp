#pragma once

#include "bankfull/workloads/hpcg/problem.hpp"

#include <array>
#include <cstdint>
#include <vector>

namespace bankfull::hpcg {

/// Size of one level's system over all ranks.
struct LevelSize {
  std::int64_t equations = 0;
  std::int64_t nonzeros = 0;

  // Of rank 0, for the official model of memory.
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

/// Whether what is solved is the benchmark's problem: rows of all ranks and levels that are not
/// its, and rows of the optimised product that are wrong; see check_problem.hpp.
struct ProblemCheck {
  std::int64_t wrong_rows = 0;
  std::int64_t wrong_products = 0;

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
  int most_iterations_plain = 0;
  int allowed_plain = 12;
  int most_iterations_preconditioned = 0;
  int allowed_preconditioned = 2;
  std::vector<SpectralSolve> solves = {};

  [[nodiscard]] bool passed() const {
    return most_iterations_plain <= allowed_plain &&
           most_iterations_preconditioned <= allowed_preconditioned;
  }
};

/// |x'Ay - y'Ax| and |x'My - y'Mx| over 2 ||x||^2 ||A|| ||y||^2 epsilon, ||A|| taken as 52.
struct SymmetryTest {
  double departure_spmv = 0.0;
  double departure_mg = 0.0;
  /// Largest |b - A x| of products with the exact solution.
  std::vector<double> spmv_residuals = {};

  [[nodiscard]] bool passed() const { return departure_spmv <= 1.0 && departure_mg <= 1.0; }
};

/// Whether the optimised solver reaches the residual of the reference.
struct ConvergenceTest {
  int reference_iterations = 50;
  int iterations = 0;               ///< of a timed set: never fewer than the reference's
  double reference_residual = 0.0;  ///< scaled by the initial one, after reference_iterations
  double residual = 0.0;            ///< likewise, of the optimised solver after `iterations`
  bool reached = false;

  [[nodiscard]] bool passed() const { return reached; }
};

/// Scaled residuals at the end of the timed sets.
struct NormsTest {
  std::vector<double> residuals;
  double mean = 0.0;
  double variance = 0.0;

  [[nodiscard]] bool passed() const { return variance < 1e-6; }
};

/// Everything that a whole benchmark found; the same on all ranks.
struct Outcome {
  Grid3 global;
  Grid3 process_grid;
  Grid3 local;
  int ranks = 1;
  int threads = 1;
  bool quick = false;
  bool reference = false;  ///< the timed sets ran the reference's kernels

  std::array<LevelSize, level_count> levels;
  double optimised_bytes = 0.0;  ///< over all ranks, of data that the optimisation added

  ProblemCheck problem;
  SpectralTest spectral;
  SymmetryTest symmetry;
  ConvergenceTest convergence;
  NormsTest norms;

  int sets = 0;
  CgTimes times;  ///< of rank 0
  double allreduce_min = 0.0;
  double allreduce_max = 0.0;
  double allreduce_mean = 0.0;
  double setup_seconds = 0.0;
  double optimise_seconds = 0.0;
  double reference_spmv_mg_seconds = 0.0;  ///< of one SpMV and one MG of the reference
  double reference_cg_seconds = 0.0;       ///< of `reference_iterations` iterations

  [[nodiscard]] bool valid() const {
    return problem.passed() && spectral.passed() && symmetry.passed() && convergence.passed() &&
           norms.passed();
  }
};

}  // namespace bankfull::hpcg
