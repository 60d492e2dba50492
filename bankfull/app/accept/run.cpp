#include "bankfull/app/accept/run.hpp"

#include "bankfull/app/accept/gauges.hpp"
#include "bankfull/app/step.hpp"
#include "bankfull/core/machine/cpu.hpp"
#include "bankfull/core/measure/statistics.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <set>

namespace bankfull::accept {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

/// The runs of one rank's device, one after another.
class DeviceRuns {
 public:
  DeviceRuns(const Order& order, Phase phase)
      : order_(order),
        phase_(phase),
        folder_(order.folder /
                fmt::format("{}-{}", survey_cpu().host_name, device_folder(order.device))) {}

  /// Of one gauge, once more. `report` is of this device.
  void run(const Gauge& gauge, DeviceReport& report) {
    fs::create_directories(folder_);
    const GaugeRun run = order_.run_gauge(
        gauge, folder_ / fmt::format("{}-{}-{}.json", phase_word(), gauge.name, ++runs_));
    if (run.code != ExitCode::ok) {
      if (report.code == ExitCode::ok) {
        report.code = run.code;
        report.message = run.message;
      }
      return;
    }
    report.name = run.name;
    for (Reading reading : run.readings) {
      reading.noisy = reading.noisy || report.was_in_use();
      add(reading, report);
    }
  }

 private:
  static std::string device_folder(Device device) {
    return device.is_cuda() ? fmt::format("cuda{}", device.index) : "cpu";
  }
  [[nodiscard]] std::string phase_word() const {
    return phase_ == Phase::alone ? "alone" : "at-once";
  }

  static void add(const Reading& reading, DeviceReport& report) {
    auto found = std::ranges::find(report.readings, reading.gauge, &GaugeReadings::gauge);
    if (found == report.readings.end()) {
      report.readings.push_back({.gauge = reading.gauge, .unit = reading.unit, .rates = {}});
      found = report.readings.end() - 1;
    }
    found->rates.push_back(reading.rate);
    found->noisy = found->noisy || reading.noisy;
  }

  const Order& order_;
  Phase phase_;
  fs::path folder_;
  int runs_ = 0;
};

/// Collective: does `body` on the ranks of a phase: in turn on each node, or on all together.
template <class Body>
void in_phase(Phase phase, const Communicator& world, const Body& body) {
  const int turns =
      phase == Phase::alone ? static_cast<int>(world.max(std::int64_t{world.local_size()})) : 1;
  for (int turn = 0; turn < turns; ++turn) {
    if (phase == Phase::at_once || world.local_rank() == turn) {
      body();
    }
    world.patient_barrier();
  }
}

std::string to_text(const DeviceReport& report) {
  json readings = json::array();
  for (const GaugeReadings& gauge : report.readings) {
    readings.push_back({gauge.gauge, gauge.unit, gauge.rates, gauge.noisy});
  }
  return json{{"model", report.name.model},   {"host", report.name.host},
              {"device", report.name.device}, {"board", report.name.board},
              {"readings", readings},         {"code", static_cast<int>(report.code)},
              {"message", report.message},    {"use_before", report.use_before}}
      .dump(-1, ' ', false, json::error_handler_t::replace);
}

DeviceReport from_text(const std::string& text, Phase phase) {
  const json object = json::parse(text);
  DeviceReport report{.name = {.model = object.at("model"),
                               .host = object.at("host"),
                               .device = object.at("device"),
                               .board = object.at("board")},
                      .phase = phase,
                      .code = static_cast<ExitCode>(object.at("code").get<int>()),
                      .message = object.at("message"),
                      .use_before = object.at("use_before")};
  for (const json& gauge : object.at("readings")) {
    report.readings.push_back(
        {.gauge = gauge.at(0), .unit = gauge.at(1), .rates = gauge.at(2), .noisy = gauge.at(3)});
  }
  return report;
}

/// Collective: the reports of all ranks.
std::vector<DeviceReport> gathered(const DeviceReport& own, const Communicator& world) {
  const std::string text = to_text(own);
  std::vector<DeviceReport> all;
  for (const auto& other : world.all_gather(std::vector<char>(text.begin(), text.end()))) {
    all.push_back(from_text(std::string(other.begin(), other.end()), own.phase));
  }
  return all;
}

const GaugeReadings* find(const DeviceReport& report, const std::string& gauge) {
  const auto found = std::ranges::find(report.readings, gauge, &GaugeReadings::gauge);
  return found == report.readings.end() ? nullptr : &*found;
}

/// The medians of the other devices of the same model.
std::vector<double> others_of(const DeviceReport& report, const std::string& gauge,
                              const std::vector<DeviceReport>& all) {
  std::vector<double> rates;
  for (const DeviceReport& other : all) {
    const GaugeReadings* const readings = find(other, gauge);
    if (&other != &report && other.name.model == report.name.model && readings != nullptr) {
      rates.push_back(readings->median());
    }
  }
  return rates;
}

class Acceptor {
 public:
  Acceptor(const Order& order, const Communicator& world)
      : order_(order),
        world_(world),
        shares_nodes_(world.max(std::int64_t{world.local_size()}) > 1),
        use_before_(order.use(order.device)) {
    world.barrier();  // what runs from here on is our own
  }

