#include "bankfull/core/measure/machine_watch.hpp"

#include "bankfull/build_config.hpp"
#include "bankfull/core/base/format.hpp"
#include "bankfull/core/machine/cpu.hpp"
#include "bankfull/core/machine/gpu.hpp"
#include "bankfull/core/machine/gpu_state.hpp"
#include "bankfull/core/machine/host_settings.hpp"
#include "bankfull/core/machine/host_state.hpp"

#include <algorithm>
#include <cctype>
#include <fmt/format.h>
#include <utility>

namespace bankfull {
namespace {

/// Observing takes milliseconds, in which teams of threads fall asleep: it follows work that makes
/// this one part in twenty or less, and is not done again within this time.
constexpr double min_seconds_before_observing = 0.1;
constexpr double min_seconds_between_observing = 1.0;

std::string key_of(Throttle reason) {
  std::string key = throttle_names.to_string(reason);
  std::replace_if(
      key.begin(), key.end(),
      [](char letter) { return std::isalnum(static_cast<unsigned char>(letter)) == 0; }, '_');
  return key;
}

void widen(std::vector<ObservedRange>& ranges, const Figure& figure) {
  const std::optional<double> value = as_number(figure);
  if (!value) {
    return;
  }
  const auto known = std::find_if(ranges.begin(), ranges.end(), [&](const ObservedRange& range) {
    return range.name == figure.name;
  });
  if (known == ranges.end()) {
    ranges.push_back({.name = figure.name, .min = *value, .max = *value, .unit = figure.unit});
  } else {
    known->min = std::min(known->min, *value);
    known->max = std::max(known->max, *value);
  }
}

/// By how much the counters of `after` are beyond those of the same names before.
std::vector<Figure> advance_of(const std::vector<Figure>& before,
                               const std::vector<Figure>& after) {
  std::vector<Figure> counted;
  for (const Figure& now : after) {
    const auto then = std::find_if(before.begin(), before.end(),
                                   [&](const Figure& figure) { return figure.name == now.name; });
    if (then == before.end()) {
      continue;
    }
    const auto* const first = std::get_if<std::int64_t>(&then->value);
    const auto* const last = std::get_if<std::int64_t>(&now.value);
    const std::optional<double> from = as_number(*then);
    const std::optional<double> to = as_number(now);
    if (first != nullptr && last != nullptr) {
      counted.push_back({.name = now.name, .value = *last - *first, .unit = now.unit});
    } else if (from && to) {
      counted.push_back({.name = now.name, .value = *to - *from, .unit = now.unit});
    }
  }
  return counted;
}

std::string without_underscores(std::string name) {
  std::replace(name.begin(), name.end(), '_', ' ');
  return name;
}

std::vector<Figure> joined(std::vector<Figure> some, const std::vector<Figure>& others) {
  some.insert(some.end(), others.begin(), others.end());
  return some;
}

GpuAddress address_of(const GpuInfo& gpu) {
  return {.name = fmt::format("GPU {} of host {}", gpu.index, survey_cpu().host_name),
          .model = gpu.name,
          .uuid = gpu.uuid,
          .pci_bus_id = gpu.pci_bus_id};
}

bool is_same(const ObservedPart& a, const ObservedPart& b) {
  const auto address = [](const ObservedPart& part) {
    const auto found = std::find_if(part.settings.begin(), part.settings.end(),
                                    [](const Figure& f) { return f.name == "pci_bus_id"; });
    const auto* text =
        found == part.settings.end() ? nullptr : std::get_if<std::string>(&found->value);
    return text == nullptr ? std::string() : *text;
  };
  return a.kind == b.kind && a.name == b.name && address(a) == address(b);
}

}  // namespace

/// One thing that can be read of a part.
struct ObservedMoment {
  double seconds = 0.0;
  std::vector<Figure> state = {};
  std::vector<Figure> counts = {};
  ThrottleSeconds throttle = {};
  std::optional<std::vector<Throttle>> throttled_now = {};
};

/// The readings of one part: the first, the last, and what is between them.
class MachineWatch::History {
 public:
  void add(ObservedMoment moment) {
    for (const Figure& figure : moment.state) {
      widen(ranges_, figure);
    }
    if (moment.throttled_now) {
      ++sampled_;
      for (const Throttle reason : *moment.throttled_now) {
        ++seen_.at(static_cast<std::size_t>(reason));
      }
    }
    first_ = first_ ? std::move(first_) : std::optional(moment);
    last_ = std::move(moment);
  }

  void describe(ObservedPart& part) const {
    if (!first_) {
      return;
    }
    part.before = joined(first_->state, first_->counts);
    part.during = ranges_;
    part.after = joined(last_.state, last_.counts);
    part.counted = advance_of(first_->counts, last_.counts);
    for (const Figure& count : part.counted) {
      const auto* const errors = std::get_if<std::int64_t>(&count.value);
      if (errors != nullptr && *errors > 0) {
        part.findings.push_back(
            fmt::format("{}: {} during the run", without_underscores(count.name), *errors));
      }
    }
    for (const Throttle reason : throttle_names.values()) {
      describe(reason, *first_, part);
    }
    part.is_throttling_known = part.is_throttling_known || sampled_ > 0;
  }

