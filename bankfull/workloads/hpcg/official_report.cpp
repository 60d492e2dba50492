#include "bankfull/workloads/hpcg/official_report.hpp"

#include "bankfull/core/base/build_facts.hpp"
#include "bankfull/workloads/hpcg/flops.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

namespace bankfull::hpcg {
namespace {

constexpr double giga = 1e9;
constexpr const char* suboptimal = "Performance results are most likely suboptimal";
constexpr const char* website = "http://hpcg-benchmark.org";

std::string number(double value) { return fmt::format("{:g}", value); }

/// Lines "section::key=value" under a line "section=".
class Section {
 public:
  Section(std::string& text, const std::string& name) : text_(&text), prefix_(name + "::") {
    text += name + "=\n";
  }

  void add(const std::string& key, const std::string& value) {
    *text_ += prefix_ + key + "=" + value + "\n";
  }
  void add(const std::string& key, double value) { add(key, number(value)); }
  void add(const std::string& key, std::int64_t value) { add(key, fmt::format("{}", value)); }
  void add(const std::string& key, int value) { add(key, std::int64_t{value}); }
  void add_verdict(bool passed) { add("Result", std::string(passed ? "PASSED" : "FAILED")); }

  [[nodiscard]] Section inner(const std::string& name) { return {*text_, prefix_ + name}; }