  /// Collective: one phase, with misses measured again.
  std::vector<DeviceReport> phase(Phase phase) {
    DeviceReport own{.name = {.model = {},
                              .host = survey_cpu().host_name,
                              .device = to_string(order_.device),
                              .board = {}},
                     .phase = phase,
                     .use_before = use_before_};
    DeviceRuns runs(order_, phase);
    const std::vector<Gauge> gauges = gauges_of(order_.device, order_.threads);
    in_phase(phase, world_, [&] { measure(gauges, order_.rounds, runs, own); });
    std::vector<DeviceReport> all = gathered(own, world_);
    const bool again = std::ranges::any_of(
        all, [&](const DeviceReport& report) { return has_misses(report, all); });
    if (again) {
      const bool is_mine = has_misses(all[static_cast<std::size_t>(world_.rank())], all);
      in_phase(phase, world_, [&] {
        // At once the others must work, too, or the device would be alone.
        if (is_mine || phase == Phase::at_once) {
          measure(gauges, confirming_rounds, runs, own);
        }
      });
      all = gathered(own, world_);
    }
    judge_devices(all);
    return all;
  }

  [[nodiscard]] std::string baseline_source(const DeviceReport& report) const {
    const std::optional<Baseline> baseline = baseline_for(report);
    return baseline ? fmt::format("{}, {}", baseline->model, baseline->from) : "";
  }

 private:
  static void measure(const std::vector<Gauge>& gauges, int rounds, DeviceRuns& runs,
                      DeviceReport& report) {
    for (int round = 0; round < rounds; ++round) {
      for (const Gauge& gauge : gauges) {
        runs.run(gauge, report);
      }
    }
  }

  /// Ranks on one processor share its memory: at once they are slower than what one does alone.
  [[nodiscard]] bool shares_memory(const DeviceReport& report) const {
    return report.phase == Phase::at_once && report.name.device == "cpu" && shares_nodes_;
  }

  [[nodiscard]] std::optional<Baseline> baseline_for(const DeviceReport& report) const {
    if (shares_memory(report)) {
      return std::nullopt;
    }
    if (order_.baseline) {
      return order_.baseline->model == report.name.model ? order_.baseline : std::nullopt;
    }
    return baseline_of(report.name.model);
  }

  [[nodiscard]] bool has_misses(const DeviceReport& report,
                                const std::vector<DeviceReport>& all) const {
    const std::optional<Baseline> baseline = baseline_for(report);
    return any_misses(report.readings, baseline ? &*baseline : nullptr,
                      [&](const std::string& gauge) { return others_of(report, gauge, all); });
  }

  void judge_devices(std::vector<DeviceReport>& all) const {
    for (DeviceReport& report : all) {
      const std::optional<Baseline> baseline = baseline_for(report);
      report.judgements =
          judge_all(report.readings, baseline ? &*baseline : nullptr,
                    [&](const std::string& gauge) { return others_of(report, gauge, all); });
    }
  }

