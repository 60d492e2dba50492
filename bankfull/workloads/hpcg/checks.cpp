#include "bankfull/workloads/hpcg/checks.hpp"

#include "bankfull/core/base/nan.hpp"
#include "bankfull/core/measure/perturbation.hpp"

#include <string>

namespace bankfull::hpcg {
namespace {

constexpr const char* rules =
    "M. Heroux, J. Dongarra and P. Luszczek, HPCG Technical Specification, SAND2013-8752, and the "
    "official program, version 3.1";

Check at_most(const std::string& name, double value, double allowed, const std::string& source) {
  return {.name = name, .value = value, .tolerance = allowed, .source = source};
}

std::vector<Check> benchmark_checks(const Outcome& outcome) {
  const SpectralTest& spectral = outcome.spectral;
  const ConvergenceTest& convergence = outcome.convergence;
  const double beyond = convergence.beyond_reference(convergence.residual);
  return {
      at_most("hpcg spectral test: iterations without preconditioner",
              spectral.counted(spectral.max_iterations_plain), spectral.allowed_plain, rules),
      at_most("hpcg spectral test: iterations with preconditioner",
              spectral.counted(spectral.max_iterations_preconditioned),
              spectral.allowed_preconditioned, rules),
      at_most("hpcg departure from symmetry: SpMV", outcome.symmetry.departure_spmv, 1.0, rules),
      at_most("hpcg departure from symmetry: MG", outcome.symmetry.departure_mg, 1.0, rules),
      at_most("hpcg residual beyond the reference's after 50 iterations, relative",
              convergence.reached ? beyond : larger_or_nan(beyond, 1.0), residual_slack, rules),
      at_most("hpcg variance of the sets' scaled residuals",
              outcome.norms.residuals.empty() ? unknown : outcome.norms.variance, 1e-6, rules)};
}

/// Whether every timed set did all of its work.
std::vector<Check> set_checks(const NormsTest& norms) {
  return {at_most("hpcg sets' scaled residuals: largest difference, relative", norms.spread,
                  norms.allowed_difference, "the first set: all do the same"),
          at_most("hpcg sets' scaled residuals: largest beyond the reference's, relative",
                  norms.beyond_reference, residual_slack,
                  "50 iterations of the reference, which the sets have to match"),
          at_most("hpcg sets' scaled residuals: largest difference from the convergence test's, "
                  "relative",
                  norms.from_convergence, norms.allowed_difference,
                  "the same number of iterations of the same path")};
}

/// Whether the reference really reached the required residual: the residual it reports is that of
/// its x, and x is not 0.
std::vector<Check> reference_checks(const SolutionTest& reference) {
  return {
      at_most("hpcg reference's ||b - A x|| / ||b||: difference from what its recurrence "
              "reports",
              reference.worked() ? reference.difference() : unknown, reference.allowed_difference,
              "its own product on the matrix of the set-up; NaN unless below 1"),
      at_most("hpcg reference's ||b - A x - r|| / ||b||, r of its recurrence", reference.departure,
              reference.allowed_departure, "its own product; A. Greenbaum (1997)")};
}

/// The solution of the last timed set, checked by the reference's product and closed forms.
std::vector<Check> solution_checks(const Outcome& outcome) {
  const SolutionTest& solution = outcome.solution;
  return {
      at_most("hpcg product with the exact solution: largest |b - A 1|",
              outcome.symmetry.product_error(), 0.0, "closed form: sums of small whole numbers"),
      at_most("hpcg reference's product with the exact solution: largest |b - A 1|",
              solution.product_error, 0.0, "closed form: sums of small whole numbers"),
      at_most("hpcg ||b - A x|| / ||b||", solution.true_residual, solution.allowed_residual,
              "the reference's product on the matrix of the set-up; allowed: 50 iterations of the "
              "reference, and rounding errors"),
      at_most("hpcg ||b - A x|| / ||b||: difference from what the recurrence reports",
              solution.difference(), solution.allowed_difference,
              "the reference's product on the matrix of the set-up"),
      at_most("hpcg ||b - A x - r|| / ||b||, r of the recurrence", solution.departure,
              solution.allowed_departure,
              "the reference's product; A. Greenbaum (1997), attainable accuracy of recursively "
              "computed residuals")};
}

}  // namespace

std::vector<Check> checks_of(const ProblemCheck& problem) {
  constexpr const char* source =
      "the official program's CheckProblem: 26 for a point, -1 for each of its neighbours";
  return {at_most("hpcg rows of the matrices that are not the benchmark's",
                  static_cast<double>(problem.wrong_rows), 0.0, source),
          at_most("hpcg rows of a product of whole numbers that are not exact",
                  static_cast<double>(problem.wrong_products), 0.0, source)};
}

std::vector<Check> checks_of(const Outcome& outcome) {
  std::vector<Check> checks = checks_of(outcome.problem);
  for (const std::vector<Check>& more :
       {benchmark_checks(outcome), reference_checks(outcome.reference_solution),
        set_checks(outcome.norms), solution_checks(outcome)}) {
    checks.insert(checks.end(), more.begin(), more.end());
  }
  add_perturbation(outcome.perturbation, checks, "hpcg");
  return checks;
}

}  // namespace bankfull::hpcg
