#include "bankfull/core/measure/machine_watch.hpp"

#include "bankfull/build_config.hpp"
#include "bankfull/core/base/format.hpp"
#include "bankfull/core/machine/cgroup.hpp"
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

/// By how much the counters of `after` are beyond those of the same names before; those that are
/// behind were reset and say nothing.
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
    if (!from || !to || *to < *from) {
      continue;
    }
    if (first != nullptr && last != nullptr) {
      counted.push_back({.name = now.name, .value = *last - *first, .unit = now.unit});
    } else {
      counted.push_back({.name = now.name, .value = *to - *from, .unit = now.unit});
    }
  }
  return counted;
}

std::string without_underscores(std::string name) {
  std::replace(name.begin(), name.end(), '_', ' ');
  return name;
}

/// What is wrong with a part whatever a run did: counters that are truths.
std::vector<std::string> faults_in(const std::vector<Figure>& counts) {
  std::vector<std::string> faults;
  for (const Figure& figure : counts) {
    const auto* const truth = std::get_if<bool>(&figure.value);
    if (truth == nullptr || !*truth) {
      continue;
    }
    if (figure.name == "remapping_pending") {
      faults.emplace_back("remapping pending: rows of memory are replaced when the GPU is reset");
    } else if (figure.name == "remapping_failed") {
      faults.emplace_back("remapping failed: a row of memory could not be replaced");
    }
  }
  return faults;
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

/// One reading of a part.
struct ObservedMoment {
  double seconds = 0.0;
  std::vector<Figure> state = {};
  std::vector<Figure> counts = {};
  ThrottleSeconds throttle = {};
  std::vector<QuotaPeriods> quotas = {};
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

  /// What is read at other times than the rest.
  void add_besides(const std::vector<Figure>& figures) {
    for (const Figure& figure : figures) {
      widen(ranges_, figure);
    }
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
    for (std::string& fault : faults_in(last_.counts)) {
      part.findings.push_back(std::move(fault));
    }
    for (const Throttle reason : throttle_names.values()) {
      describe(reason, *first_, part);
    }
    describe_quotas(*first_, part);
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

  /// By the group that was kept waiting in the largest share of its periods.
  void describe_quotas(const ObservedMoment& first, ObservedPart& part) const {
    const std::optional<QuotaPeriods> worst = most_throttled(first.quotas, last_.quotas);
    if (!worst) {
      return;
    }
    const std::string name = throttle_names.to_string(Throttle::cgroup_quota);
    part.is_throttling_known = true;
    part.counted.push_back(
        {.name = key_of(Throttle::cgroup_quota), .value = worst->throttled, .unit = "periods"});
    if (worst->share() >= min_throttled_share) {
      part.limits.push_back(name);
      part.findings.push_back(
          fmt::format("{} in {:.2g} % of its periods", name, 100.0 * worst->share()));
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
                 .throttle = host_throttle_seconds(files),
                 .quotas = Cgroup(files).quota_periods()});
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

MachineWatch::MachineWatch(const Communicator& ranks)
    : MachineWatch(SystemFiles(), "libnvidia-ml.so.1", ranks.local_rank() == 0) {}

MachineWatch::MachineWatch(SystemFiles files, std::string nvml_library, bool with_host)
    : files_(std::move(files)), nvml_library_(std::move(nvml_library)), rapl_(files_) {
  if (with_host) {
    host_ = std::make_unique<Host>(files_);
  }
  observe();
}

MachineWatch::~MachineWatch() = default;

void MachineWatch::watch(const std::vector<Device>& devices) {
  std::vector<GpuAddress> addresses;
  for (const Device& device : devices) {
    if (!device.is_cuda()) {
      continue;  // and the GPUs are left alone
    }
    const std::vector<GpuInfo>& gpus = survey_gpus().gpus;
    const auto index = static_cast<std::size_t>(device.index);
    if (index < gpus.size()) {
      addresses.push_back(address_of(gpus[index]));
    }
  }
  watch_gpus(addresses);
}

void MachineWatch::watch_gpus(const std::vector<GpuAddress>& gpus) {
  if (gpus.empty()) {
    return;
  }
  working_.clear();
  for (const GpuAddress& address : gpus) {
    const auto known = std::find_if(gpus_.begin(), gpus_.end(), [&](const auto& gpu) {
      return gpu->address.pci_bus_id == address.pci_bus_id;
    });
    if (known != gpus_.end()) {
      working_.push_back(known->get());
      continue;
    }
    gpus_.push_back(std::make_unique<Gpu>(address, nvml_library_));
    gpus_.back()->observe(clock_.seconds());
    working_.push_back(gpus_.back().get());
  }
}

CounterReading MachineWatch::read_counters() {
  CounterReading reading;
  reading.seconds = clock_.seconds();
  reading.energy = rapl_.read(reading.seconds);
  std::optional<double> joules;
  for (std::size_t n = 0; n < working_.size(); ++n) {
    const GpuMonitor& monitor = working_[n]->monitor;
    const std::optional<double> own = monitor.energy_joules();
    const bool are_known = own && (n == 0 || joules);
    joules = are_known ? std::optional(joules.value_or(0.0) + *own) : std::nullopt;
    reading.gpu_throttle.push_back(monitor.throttle_seconds());
  }
  reading.energy[EnergyDomain::gpu] = joules;
  return reading;
}

std::string MachineWatch::energy_unknown_because(Device device) const {
  if (!device.is_cuda()) {
    return rapl_.unknown_because();
  }
  const auto all = [&](auto holds) { return std::all_of(working_.begin(), working_.end(), holds); };
  if (working_.empty() || !all([](const Gpu* gpu) { return gpu->monitor.found(); })) {
    return "NVIDIA's management library (NVML) cannot be used";
  }
  return all([](const Gpu* gpu) { return gpu->monitor.energy_joules().has_value(); })
             ? ""
             : "the driver does not count this GPU's energy";
}

void MachineWatch::observe_after(double last_seconds) {
  if (last_seconds >= min_seconds_before_observing &&
      clock_.seconds() - last_observed_ >= min_seconds_between_observing) {
    observe();
  }
}

void MachineWatch::observe() {
  for (const std::unique_ptr<Gpu>& gpu : gpus_) {
    gpu->observe(clock_.seconds());
  }
  if (host_) {
    host_->observe(clock_.seconds());
  }
  last_observed_ = clock_.seconds();
}

void MachineWatch::observe_pages() {
  const double now = clock_.seconds();
  if (host_ && working_.empty() &&
      (!pages_observed_ || now - *pages_observed_ >= min_seconds_between_observing)) {
    host_->history.add_besides(process_memory(files_));
    pages_observed_ = now;
  }
}

MachineState MachineWatch::own_parts() const {
  MachineState mine;
  for (const std::unique_ptr<Gpu>& gpu : gpus_) {
    ObservedPart part{.kind = "gpu", .name = gpu->address.name, .settings = gpu->settings};
    gpu->history.describe(part);
    mine.parts.push_back(std::move(part));
  }
  if (host_) {
    ObservedPart part{
        .kind = "host", .name = "host " + survey_cpu().host_name, .settings = host_->settings};
    host_->history.describe(part);
    mine.parts.push_back(std::move(part));
  }
  return mine;
}

MachineState MachineWatch::state(const Communicator& ranks) {
  observe();
  const std::string mine = machine_to_json(own_parts());
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