 private:
  std::string* text_;
  std::string prefix_;
};

void add_banner(std::string& text, const std::string& title) {
  text += "########## " + title + " ##########=\n";
}

void add_machine(std::string& text, const Outcome& outcome) {
  Section machine(text, "Machine Summary");
  machine.add("Distributed Processes", outcome.ranks);
  machine.add("Threads per processes", outcome.threads);
  Section global(text, "Global Problem Dimensions");
  global.add("Global nx", outcome.global.nx);
  global.add("Global ny", outcome.global.ny);
  global.add("Global nz", outcome.global.nz);
  Section ranks(text, "Processor Dimensions");
  ranks.add("npx", outcome.process_grid.nx);
  ranks.add("npy", outcome.process_grid.ny);
  ranks.add("npz", outcome.process_grid.nz);
  Section local(text, "Local Domain Dimensions");
  local.add("nx", outcome.local.nx);
  local.add("ny", outcome.local.ny);
  local.add("Lower ipz", 0);
  local.add("Upper ipz", outcome.process_grid.nz - 1);
  local.add("nz", outcome.local.nz);
}

void add_problem(std::string& text, const Outcome& outcome) {
  add_banner(text, "Problem Summary ");
  Section(text, "Setup Information").add("Setup Time", outcome.setup_seconds);
  Section system(text, "Linear System Information");
  system.add("Number of Equations", outcome.levels[0].equations);
  system.add("Number of Nonzero Terms", outcome.levels[0].nonzeros);
  Section multigrid(text, "Multigrid Information");
  multigrid.add("Number of coarse grid levels", level_count - 1);
  Section coarse = multigrid.inner("Coarse Grids");
  for (int level = 1; level < level_count; ++level) {
    const LevelSize& size = outcome.levels[static_cast<std::size_t>(level)];
    coarse.add("Grid Level", level);
    coarse.add("Number of Equations", size.equations);
    coarse.add("Number of Nonzero Terms", size.nonzeros);
    coarse.add("Number of Presmoother Steps", 1);
    coarse.add("Number of Postsmoother Steps", 1);
  }
}

void add_memory(std::string& text, const Outcome& outcome) {
  const OfficialMemory memory = official_memory(outcome);
  add_banner(text, "Memory Use Summary ");
  Section use(text, "Memory Use Information");
  use.add("Total memory used for data (Gbytes)", memory.total() / giga);
  use.add("Memory used for OptimizeProblem data (Gbytes)", memory.optimised / giga);
  use.add("Bytes per equation (Total memory / Number of Equations)",
          memory.total() / static_cast<double>(outcome.levels[0].equations));
  use.add("Memory used for linear system and CG (Gbytes)", memory.levels[0] / giga);
  Section coarse = use.inner("Coarse Grids");
  for (int level = 1; level < level_count; ++level) {
    coarse.add("Grid Level", level);
    coarse.add("Memory used", memory.levels[static_cast<std::size_t>(level)] / giga);
  }
}

void add_validation(std::string& text, const Outcome& outcome) {
  add_banner(text, "V&V Testing Summary ");
  Section spectral(text, "Spectral Convergence Tests");
  spectral.add_verdict(outcome.spectral.passed());
  Section plain = spectral.inner("Unpreconditioned");
  plain.add("Maximum iteration count", outcome.spectral.max_iterations_plain);
  plain.add("Expected iteration count", outcome.spectral.allowed_plain);
  Section preconditioned = spectral.inner("Preconditioned");
  preconditioned.add("Maximum iteration count", outcome.spectral.max_iterations_preconditioned);
  preconditioned.add("Expected iteration count", outcome.spectral.allowed_preconditioned);
  Section symmetry(text, "Departure from Symmetry |x'Ay-y'Ax|/(2*||x||*||A||*||y||)/epsilon");
  symmetry.add_verdict(outcome.symmetry.passed());
  symmetry.add("Departure for SpMV", outcome.symmetry.departure_spmv);
  symmetry.add("Departure for MG", outcome.symmetry.departure_mg);
}

void add_iterations(std::string& text, const Outcome& outcome) {
  const ConvergenceTest& convergence = outcome.convergence;
  const std::int64_t sets = outcome.sets;
  add_banner(text, "Iterations Summary ");
  Section count(text, "Iteration Count Information");
  count.add_verdict(convergence.passed());
  count.add("Reference CG iterations per set", convergence.reference_iterations);
  count.add("Optimized CG iterations per set", convergence.iterations);
  count.add("Total number of reference iterations", sets * convergence.reference_iterations);
  count.add("Total number of optimized iterations", sets * convergence.iterations);
  add_banner(text, "Reproducibility Summary ");
  Section norms(text, "Reproducibility Information");
  norms.add_verdict(outcome.norms.passed());
  norms.add("Scaled residual mean", outcome.norms.mean);
  norms.add("Scaled residual variance", outcome.norms.variance);
}

void add_times(std::string& text, const Outcome& outcome) {
  add_banner(text, "Performance Summary (times in sec)");
  Section times(text, "Benchmark Time Summary");
  times.add("Optimization phase", outcome.optimise_seconds);
  times.add("DDOT", outcome.times.ddot);
  times.add("WAXPBY", outcome.times.waxpby);
  times.add("SpMV", outcome.times.spmv);
  times.add("MG", outcome.times.mg);
  times.add("Total", outcome.times.total);
}

void add_rates(std::string& text, const Outcome& outcome) {
  const OfficialFlops flops = official_flops(outcome);
  const OfficialBytes bytes = official_bytes(outcome);
  const CgTimes& times = outcome.times;
  const double share = convergence_share(outcome);
  Section count(text, "Floating Point Operations Summary");
  count.add("Raw DDOT", flops.ddot);
  count.add("Raw WAXPBY", flops.waxpby);
  count.add("Raw SpMV", flops.spmv);
  count.add("Raw MG", flops.mg);
  count.add("Total", flops.total());
  count.add("Total with convergence overhead", flops.total() * share);
  Section bandwidth(text, "GB/s Summary");
  bandwidth.add("Raw Read B/W", bytes.read / times.total / giga);
  bandwidth.add("Raw Write B/W", bytes.written / times.total / giga);
  bandwidth.add("Raw Total B/W", bytes.total() / times.total / giga);
  bandwidth.add("Total with convergence and optimization phase overhead",
                bytes.total() * share / rated_seconds(outcome) / giga);
  Section rate(text, "GFLOP/s Summary");
  rate.add("Raw DDOT", rate_of(flops.ddot, times.ddot) / giga);
  rate.add("Raw WAXPBY", flops.waxpby / times.waxpby / giga);
  rate.add("Raw SpMV", flops.spmv / times.spmv / giga);
  rate.add("Raw MG", flops.mg / times.mg / giga);
  rate.add("Raw Total", flops.total() / times.total / giga);
  rate.add("Total with convergence overhead", flops.total() * share / times.total / giga);
  rate.add("Total with convergence and optimization phase overhead", rating(outcome) / giga);
}

void add_overheads(std::string& text, const Outcome& outcome) {
  Section optimisation(text, "User Optimization Overheads");
  optimisation.add("Optimization phase time (sec)", outcome.optimise_seconds);
  optimisation.add("Optimization phase time vs reference SpMV+MG time",
                   outcome.optimise_seconds / outcome.reference_spmv_mg_seconds);
  Section sums(text, "DDOT Timing Variations");
  sums.add("Min DDOT MPI_Allreduce time", outcome.allreduce_min);
  sums.add("Max DDOT MPI_Allreduce time", outcome.allreduce_max);
  sums.add("Avg DDOT MPI_Allreduce time", outcome.allreduce_mean);
}

void add_reference_kernels(Section& summary, int threads) {
  summary.add("Reference version of ComputeDotProduct used", suboptimal);
  summary.add("Reference version of ComputeSPMV used", suboptimal);
  if (threads > 1) {
    summary.add("Reference version of ComputeMG used and number of threads greater than 1",
                "Performance results are severely suboptimal");
  } else {
    summary.add("Reference version of ComputeMG used", suboptimal);
  }
  summary.add("Reference version of ComputeWAXPBY used", suboptimal);
}

/// Names this program, because the rest of the file has the official program's wording.
void add_program(std::string& text, const Outcome& outcome) {
  const BuildFacts& facts = build_facts();
  const std::vector<std::string> reasons = why_not_official(outcome);
  Section program(text, "Program");
  program.add("Name", std::string("bankfull"));
  program.add("Version", facts.version + ", revision " + facts.git_revision);
  program.add("Relation to the official program",
              std::string("another code, which runs its phases and checks and writes its keys"));
  program.add("Rules of official runs", std::string(reasons.empty() ? "kept" : "not kept"));
  for (const std::string& reason : reasons) {
    program.add("No official result", reason);
  }
  for (const std::string& note : outcome.notes) {
    program.add("Note", note);
  }
}

/// Asks for an upload only where all rules were kept.
void add_standing(Section& summary, const Outcome& outcome) {
  const bool long_enough = outcome.times.total >= official_seconds;
  if (long_enough && outcome.broken_rules.empty()) {
    summary.add("Please upload results from the YAML file contents to", website);
    return;
  }
  for (const std::string& rule : outcome.broken_rules) {
    summary.add("Results are valid but not official", rule);
  }
  if (long_enough) {
    return;
  }
  summary.add("Results are valid but execution time (sec) is", outcome.times.total);
  if (outcome.quick) {
    summary.add("You have selected the QuickPath option",
                "Results are official for legacy installed systems with confirmation from the "
                "HPCG Benchmark leaders.");
    if (outcome.broken_rules.empty()) {
      summary.add("After confirmation please upload results from the YAML file contents to",
                  website);
    }
  } else {
    summary.add("Official results execution time (sec) must be at least", official_seconds);
  }
}

void add_summary(std::string& text, const Outcome& outcome) {
  Section summary(text, "Final Summary");
  if (!outcome.valid()) {
    summary.add("HPCG result is", "INVALID.");
    summary.add("Please review the YAML file contents",
                "You may NOT submit these results for consideration.");
    return;
  }
  summary.add("HPCG result is VALID with a GFLOP/s rating of", rating(outcome) / giga);
  summary.add("HPCG 2.4 rating for historical reasons is", rating_2_4(outcome) / giga);
  if (outcome.reference) {
    add_reference_kernels(summary, outcome.threads);
  }
  add_standing(summary, outcome);
}

}  // namespace

std::vector<std::string> why_not_official(const Outcome& outcome) {
  std::vector<std::string> reasons;
  if (!outcome.valid()) {
    reasons.emplace_back("a check failed");
  }
  if (!(outcome.times.total >= official_seconds)) {
    reasons.push_back(
        fmt::format("the timed sets took {:.4g} s, official ones take at least {:.0f} s",
                    outcome.times.total, official_seconds));
  }
  reasons.insert(reasons.end(), outcome.broken_rules.begin(), outcome.broken_rules.end());
  return reasons;
}

std::string official_report(const Outcome& outcome) {
  std::string text = "HPCG-Benchmark\nversion=3.1\nRelease date=March 28, 2019\n";
  add_program(text, outcome);
  add_machine(text, outcome);
  add_problem(text, outcome);
  add_memory(text, outcome);
  add_validation(text, outcome);
  add_iterations(text, outcome);
  add_times(text, outcome);
  add_rates(text, outcome);
  add_overheads(text, outcome);
  add_summary(text, outcome);
  return text;
}

std::string official_log(const Outcome& outcome) {
  std::string text;
  int call[2] = {};
  for (const SpectralSolve& solve : outcome.spectral.solves) {
    const int allowed = solve.preconditioned ? outcome.spectral.allowed_preconditioned
                                             : outcome.spectral.allowed_plain;
    text += solve.preconditioned ? "" : "WARNING: PERFORMING UNPRECONDITIONED ITERATIONS\n";
    text += fmt::format("Call [{}] Number of Iterations [{}] Scaled Residual [{:g}]\n",
                        call[solve.preconditioned ? 1 : 0]++, solve.iterations, solve.residual);
    if (solve.iterations > allowed) {
      text += fmt::format(" Expected {} iterations.  Performed {}.\n", allowed, solve.iterations);
    }
  }
  const SymmetryTest& symmetry = outcome.symmetry;
  text += "Departure from symmetry (scaled) for SpMV abs(x'*A*y - y'*A*x) = " +
          number(symmetry.departure_spmv) + "\n";
  text += "Departure from symmetry (scaled) for MG abs(x'*Minv*y - y'*Minv*x) = " +
          number(symmetry.departure_mg) + "\n";
  for (std::size_t n = 0; n < symmetry.spmv_residuals.size(); ++n) {
    text += fmt::format("SpMV call [{}] Residual [{:g}]\n", n, symmetry.spmv_residuals[n]);
  }
  text += outcome.convergence.passed() ? "" : "Failed to reduce the residual 1 times.\n";
  for (std::size_t n = 0; n < outcome.norms.residuals.size(); ++n) {
    text += fmt::format("Call [{}] Scaled Residual [{:g}]\n", n, outcome.norms.residuals[n]);
  }
  return text;
}

std::string official_file_name(const std::tm& ended) {
  return fmt::format("HPCG-Benchmark_3.1_{:%Y-%m-%d_%H-%M-%S}.txt", ended);
}

std::string official_log_name(const std::tm& began) {
  return fmt::format("hpcg{:%Y%m%dT%H%M%S}.txt", began);
}

}  // namespace bankfull::hpcg
