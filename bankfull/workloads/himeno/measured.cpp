#include "bankfull/workloads/himeno/measured.hpp"

#include "bankfull/core/comm/rank_survey.hpp"
#include "bankfull/core/measure/cache.hpp"
#include "bankfull/core/measure/ceiling.hpp"
#include "bankfull/core/measure/perturbation.hpp"
#include "bankfull/workloads/himeno/verify.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <string>

namespace bankfull::himeno {
namespace {

/// Iterations of the trial runs, as in the official program.
constexpr std::int64_t trial_iterations = 3;

std::int64_t iterations_per_repeat(const Problem& problem, const Timed& timed,
                                   double seconds_per_iteration) {
  if (problem.iterations) {
    return *problem.iterations;
  }
  const double share = problem.target_seconds / problem.repeats;
  const auto fitting = static_cast<std::int64_t>(share / seconds_per_iteration);
  const std::int64_t pass = timed.facts.iterations_per_pass;
  return std::max<std::int64_t>(pass, fitting / pass * pass);
}

/// What a trial run does at least: fused schedules want whole passes.
std::int64_t trial_length(const ScheduleFacts& facts) {
  return std::max(trial_iterations, std::int64_t{2} * facts.iterations_per_pass);
}

std::string traffic_model(const Problem& problem, int iterations_per_pass) {
  const auto pass_bytes = static_cast<int>(field_count * bytes_of(problem.precision));
  if (iterations_per_pass == 1) {
    return fmt::format("{} B a point and iteration: 13 fields read, 1 written", pass_bytes);
  }
  return fmt::format("{} B a point and pass of {} iterations: 13 fields read, 1 written",
                     pass_bytes, iterations_per_pass);
}

/// Whole passes move the fields once each; iterations that do not fill a pass are done one by one.
Traffic traffic_of(const Timed& timed, const Problem& problem) {
  const std::int64_t per_pass = timed.facts.iterations_per_pass;
  const std::int64_t passes = timed.iterations / per_pass + timed.iterations % per_pass;
  const Traffic unfused = iteration_traffic(problem.grid, problem.precision);
  Traffic traffic = static_cast<double>(passes) * unfused;
  traffic.flops = static_cast<double>(timed.iterations) * unfused.flops;
  return traffic;
}

std::vector<std::string> labels(const Timed& timed) {
  std::vector<std::string> notes{
      "pressure pointers are swapped, not copied", "gosa is formed in every iteration",
      fmt::format("gosa of {} is that of iteration {} from the official initial state",
                  to_string(timed.schedule), timed.gosa_iteration),
      "all coefficients are read from memory in every pass"};
  if (!timed.event_seconds.empty()) {
    notes.emplace_back("times are wall times; event_seconds is the median by the GPU's clock");
  }
  if (timed.iterations >= timed.facts.iterations_per_pass && timed.facts.iterations_per_pass > 1) {
    notes.push_back(fmt::format(
        "{} iterations are fused in one pass over the coefficients: fewer bytes than the nominal "
        "traffic were moved",
        timed.facts.iterations_per_pass));
  }
  return notes;
}

/// Bytes that the busiest rank sends in an iteration, on average.
double sent_bytes(const Timed& timed) {
  const std::int64_t passes = timed.iterations / timed.facts.iterations_per_pass;
  const std::int64_t rest = timed.iterations % timed.facts.iterations_per_pass;
  const std::int64_t bytes = passes * timed.facts.sent_bytes + rest * timed.facts.sent_bytes_single;
  return static_cast<double>(bytes) / static_cast<double>(timed.iterations);
}

}  // namespace

std::int64_t warm_up_iterations(const ScheduleFacts& facts, const Problem& problem) {
  return trial_length(facts) * std::max(1, problem.warmup);
}

double warm_up(Solver& solver, const Problem& problem, Schedule schedule) {
  const std::int64_t trial = trial_length(solver.facts(schedule));
  double per_iteration = 0.0;
  for (int n = 0; n < std::max(1, problem.warmup); ++n) {
    per_iteration = solver.iterate(schedule, trial).seconds / static_cast<double>(trial);
  }
  return per_iteration;
}

Timed prepare(Solver& solver, const Problem& problem, Schedule schedule) {
  Timed timed{.schedule = schedule,
              .facts = solver.facts(schedule),
              .iterations = 0,
              .seconds = {},
              .gosa = 0.0};
  timed.iterations = iterations_per_repeat(problem, timed, warm_up(solver, problem, schedule));
  return timed;
}

void time_repeat(Solver& solver, const Problem& problem, Timed& timed, std::int64_t& so_far) {
  if (problem.iterations) {
    solver.load({});
    so_far = 0;
  }
  const Sweeps sweeps = solver.iterate(timed.schedule, timed.iterations);
  so_far += timed.iterations;
  timed.seconds.push_back(sweeps.seconds);
  timed.gosa = sweeps.gosa;
  timed.gosa_iteration = so_far;
  if (sweeps.event_seconds) {
    timed.event_seconds.push_back(*sweeps.event_seconds);
  }
}

std::vector<std::string> notes_of(const Problem& problem) {
  if (problem.perturbation == 0.0) {
    return {};
  }
  return {perturbation_note(problem.perturbation)};
}

std::vector<Check> verify(Solver& solver, const Problem& problem, const Communicator& ranks,
                          Progress& progress) {
  std::vector<Check> checks;
  const auto total = static_cast<double>(problem.schedules.size());
  for (std::size_t n = 0; n < problem.schedules.size(); ++n) {
    const Schedule schedule = problem.schedules[n];
    progress.update("verifying " + to_string(schedule), static_cast<double>(n), total);
    checks.push_back(check_field(problem, schedule, ranks));
    checks.push_back(check_own_grid(solver, problem, schedule, ranks));
    for (Check& check : check_gosa(solver, problem, schedule)) {
      checks.push_back(std::move(check));
    }
  }
  if (problem.perturbation != 0.0) {
    checks.push_back(perturbation_check(problem.perturbation));
  }
  return checks;
}

bool is_short(const Problem& problem) {
  if (problem.brief_ceiling) {
    return *problem.brief_ceiling;
  }
  if (!problem.iterations) {
    return !problem.device.is_cuda() && problem.target_seconds < 1.0;
  }
  const double passes = static_cast<double>(*problem.iterations) * problem.repeats *
                        static_cast<double>(problem.schedules.size());
  const double bytes = (passes * iteration_traffic(problem.grid, problem.precision)).bytes();
  return ceiling_repeats_of_run(problem.device, bytes) == brief_ceiling_repeats;
}

Ceiling ceiling_of(const Problem& problem, const Communicator& ranks, Progress& progress) {
  progress.update("measuring the ceiling", 0.0, 1.0);
  wait_until_cleared(ranks);
  ranks.barrier();
  const int sharing = sharers_of_device(ranks, problem.device);
  Ceiling ceiling =
      measure_ceiling(problem.device, problem.threads, coefficient_count + 1, problem.precision,
                      sharing, is_short(problem) ? brief_ceiling_repeats : usual_ceiling_repeats);
  ceiling.bytes_per_second = ranks.sum(ceiling.bytes_per_second);
  ceiling.working_set_bytes = ranks.sum(ceiling.working_set_bytes);
  if (ranks.size() > 1) {
    ceiling.name += fmt::format(", on {} ranks at once", ranks.size());
  }
  return ceiling;
}

Ceiling better_of(const Ceiling& before, const Ceiling& after) {
  return before.bytes_per_second > after.bytes_per_second ? before : after;
}

Measurement measurement_of(const Timed& timed, const Problem& problem, const Ceiling& ceiling) {
  const auto iterations = static_cast<double>(timed.iterations);
  Measurement m{.name = fmt::format("himeno {} {} {}", name_of(problem.grid),
                                    to_string(problem.precision), to_string(timed.schedule)),
                .parameters = {{.name = "size", .value = name_of(problem.grid)},
                               {.name = "precision", .value = to_string(problem.precision)},
                               {.name = "device", .value = to_string(problem.device)},
                               {.name = "schedule", .value = to_string(timed.schedule)},
                               {.name = "shape", .value = timed.facts.description},
                               {.name = "iterations", .value = timed.iterations},
                               {.name = "iterations_per_pass",
                                .value = std::int64_t{timed.facts.iterations_per_pass}}},
                .seconds = summarise(timed.seconds),
                .traffic = traffic_of(timed, problem),
                .traffic_model = traffic_model(problem, timed.facts.iterations_per_pass),
                .ceiling = ceiling,
                .figures = {},
                .notes = labels(timed)};
  if (problem.perturbation != 0.0) {
    m.parameters.push_back(perturbation_parameter(problem.perturbation));
  }
  if (is_short(problem)) {
    m.notes.emplace_back("a short run: its ceiling was measured briefly, the percentage is rough");
  }
  const double mflops = m.flops_per_second() * 1e-6;
  const Traffic nominal = iterations * iteration_traffic(problem.grid, problem.precision);
  m.figures = {
      {.name = "mflops", .value = mflops, .unit = "MFLOPS"},
      {.name = "gosa", .value = timed.gosa},
      {.name = "gosa_iteration", .value = timed.gosa_iteration},
      {.name = "score", .value = mflops / pentium_iii_mflops, .unit = "Pentium III 600"},
      {.name = "nominal_bandwidth", .value = nominal.bytes() / m.seconds.median, .unit = "B/s"}};
  if (!timed.event_seconds.empty()) {
    m.figures.push_back(
        {.name = "event_seconds", .value = summarise(timed.event_seconds).median, .unit = "s"});
  }
  return m;
}

void describe_ranks(const Timed& timed, const Problem& problem, const Decomposition& decomposition,
                    Measurement& m) {
  const auto add = [&](const std::string& name, const auto& value) {
    m.parameters.push_back({.name = name, .value = value});
  };
  add("ranks", std::int64_t{decomposition.ranks()});
  add("ranks_grid", to_string(decomposition.grid()));
  add("transport", to_string(timed.facts.transport));
  // Fused passes exchange between passes.
  const bool fused = timed.schedule == Schedule::fused;
  add("overlap", to_string(fused ? Overlap::none : problem.overlap));
  if (problem.overlap == Overlap::two_part && !fused) {
    add("split", problem.split);
  }
  const double per_iteration = m.seconds.median / static_cast<double>(timed.iterations);
  const double exposed =
      timed.exposed_seconds.empty() ? 0.0 : summarise(timed.exposed_seconds).median;
  m.figures.push_back({.name = "sent_bytes", .value = sent_bytes(timed), .unit = "B"});
  m.figures.push_back({.name = "exposed_communication", .value = exposed, .unit = "s"});
  m.figures.push_back(
      {.name = "exposed_percent", .value = 100.0 * exposed / per_iteration, .unit = "%"});
}

bool fits_cache(const Problem& problem, const Communicator& ranks) {
  return fits_last_cache(static_cast<double>(memory_bytes(problem.grid, problem.precision)),
                         problem.device, ranks);
}

}  // namespace bankfull::himeno
