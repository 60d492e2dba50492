#include "bankfull/workloads/himeno/schedule_benchmark.hpp"

#include "bankfull/core/measure/perturbation.hpp"
#include "bankfull/core/measure/timer.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace bankfull::himeno {
namespace {

/// Iterations of the trial runs, as in the official program.
constexpr std::int64_t trial_iterations = 3;

std::int64_t whole_passes(double seconds, double seconds_per_iteration, std::int64_t per_pass) {
  const auto fitting = static_cast<std::int64_t>(seconds / seconds_per_iteration);
  return std::max(per_pass, fitting / per_pass * per_pass);
}

}  // namespace

void expect_ceiling(const Plan& plan, Experiment& experiment) {
  experiment.expect({.reads = fields_read, .writes = 1}, plan.problem.precision,
                    static_cast<double>(plan.field_bytes));
}

ScheduleBenchmark::ScheduleBenchmark(Solver& solver, const Problem& problem, Schedule schedule,
                                     std::int64_t iterations)
    : solver_(solver),
      problem_(problem),
      schedule_(schedule),
      iterations_(iterations),
      facts_(solver.facts(schedule)) {}

std::string ScheduleBenchmark::name() const {
  return fmt::format("himeno {} {} {}", name_of(problem_.grid), to_string(problem_.precision),
                     to_string(schedule_));
}

void ScheduleBenchmark::rewind() {
  done_ = {};
  if (problem_.iterations) {
    solver_.load({});
  }
  if (iterations_ > 0) {
    solver_.prepare(schedule_, iterations_, Halos::exchanged);
  }
}

void ScheduleBenchmark::warm_up() {
  // Fused schedules need whole passes.
  const std::int64_t per_pass = facts_.iterations_per_pass;
  const std::int64_t trial = std::max(trial_iterations, 2 * per_pass);
  for (int n = 0; n < std::max(1, problem_.warmup); ++n) {
    seconds_per_iteration_ = solver_.iterate(schedule_, trial).seconds / static_cast<double>(trial);
  }
  if (iterations_ == 0) {
    const double share = problem_.target_seconds / problem_.repeats;
    iterations_ =
        problem_.iterations.value_or(whole_passes(share, seconds_per_iteration_, per_pass));
  }
}

void ScheduleBenchmark::run() {
  done_ = {};
  while (done_.iterations < iterations_) {
    if (done_.iterations > 0) {
      pauses().at(static_cast<double>(done_.iterations) / static_cast<double>(iterations_));
    }
    const std::int64_t piece =
        units_between_pauses(iterations_, seconds_per_iteration_, facts_.iterations_per_batch);
    run_piece(std::min(piece, iterations_ - done_.iterations));
  }
  last_ = done_;
}

void ScheduleBenchmark::run_piece(std::int64_t iterations) {
  const Communicator& ranks = solver_.ranks();
  ranks.barrier();
  const Stopwatch watch;
  done_.gosa = solver_.run(schedule_, iterations, Halos::exchanged);
  const double seconds = ranks.max(watch.seconds());
  done_.gosa_iteration = solver_.iteration();
  done_.iterations += iterations;
  done_.seconds += seconds;
  seconds_per_iteration_ = seconds / static_cast<double>(iterations);
  if (const auto events = solver_.event_seconds()) {
    done_.event_seconds = done_.event_seconds.value_or(0.0) + *events;
  }
}

bool ScheduleBenchmark::shorten_to_last_run() {
  if (done_.iterations == 0) {
    return false;
  }
  full_iterations_ = iterations_;
  iterations_ = done_.iterations;
  last_ = done_;
  return true;
}

std::vector<Figure> ScheduleBenchmark::parameters() const {
  std::vector<Figure> parameters{
      {.name = "size", .value = name_of(problem_.grid)},
      {.name = "precision", .value = to_string(problem_.precision)},
      {.name = "device", .value = to_string(problem_.device)},
      {.name = "schedule", .value = to_string(schedule_)},
      {.name = "shape", .value = facts_.description},
      {.name = "iterations", .value = iterations_},
      {.name = "iterations_per_pass", .value = std::int64_t{facts_.iterations_per_pass}}};
  add_perturbation(problem_.perturbation, parameters);
  return parameters;
}

std::vector<Figure> ScheduleBenchmark::figures() const {
  return {{.name = "gosa", .value = solver_.ranks().sum(last_.gosa)},
          {.name = "gosa_iteration", .value = last_.gosa_iteration}};
}

std::vector<std::string> ScheduleBenchmark::notes() const {
  const int per_pass = facts_.iterations_per_pass;
  std::vector<std::string> notes{
      "pressure pointers are swapped, not copied", "gosa is formed in every iteration",
      fmt::format("gosa of {} is that of iteration {} from the official initial state",
                  to_string(schedule_), last_.gosa_iteration),
      "all coefficients are read from memory in every pass"};
  if (full_iterations_) {
    notes.push_back(fmt::format("the one repeat was ended after {} of its {} iterations",
                                iterations_, *full_iterations_));
  }
  if (event_seconds()) {
    notes.emplace_back("times are wall times; event_seconds is the median by the GPU's clock");
  }
  if (iterations_ >= per_pass && per_pass > 1) {
    notes.push_back(fmt::format(
        "{} iterations are fused in one pass over the coefficients: fewer bytes than the nominal "
        "traffic were moved",
        per_pass));
  }
  return notes;
}

std::int64_t ScheduleBenchmark::communication_iterations(double seconds_per_repeat) const {
  const double per_iteration = seconds_per_repeat / static_cast<double>(iterations_);
  return std::min(iterations_, whole_passes(1.0, per_iteration, facts_.iterations_per_pass));
}

void ScheduleBenchmark::add_rates(Measurement& m) const {
  const Traffic nominal =
      static_cast<double>(iterations_) * iteration_traffic(problem_.grid, problem_.precision);
  const double mflops = nominal.flops / m.seconds.median * 1e-6;
  m.figures.insert(m.figures.begin(), {"mflops", mflops, "MFLOPS"});
  m.figures.push_back({"score", mflops / pentium_iii_mflops, "Pentium III 600"});
  m.figures.push_back({"nominal_bandwidth", nominal.bytes() / m.seconds.median, "B/s"});
}

void ScheduleBenchmark::add_ranks(const std::vector<double>& exposed, Measurement& m) const {
  const auto add = [&](const std::string& name, const auto& value) {
    m.parameters.push_back({name, value});
  };
  const Decomposition& decomposition = solver_.domain().decomposition;
  add("ranks", std::int64_t{decomposition.ranks()});
  add("ranks_grid", to_string(decomposition.grid()));
  add("transport", to_string(facts_.transport));
  // Fused passes exchange between passes.
  const bool fused = schedule_ == Schedule::fused;
  add("overlap", to_string(fused ? Overlap::none : problem_.overlap));
  if (problem_.overlap == Overlap::two_part && !fused) {
    add("split", problem_.split);
  }
  const auto iterations = static_cast<double>(iterations_);
  const std::int64_t per_pass = facts_.iterations_per_pass;
  const std::int64_t sent = iterations_ / per_pass * facts_.sent_bytes +
                            iterations_ % per_pass * facts_.sent_bytes_single;
  const double seconds = exposed.empty() ? 0.0 : summarise(exposed).median;
  m.figures.push_back({"sent_bytes", static_cast<double>(sent) / iterations, "B"});
  m.figures.push_back({"exposed_communication", seconds, "s"});
  m.figures.push_back({"exposed_percent", 100.0 * seconds * iterations / m.seconds.median, "%"});
}

}  // namespace bankfull::himeno
