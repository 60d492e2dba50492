#pragma once

#include "bankfull/workloads/hpcg/flops.hpp"
#include "bankfull/workloads/hpcg/outcome.hpp"
#include "bankfull/workloads/hpcg/validation.hpp"

namespace bankfull::hpcg {

/// The run of the official program whose file is official_keys.txt, figures as they stand there.
inline Outcome recorded_outcome() {
  Problem problem;
  problem.local = {16, 24, 32};
  problem.process_grid = Grid3{1, 1, 2};
  Outcome outcome;
  outcome.global = {16, 24, 64};
  outcome.process_grid = *problem.process_grid;
  outcome.local = problem.local;
  outcome.ranks = 2;
  outcome.reference = true;
  outcome.levels = level_sizes(problem, 2);
  outcome.problem = {.wrong_rows = 0, .wrong_products = 0};
  outcome.spectral.max_iterations_plain = 11;
  outcome.spectral.max_iterations_preconditioned = 2;
  outcome.spectral.solves = {{false, 11, 3.77036e-14}, {true, 2, 2.61857e-17}};
  outcome.symmetry.departure_spmv = 1.15302e-05;
  outcome.symmetry.departure_mg = 5.76512e-07;
  outcome.symmetry.spmv_residuals = {0.0, 0.0};
  outcome.convergence = {.iterations = 50,
                         .reference_residual = 2.97587e-24,
                         .residual = 2.97587e-24,
                         .reached = true};
  outcome.norms = norms_test({2.97587e-24}, outcome.convergence);
  outcome.solution = {.product_error = 0.0,
                      .true_residual = 2.97587e-24,
                      .allowed_residual = 2.97587e-24,
                      .reported_residual = 2.97587e-24,
                      .departure = 0.0,
                      .error = 0.0};
  outcome.reference_solution = outcome.solution;
  outcome.sets = 1;
  outcome.times.total = 2.85788;
  outcome.times.ddot = 0.374462;
  outcome.times.waxpby = 0.00138027;
  outcome.times.spmv = 0.273563;
  outcome.times.mg = 2.20842;
  outcome.allreduce_min = 0.372668;
  outcome.allreduce_max = 0.415896;
  outcome.allreduce_mean = 0.394282;
  outcome.setup_seconds = 0.0559296;
  outcome.optimise_seconds = 3.81e-07;
  outcome.reference_spmv_mg_seconds = 3.81e-07 / 5.28895e-06;
  return outcome;
}

}  // namespace bankfull::hpcg