 private:
  /// By its counter if there is one, else by how often it was seen.
  void describe(Throttle reason, const ObservedMoment& first, ObservedPart& part) const {
    const std::string name = throttle_names.to_string(reason);
    const std::optional<double>& from = first.throttle[reason];
    const std::optional<double>& to = last_.throttle[reason];
    const double elapsed = last_.seconds - first.seconds;
    if (from && to && *to >= *from && elapsed > 0.0) {
      part.is_throttling_known = true;
      const double share = std::min(1.0, (*to - *from) / elapsed);
      part.counted.push_back({.name = key_of(reason), .value = *to - *from, .unit = "s"});
      if (share >= min_throttled_share) {
        part.limits.push_back(name);
        part.findings.push_back(fmt::format("{} for {:.2g} % of the run", name, 100.0 * share));
      }
      return;
    }
    const int seen = seen_.at(static_cast<std::size_t>(reason));
    if (seen > 0) {
      part.limits.push_back(name);
      part.findings.push_back(fmt::format("{} in {} of {} readings", name, seen, sampled_));
    }
  }

  std::optional<ObservedMoment> first_;
  ObservedMoment last_;
  std::vector<ObservedRange> ranges_;
  std::array<int, throttle_count> seen_{};
  int sampled_ = 0;
};

struct MachineWatch::Host {
  explicit Host(const SystemFiles& system) : files(system), settings(host_settings(system)) {}

  void observe(double seconds) {
    history.add({.seconds = seconds,
                 .state = host_state(files),
                 .counts = host_counts(files),
                 .throttle = host_throttle_seconds(files)});
  }

  const SystemFiles& files;
  std::vector<Figure> settings;
  History history = {};
};

struct MachineWatch::Gpu {
  Gpu(GpuAddress where, const std::string& library)
      : address(std::move(where)), nvml(library), monitor(nvml, address.pci_bus_id) {
    settings = {{.name = "model", .value = address.model},
                {.name = "uuid", .value = address.uuid},
                {.name = "pci_bus_id", .value = address.pci_bus_id}};
    settings = joined(std::move(settings), monitor.settings());
  }

  void observe(double seconds) {
    history.add({.seconds = seconds,
                 .state = monitor.state(),
                 .counts = monitor.errors(),
                 .throttle = monitor.throttle_seconds(),
                 .throttled_now = monitor.throttled_now()});
  }

  GpuAddress address;
  Nvml nvml;
  GpuMonitor monitor;
  std::vector<Figure> settings = {};
  History history = {};
};

MachineWatch::MachineWatch(SystemFiles files, std::string nvml_library)
    : files_(std::move(files)),
      nvml_library_(std::move(nvml_library)),
      rapl_(files_),
      host_(std::make_unique<Host>(files_)) {
  observe();
}

MachineWatch::~MachineWatch() = default;

void MachineWatch::watch(Device device) {
  if (!device.is_cuda() || gpu_) {
    return;  // and the GPUs are left alone
  }
  const std::vector<GpuInfo>& gpus = survey_gpus().gpus;
  const auto index = static_cast<std::size_t>(device.index);
  if (index < gpus.size()) {
    watch(address_of(gpus[index]));
  }
}

void MachineWatch::watch(const GpuAddress& gpu) {
  if (!gpu_) {
    gpu_ = std::make_unique<Gpu>(gpu, nvml_library_);
    gpu_->observe(clock_.seconds());
  }
}

CounterReading MachineWatch::read_counters() {
  CounterReading reading;
  reading.seconds = clock_.seconds();
  reading.energy = rapl_.read(reading.seconds);
  if (gpu_) {
    reading.energy[EnergyDomain::gpu] = gpu_->monitor.energy_joules();
    reading.gpu_throttle = gpu_->monitor.throttle_seconds();
  }
  return reading;
}

std::string MachineWatch::energy_unknown_because(Device device) const {
  if (!device.is_cuda()) {
    return rapl_.unknown_because();
  }
  if (!gpu_ || !gpu_->monitor.found()) {
    return "NVIDIA's management library (NVML) cannot be used";
  }
  return gpu_->monitor.energy_joules() ? "" : "the driver does not count this GPU's energy";
}

void MachineWatch::observe_after(double last_seconds) {
  if (last_seconds >= min_seconds_before_observing &&
      clock_.seconds() - last_observed_ >= min_seconds_between_observing) {
    observe();
  }
}

void MachineWatch::observe() {
  if (gpu_) {
    gpu_->observe(clock_.seconds());
  }
  host_->observe(clock_.seconds());
  last_observed_ = clock_.seconds();
}

MachineState MachineWatch::own_parts(bool with_host) {
  MachineState mine;
  if (gpu_) {
    ObservedPart part{.kind = "gpu", .name = gpu_->address.name, .settings = gpu_->settings};
    gpu_->history.describe(part);
    mine.parts.push_back(std::move(part));
  }
  if (with_host) {
    ObservedPart part{
        .kind = "host", .name = "host " + survey_cpu().host_name, .settings = host_->settings};
    host_->history.describe(part);
    mine.parts.push_back(std::move(part));
  }
  return mine;
}

MachineState MachineWatch::state(const Communicator& ranks) {
  observe();
  const std::string mine = machine_to_json(own_parts(ranks.local_rank() == 0));
  MachineState all;
  for (const auto& text : ranks.all_gather(std::vector<char>(mine.begin(), mine.end()))) {
    for (ObservedPart& part : machine_from_json({text.begin(), text.end()}).parts) {
      const bool is_known =
          std::any_of(all.parts.begin(), all.parts.end(),
                      [&](const ObservedPart& other) { return is_same(part, other); });
      if (!is_known) {
        all.parts.push_back(std::move(part));
      }
    }
  }
  return all;
}

}  // namespace bankfull
