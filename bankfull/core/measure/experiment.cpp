#include "bankfull/core/measure/experiment.hpp"

#include "bankfull/core/base/error.hpp"
#include "bankfull/core/measure/cache.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <string>
#include <utility>

namespace bankfull {

Experiment::Experiment(Device device, int threads, const RunContext& context)
    : device_(device), context_(context), ceilings_(device, threads, context) {
  work_on({device_});
}

double Experiment::time(const std::function<void()>& body) const {
  context_.end_if_interrupted();
  context_.ranks.barrier();
  const Stopwatch watch;
  body();
  return context_.ranks.max(watch.seconds());
}

double Experiment::time(Benchmark& benchmark) const {
  benchmark.rewind();
  const double elapsed = time([&] { benchmark.run(); });
  const std::optional<double> own = benchmark.own_seconds();
  return own ? context_.ranks.max(*own) : elapsed;
}

void Experiment::repeat(Benchmark& benchmark, Samples& samples, const Stage& stage) const {
  repeat(benchmark, samples, stage, stage.total);
}

void Experiment::repeat(Benchmark& benchmark, Samples& samples, const Stage& stage,
                        double repeats) const {
  context_.begin(stage.task, stage.done, stage.total);
  benchmark.set_pauses(Pauses(context_, stage));
  const auto before = is_worth_reading(samples, repeats) ? read_counters() : std::nullopt;
  try {
    add_run(benchmark, time(benchmark), samples);
    add_window(before, samples.seconds.back(), samples.counters);
  } catch (const Interrupted&) {
    if (samples.seconds.empty() && benchmark.shorten_to_last_run()) {
      add_run(benchmark, context_.ranks.max(benchmark.own_seconds().value_or(0.0)), samples);
    }
    throw;
  }
}

void Experiment::add_run(Benchmark& benchmark, double seconds, Samples& samples) const {
  samples.seconds.push_back(seconds);
  if (const auto events = benchmark.event_seconds()) {
    samples.event_seconds.push_back(context_.ranks.max(*events));
  }
  if (all_passed(samples.checks)) {
    samples.checks = benchmark.checks();
  }
}

bool Experiment::is_worth_reading(const Samples& samples, double repeats) const {
  const double step = device_.is_cuda() ? gpu_counter_seconds : processor_counter_seconds;
  return samples.seconds.empty() || is_long_enough(step, 1, repeats * samples.seconds.back());
}

std::optional<CounterReading> Experiment::read_counters() const {
  return context_.machine == nullptr ? std::nullopt
                                     : std::optional(context_.machine->read_counters());
}

void Experiment::add_window(const std::optional<CounterReading>& before, double timed_seconds,
                            CounterTally& tally) const {
  if (context_.machine != nullptr && before) {
    tally.add(*before, context_.machine->read_counters(), timed_seconds);
    context_.machine->observe_after(timed_seconds);
  }
}

void Experiment::add_energy(const CounterTally& tally, Measurement& m) const {
  if (context_.machine != nullptr) {
    const std::string unreadable = context_.machine->energy_unknown_because(device_);
    m.energy = energy_use(tally, unreadable, device_, context_.ranks);
    // Of short repeats only the first has a window, which says nothing of the others.
    constexpr double most = 0.8;
    const std::vector<double>& repeats = m.seconds.samples;
    const double seconds = std::accumulate(repeats.begin(), repeats.end(), 0.0);
    if (context_.ranks.all(tally.timed_seconds() >= most * seconds)) {
      m.throttled = throttled_shares(tally, context_.ranks);
    }
  }
}

void Experiment::work_on(const std::vector<Device>& devices) const {
  if (context_.machine != nullptr) {
    context_.machine->watch(devices);
  }
}

std::vector<Measurement> Experiment::measure_in_turn(const std::vector<Benchmark*>& benchmarks,
                                                     int repeats, std::vector<Check>& checks) {
  require(repeats > 0, std::to_string(repeats) + " repeats", "measure at least one");
  require(!benchmarks.empty(), "there is nothing to measure", "name a benchmark");
  require(std::ranges::find(benchmarks, nullptr) == benchmarks.end(), "a benchmark is null",
          "name those that there are");
  std::vector<Samples> all(benchmarks.size());
  for (Benchmark* const benchmark : benchmarks) {
    context_.end_if_interrupted();
    benchmark->rewind();
    benchmark->warm_up();
  }
  until_interrupted([&] {
    for (int n = 0; n < repeats; ++n) {
      for (std::size_t b = 0; b < benchmarks.size(); ++b) {
        const std::size_t runs = static_cast<std::size_t>(n) * benchmarks.size() + b;
        repeat(*benchmarks[b], all[b],
               {.task = benchmarks[b]->name(),
                .done = static_cast<double>(runs),
                .total = static_cast<double>(repeats) * static_cast<double>(benchmarks.size())},
               repeats);
      }
    }
  });
  if (all.front().seconds.empty()) {
    throw Interrupted();
  }
  if (context_.machine != nullptr) {
    context_.machine->observe_pages();
  }
  std::vector<Measurement> measurements;
  for (std::size_t b = 0; b < benchmarks.size() && !all[b].seconds.empty(); ++b) {
    measurements.push_back(measurement(*benchmarks[b], all[b]));
    checks.insert(checks.end(), all[b].checks.begin(), all[b].checks.end());
  }
  return measurements;
}

Measurement Experiment::measurement(const Benchmark& benchmark, const Samples& samples) const {
  Measurement m = measurement(benchmark.name(), samples.seconds, benchmark.work());
  m.parameters = benchmark.parameters();
  m.figures = benchmark.figures();
  m.notes = benchmark.notes();
  if (!samples.event_seconds.empty()) {
    m.figures.push_back(
        {.name = "event_seconds", .value = summarise(samples.event_seconds).median, .unit = "s"});
  }
  add_energy(samples.counters, m);
  return m;
}

std::vector<std::vector<double>> Experiment::exposed_communication(
    const std::vector<CommunicationPair>& pairs, int repeats) const {
  std::vector<std::vector<double>> exposed(pairs.size());
  for (int n = 0; n < repeats; ++n) {
    context_.begin("timing exposed communication", n, repeats);
    for (std::size_t p = 0; p < pairs.size(); ++p) {
      const double with = time(*pairs[p].with);
      exposed[p].push_back(with - time(*pairs[p].without));
    }
  }
  return exposed;
}

Measurement Experiment::measurement(const std::string& name, const std::vector<double>& seconds,
                                    const Work& work, Repeats repeats) const {
  const Communicator& ranks = context_.ranks;
  Measurement m;
  m.name = name;
  m.seconds = summarise(seconds);
  m.work = work;
  m.work.traffic = sum_over(ranks, work.traffic);
  const WorkingSet set = working_set(ranks, device_, work.working_set_bytes);
  m.work.working_set_bytes = static_cast<double>(set.bytes);
  m.cache = set.fit;
  m.quietness.on_cpu = !device_.is_cuda();
  m.quietness.spread = repeats == Repeats::equal ? m.seconds.spread() : 0.0;
  return m;
}

double Experiment::ceiling_seconds_left() const {
  return ceilings_.seconds_left(context_.ranks.max(watch_.seconds()));
}

void Experiment::expect(const Mix& mix, Precision precision, double working_set_bytes) {
  const WorkingSet set = working_set(context_.ranks, device_, working_set_bytes);
  if (!is_measured(set.fit)) {
    return;
  }
  measure_now(mix, precision, set.bytes);
}

void Experiment::measure_within(double share, const Mix& mix, Precision precision,
                                std::int64_t problem_bytes) {
  const bool is_known = ceilings_.find(mix, precision).has_value();
  if (is_known && ceilings_.min_seconds(mix, precision) > ceiling_seconds_left()) {
    return;
  }
  ceilings_.allocate(problem_bytes);
  ceilings_.measure(mix, precision, share * ceiling_seconds_left());
}

void Experiment::measure_now(const Mix& mix, Precision precision, std::int64_t problem_bytes) {
  constexpr double share = 0.25;  // most is left for the other ceilings and for `finish`
  measure_within(share, mix, precision, problem_bytes);
  ceilings_.release();
}

void Experiment::measure_ceiling_of(const Measurement& m) {
  const std::optional<Mix> mix = ceiling_mix(m.work);
  if (mix && is_measured(m.cache) && !context_.interrupted()) {
    measure_now(*mix, m.work.precision, static_cast<std::int64_t>(m.work.working_set_bytes));
  }
}

std::map<std::string, Experiment::Wanted> Experiment::wanted_ceilings(
    const std::vector<Measurement>& measurements) const {
  std::map<std::string, Wanted> wanted;
  for (const Measurement& m : measurements) {
    const std::optional<Mix> mix = ceiling_mix(m.work);
    if (mix && is_measured(m.cache)) {
      const bool is_known = ceilings_.find(*mix, m.work.precision).has_value();
      wanted[ceiling_key(*mix, m.work.precision)] = {*mix, m.work.precision, is_known ? 1 : 2};
    }
  }
  return wanted;
}

void Experiment::measure_missing(const std::vector<Measurement>& measurements) {
  const std::map<std::string, Wanted> wanted = wanted_ceilings(measurements);
  double problem_bytes = 0.0;
  for (const Measurement& m : measurements) {
    problem_bytes = std::max(problem_bytes, m.work.working_set_bytes);
  }
  int to_come = 0;
  for (const auto& entry : wanted) {
    to_come += entry.second.times;
  }
  // Each of them once before any of them again, so that the two measurements are apart in time.
  for (int turn = 0; turn < 2; ++turn) {
    for (const auto& entry : wanted) {
      const Wanted& ceiling = entry.second;
      if (turn < ceiling.times && !context_.interrupted()) {
        measure_within(1.0 / to_come, ceiling.mix, ceiling.precision,
                       static_cast<std::int64_t>(problem_bytes));
        --to_come;
      }
    }
  }
  ceilings_.release();
}

void Experiment::add_ceiling(Measurement& m) const {
  const std::optional<Mix> mix = ceiling_mix(m.work);
  if (!mix) {
    return;
  }
  const bool from_file = context_.policy.ceiling == CeilingRule::file;
  if (from_file || is_measured(m.cache)) {
    m.ceiling = ceilings_.find(*mix, m.work.precision);
  }
  if (m.ceiling) {
    // The drift of a ceiling from a file did not happen during this run.
    m.quietness.ceiling_drift = m.ceiling->source.empty() ? m.ceiling->drift() : 0.0;
  } else if (from_file) {
    m.notes.push_back("the file of ceilings has none for " + ceiling_key(*mix, m.work.precision) +
                      ": no percentage");
  }
}

void Experiment::finish(std::vector<Measurement>& measurements) {
  finish(measurements, load_.so_far(context_.ranks));
}

void Experiment::finish(std::vector<Measurement>& measurements, const Quietness& load) {
  if (context_.machine != nullptr) {
    context_.machine->observe();
  }
  measure_missing(measurements);
  for (Measurement& m : measurements) {
    m.quietness.load_before = load.load_before;
    m.quietness.foreign_load = load.foreign_load;
    m.quietness.steal = load.steal;
    add_ceiling(m);
  }
}

}  // namespace bankfull