  const Order& order_;
  const Communicator& world_;
  bool shares_nodes_;  ///< some rank is not alone on its node
  double use_before_;
};

/// "exchange of 64 MiB faces, pair 0-1, peer" without its pair: what links are compared by.
std::string without_pair(const std::string& name) {
  const std::size_t begin = name.find(", pair ");
  const std::size_t end = begin == std::string::npos ? begin : name.find(',', begin + 1);
  return begin == std::string::npos
             ? ""
             : name.substr(0, begin) + name.substr(std::min(end, name.size()));
}

void compare_links(std::vector<JointRun>& runs) {
  for (JointRun& run : runs) {
    const std::string kind = without_pair(run.gauge);
    std::vector<double> others;
    for (const JointRun& other : runs) {
      if (&other != &run && !kind.empty() && without_pair(other.gauge) == kind) {
        others.push_back(other.rate);
      }
    }
    if (!others.empty()) {
      run.of_others = run.rate / summarise(others).median;
    }
  }
}

std::vector<JointRun> joint_runs_of(const recorded::RecordedRun& run) {
  std::vector<JointRun> runs;
  for (const Measurement& m : run.result.measurements) {
    const bool is_link = run.result.workload == "probe";
    const auto rate = is_link ? m.bytes_per_second() : m.flops_per_second();
    if (rate) {
      runs.push_back({.gauge = m.name, .unit = is_link ? "GB/s" : "GFLOPS", .rate = *rate * 1e-9});
    }
  }
  compare_links(runs);
  return runs;
}

/// Collective: what all ranks do together.
void run_together(const Order& order, const Communicator& world, Acceptance& acceptance) {
  for (const Gauge& gauge : joint_gauges(order.device, order.threads)) {
    const fs::path file = order.folder / ("together-" + gauge.name + ".json");
    std::vector<std::string> arguments = gauge.arguments;
    arguments.insert(arguments.end(), {"--json", file.string(), "--quiet"});
    const StepOutcome outcome = run_step(arguments, world, order.folder / "together.txt");
    const auto code =
        static_cast<ExitCode>(world.max(std::int64_t{static_cast<std::int64_t>(outcome.code)}));
    if (code != ExitCode::ok) {
      acceptance.code = code;
    } else if (world.is_root()) {
      std::ranges::move(joint_runs_of(recorded::read_run(file)),
                        std::back_inserter(acceptance.together));
    }
  }
}

ExitCode code_of(const Acceptance& acceptance) {
  for (const ExitCode code : {ExitCode::interrupted, ExitCode::verification_failed,
                              ExitCode::runtime_failure, ExitCode::usage}) {
    if (acceptance.code == code ||
        std::ranges::any_of(acceptance.devices,
                            [&](const DeviceReport& report) { return report.code == code; })) {
      return code;
    }
  }
  const bool passed = std::ranges::all_of(acceptance.devices, [](const DeviceReport& report) {
    return report.verdict() == Finding::good || report.verdict() == Finding::unknown;
  });
  return passed ? ExitCode::ok : ExitCode::below_threshold;
}

}  // namespace

Acceptance accept(const Order& order, const Communicator& world,
                  const std::function<void(const std::string&)>& tell) {
  Acceptance acceptance;
  Acceptor acceptor(order, world);
  std::vector<Phase> phases;
  if (!order.each) {
    phases.push_back(Phase::alone);
  }
  if (order.each || world.size() > 1) {
    phases.push_back(Phase::at_once);
  }
  for (const Phase phase : phases) {
    tell(fmt::format("{} device{} {}", world.size(), world.size() == 1 ? "" : "s",
                     phase_names.to_string(phase)));
    std::ranges::move(acceptor.phase(phase), std::back_inserter(acceptance.devices));
  }
  acceptance.baseline = acceptor.baseline_source(acceptance.devices.front());
  if (!order.each && world.size() > 1) {
    tell("all devices together");
    run_together(order, world, acceptance);
  }
  acceptance.code = code_of(acceptance);
  return acceptance;
}

}  // namespace bankfull::accept
