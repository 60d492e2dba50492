#include "bankfull/core/machine/nvml.hpp"

#include "bankfull/core/base/dynamic_library.hpp"

#include <array>
#include <span>

namespace bankfull {
namespace detail {

/// nvmlFieldValue_t: a counter or state by its number.
struct NvmlFieldValue {
  unsigned field = 0;
  unsigned scope = 0;
  long long timestamp = 0;
  long long latency = 0;
  int type = 0;  ///< which member of nvmlValue_t holds it
  int status = 0;
  unsigned long long bits = 0;
};

/// nvmlUtilization_t, in percent of the time.
struct NvmlUtilisation {
  unsigned gpu = 0;
  unsigned memory = 0;
};

/// nvmlViolationTime_t.
struct NvmlViolationTime {
  unsigned long long reference_microseconds = 0;
  unsigned long long nanoseconds = 0;
};

}  // namespace detail

namespace {

using detail::NvmlFieldValue;
using detail::NvmlUtilisation;
using detail::NvmlViolationTime;

// From NVML's documented interface, nvml.h: return code 0 is success.
constexpr int nvml_success = 0;
constexpr unsigned sm_clock = 1;
constexpr unsigned memory_clock = 2;
constexpr unsigned max_links = 18;
constexpr unsigned gpu_sensor = 0;
constexpr unsigned slowdown_threshold = 1;
constexpr unsigned corrected_errors = 0;
constexpr unsigned uncorrected_errors = 1;
constexpr unsigned since_driver_loaded = 0;  // NVML_VOLATILE_ECC
constexpr unsigned link_replay = 0;
constexpr unsigned link_recovery = 1;
constexpr unsigned link_checksum = 2;
constexpr unsigned power_policy = 0;
constexpr unsigned thermal_policy = 1;

// nvmlDeviceGetFieldValues' numbers, NVML_FI_DEV_...
constexpr unsigned memory_temperature_field = 82;
constexpr unsigned link_speed_field = 90;
constexpr unsigned power_cap_field = 74;  // of the counters of throttling, all in ns
constexpr unsigned thermal_field = 269;
constexpr unsigned hardware_thermal_field = 270;
constexpr unsigned power_brake_field = 271;

/// nvmlValueType_t: 1 is an unsigned int, 5 an int, the others that fields here have are 64 bits.
std::uint64_t value_of(const NvmlFieldValue& field) {
  constexpr int unsigned_int = 1;
  constexpr int signed_int = 5;
  const bool is_narrow = field.type == unsigned_int || field.type == signed_int;
  return is_narrow ? static_cast<std::uint32_t>(field.bits) : field.bits;
}

/// Queries of a GPU: of one number, of one that a kind selects, and of a large one.
using NumberQuery = DynamicFunction<int(void*, unsigned*)>;
using KindQuery = DynamicFunction<int(void*, unsigned, unsigned*)>;
using CounterQuery = DynamicFunction<int(void*, unsigned long long*)>;

}  // namespace

struct Nvml::Functions : DynamicLibrary {
  explicit Functions(const std::string& library) : DynamicLibrary(library) {}

  DynamicFunction<int()> init{*this, "nvmlInit_v2"};
  DynamicFunction<int()> shutdown{*this, "nvmlShutdown"};
  DynamicFunction<int(const char*, void**)> gpu_at{*this, "nvmlDeviceGetHandleByPciBusId_v2"};
  DynamicFunction<int(char*, unsigned)> driver_version{*this, "nvmlSystemGetDriverVersion"};
  DynamicFunction<int(void*, char*, unsigned)> vbios{*this, "nvmlDeviceGetVbiosVersion"};
  KindQuery clock{*this, "nvmlDeviceGetClockInfo"};
  KindQuery max_clock{*this, "nvmlDeviceGetMaxClockInfo"};
  KindQuery link{*this, "nvmlDeviceGetNvLinkState"};
  KindQuery temperature{*this, "nvmlDeviceGetTemperature"};
  KindQuery temperature_threshold{*this, "nvmlDeviceGetTemperatureThreshold"};
  NumberQuery pcie_generation{*this, "nvmlDeviceGetCurrPcieLinkGeneration"};
  NumberQuery pcie_width{*this, "nvmlDeviceGetCurrPcieLinkWidth"};
  NumberQuery max_pcie_generation{*this, "nvmlDeviceGetMaxPcieLinkGeneration"};
  NumberQuery max_pcie_width{*this, "nvmlDeviceGetMaxPcieLinkWidth"};
  NumberQuery pcie_replays{*this, "nvmlDeviceGetPcieReplayCounter"};
  NumberQuery power{*this, "nvmlDeviceGetPowerUsage"};
  NumberQuery power_limit{*this, "nvmlDeviceGetEnforcedPowerLimit"};
  NumberQuery default_power_limit{*this, "nvmlDeviceGetPowerManagementDefaultLimit"};
  NumberQuery performance_state{*this, "nvmlDeviceGetPerformanceState"};
  NumberQuery persistence{*this, "nvmlDeviceGetPersistenceMode"};
  CounterQuery energy{*this, "nvmlDeviceGetTotalEnergyConsumption"};
  CounterQuery event_reasons{*this, "nvmlDeviceGetCurrentClocksEventReasons"};
  CounterQuery throttle_reasons{*this, "nvmlDeviceGetCurrentClocksThrottleReasons"};  // before 535
  DynamicFunction<int(void*, unsigned, NvmlViolationTime*)> violation{
      *this, "nvmlDeviceGetViolationStatus"};
  DynamicFunction<int(void*, NvmlUtilisation*)> utilisation{*this, "nvmlDeviceGetUtilizationRates"};
  DynamicFunction<int(void*, int, NvmlFieldValue*)> fields{*this, "nvmlDeviceGetFieldValues"};
  DynamicFunction<int(void*, unsigned*, unsigned*)> mig{*this, "nvmlDeviceGetMigMode"};
  DynamicFunction<int(void*, unsigned, unsigned, unsigned long long*)> memory_errors{
      *this, "nvmlDeviceGetTotalEccErrors"};
  DynamicFunction<int(void*, unsigned, unsigned, unsigned long long*)> link_errors{
      *this, "nvmlDeviceGetNvLinkErrorCounter"};
  DynamicFunction<int(void*, unsigned*, unsigned*, unsigned*, unsigned*)> remapped_rows{
      *this, "nvmlDeviceGetRemappedRows"};

  [[nodiscard]] static std::optional<unsigned> number(const NumberQuery& query, void* gpu) {
    unsigned value = 0;
    const bool known = gpu != nullptr && query && query(gpu, &value) == nvml_success;
    return known ? std::optional(value) : std::nullopt;
  }
  [[nodiscard]] static std::optional<unsigned> number(const KindQuery& query, void* gpu,
                                                      unsigned kind) {
    unsigned value = 0;
    const bool known = gpu != nullptr && query && query(gpu, kind, &value) == nvml_success;
    return known ? std::optional(value) : std::nullopt;
  }
  [[nodiscard]] static std::optional<std::uint64_t> number(const CounterQuery& query, void* gpu) {
    unsigned long long value = 0;
    const bool known = gpu != nullptr && query && query(gpu, &value) == nvml_success;
    return known ? std::optional(std::uint64_t{value}) : std::nullopt;
  }
  [[nodiscard]] std::optional<std::int64_t> errors_of_memory(void* gpu, unsigned kind) const {
    unsigned long long count = 0;
    const bool known = gpu != nullptr && memory_errors &&
                       memory_errors(gpu, kind, since_driver_loaded, &count) == nvml_success;
    return known ? std::optional(static_cast<std::int64_t>(count)) : std::nullopt;
  }
  [[nodiscard]] std::optional<std::int64_t> errors_of_link(void* gpu, unsigned link_index,
                                                           unsigned kind) const {
    unsigned long long count = 0;
    const bool known = link_errors && link_errors(gpu, link_index, kind, &count) == nvml_success;
    return known ? std::optional(static_cast<std::int64_t>(count)) : std::nullopt;
  }
  [[nodiscard]] bool is_active(void* gpu, unsigned link_index) const {
    return number(link, gpu, link_index).value_or(0) != 0;
  }
  [[nodiscard]] std::optional<double> violation_seconds(void* gpu, unsigned policy) const {
    NvmlViolationTime time;
    const bool known = gpu != nullptr && violation && violation(gpu, policy, &time) == nvml_success;
    return known ? std::optional(1e-9 * static_cast<double>(time.nanoseconds)) : std::nullopt;
  }
  /// Fills in what is known; others keep a status of failure.
  void read(void* gpu, std::span<NvmlFieldValue> values) const {
    for (NvmlFieldValue& value : values) {
      value.status = nvml_success + 1;
    }
    if (gpu != nullptr && fields) {
      static_cast<void>(fields(gpu, static_cast<int>(values.size()), values.data()));
    }
  }
  [[nodiscard]] std::optional<std::uint64_t> field(void* gpu, unsigned which) const {
    std::array<NvmlFieldValue, 1> value{{{.field = which}}};
    read(gpu, value);
    return value[0].status == nvml_success ? std::optional(value_of(value[0])) : std::nullopt;
  }
};

namespace {

std::optional<int> whole(std::optional<std::uint64_t> value) {
  return value ? std::optional(static_cast<int>(*value)) : std::nullopt;
}

std::optional<double> scaled(std::optional<std::uint64_t> value, double factor) {
  return value ? std::optional(factor * static_cast<double>(*value)) : std::nullopt;
}

std::optional<bool> is_on(std::optional<unsigned> value) {
  return value ? std::optional(*value != 0) : std::nullopt;
}

constexpr double milli = 1e-3;

}  // namespace

Nvml::Nvml(const std::string& library)
    : functions_(std::make_unique<Functions>(library)),
      ready_(functions_->init && functions_->init() == nvml_success) {}

Nvml::~Nvml() {
  if (ready_ && functions_->shutdown) {
    functions_->shutdown();
  }
}

void* Nvml::gpu(const std::string& pci_bus_id) const {
  void* handle = nullptr;
  const bool found = ready_ && functions_->gpu_at &&
                     functions_->gpu_at(pci_bus_id.c_str(), &handle) == nvml_success;
  return found ? handle : nullptr;
}

std::string Nvml::driver_version() const {
  std::array<char, 80> text{};
  const bool known = ready_ && functions_->driver_version &&
                     functions_->driver_version(text.data(), text.size()) == nvml_success;
  return known ? text.data() : std::string();
}

std::string Nvml::vbios_version(void* gpu) const {
  std::array<char, 32> text{};
  const bool known = gpu != nullptr && functions_->vbios &&
                     functions_->vbios(gpu, text.data(), text.size()) == nvml_success;
  return known ? text.data() : std::string();
}

int Nvml::sm_clock_mhz(void* gpu) const {
  return whole(functions_->number(functions_->clock, gpu, sm_clock)).value_or(0);
}
int Nvml::memory_clock_mhz(void* gpu) const {
  return whole(functions_->number(functions_->clock, gpu, memory_clock)).value_or(0);
}
int Nvml::pcie_generation(void* gpu) const {
  return whole(functions_->number(functions_->pcie_generation, gpu)).value_or(0);
}
int Nvml::pcie_width(void* gpu) const {
  return whole(functions_->number(functions_->pcie_width, gpu)).value_or(0);
}

int Nvml::active_nvlinks(void* gpu) const {
  int active = 0;
  for (unsigned link = 0; link < max_links; ++link) {
    active += functions_->is_active(gpu, link) ? 1 : 0;
  }
  return active;
}

std::optional<double> Nvml::temperature_celsius(void* gpu) const {
  return scaled(functions_->number(functions_->temperature, gpu, gpu_sensor), 1.0);
}
std::optional<double> Nvml::memory_temperature_celsius(void* gpu) const {
  // GPUs without such a sensor report 0.
  const auto celsius = functions_->field(gpu, memory_temperature_field);
  return celsius && *celsius > 0 ? scaled(celsius, 1.0) : std::nullopt;
}
std::optional<double> Nvml::slowdown_temperature_celsius(void* gpu) const {
  return scaled(functions_->number(functions_->temperature_threshold, gpu, slowdown_threshold),
                1.0);
}
std::optional<double> Nvml::power_watts(void* gpu) const {
  return scaled(functions_->number(functions_->power, gpu), milli);
}
std::optional<double> Nvml::power_limit_watts(void* gpu) const {
  return scaled(functions_->number(functions_->power_limit, gpu), milli);
}
std::optional<double> Nvml::default_power_limit_watts(void* gpu) const {
  return scaled(functions_->number(functions_->default_power_limit, gpu), milli);
}
std::optional<int> Nvml::performance_state(void* gpu) const {
  constexpr int unknown = 32;  // NVML_PSTATE_UNKNOWN
  const auto state = whole(functions_->number(functions_->performance_state, gpu));
  return state == unknown ? std::nullopt : state;
}
std::optional<double> Nvml::utilisation(void* gpu) const {
  NvmlUtilisation percent{};
  const bool known = gpu != nullptr && functions_->utilisation &&
                     functions_->utilisation(gpu, &percent) == nvml_success;
  return known ? std::optional(0.01 * percent.gpu) : std::nullopt;
}
std::optional<int> Nvml::max_sm_clock_mhz(void* gpu) const {
  return whole(functions_->number(functions_->max_clock, gpu, sm_clock));
}
std::optional<int> Nvml::max_memory_clock_mhz(void* gpu) const {
  return whole(functions_->number(functions_->max_clock, gpu, memory_clock));
}
std::optional<int> Nvml::max_pcie_generation(void* gpu) const {
  return whole(functions_->number(functions_->max_pcie_generation, gpu));
}
std::optional<int> Nvml::max_pcie_width(void* gpu) const {
  return whole(functions_->number(functions_->max_pcie_width, gpu));
}
std::optional<int> Nvml::nvlink_mb_per_second(void* gpu) const {
  const auto speed = whole(functions_->field(gpu, link_speed_field));
  return speed == 0 ? std::nullopt : speed;
}
std::optional<bool> Nvml::persistence_mode(void* gpu) const {
  return is_on(functions_->number(functions_->persistence, gpu));
}
std::optional<bool> Nvml::mig_mode(void* gpu) const {
  unsigned current = 0;
  unsigned pending = 0;
  const bool known =
      gpu != nullptr && functions_->mig && functions_->mig(gpu, &current, &pending) == nvml_success;
  return known ? std::optional(current != 0) : std::nullopt;
}

std::optional<std::uint64_t> Nvml::clock_event_reasons(void* gpu) const {
  const auto reasons = functions_->number(functions_->event_reasons, gpu);
  return reasons ? reasons : functions_->number(functions_->throttle_reasons, gpu);
}

std::optional<double> Nvml::energy_joules(void* gpu) const {
  return scaled(functions_->number(functions_->energy, gpu), milli);
}

ThrottleSeconds Nvml::throttle_seconds(void* gpu) const {
  std::array<NvmlFieldValue, 4> values{{{.field = power_cap_field},
                                        {.field = thermal_field},
                                        {.field = hardware_thermal_field},
                                        {.field = power_brake_field}}};
  functions_->read(gpu, values);
  constexpr std::array reasons{Throttle::power_cap, Throttle::thermal, Throttle::hardware,
                               Throttle::power_brake};
  ThrottleSeconds seconds;
  for (std::size_t n = 0; n < values.size(); ++n) {
    if (values.at(n).status == nvml_success) {
      constexpr double nano = 1e-9;
      seconds[reasons.at(n)] = nano * static_cast<double>(value_of(values.at(n)));
    }
  }
  // Drivers before 570 count these two only, by another function.
  if (!seconds[Throttle::power_cap]) {
    seconds[Throttle::power_cap] = functions_->violation_seconds(gpu, power_policy);
  }
  if (!seconds[Throttle::thermal]) {
    seconds[Throttle::thermal] = functions_->violation_seconds(gpu, thermal_policy);
  }
  return seconds;
}

std::optional<std::int64_t> Nvml::corrected_memory_errors(void* gpu) const {
  return functions_->errors_of_memory(gpu, corrected_errors);
}
std::optional<std::int64_t> Nvml::uncorrected_memory_errors(void* gpu) const {
  return functions_->errors_of_memory(gpu, uncorrected_errors);
}

std::optional<std::int64_t> Nvml::pcie_replays(void* gpu) const {
  const auto count = functions_->number(functions_->pcie_replays, gpu);
  return count ? std::optional(std::int64_t{*count}) : std::nullopt;
}

std::optional<LinkErrors> Nvml::nvlink_errors(void* gpu) const {
  std::optional<LinkErrors> errors;
  for (unsigned link = 0; link < max_links; ++link) {
    if (!functions_->is_active(gpu, link)) {
      continue;
    }
    const auto replays = functions_->errors_of_link(gpu, link, link_replay);
    const auto recoveries = functions_->errors_of_link(gpu, link, link_recovery);
    const auto checksums = functions_->errors_of_link(gpu, link, link_checksum);
    if (replays || recoveries || checksums) {
      LinkErrors sum = errors.value_or(LinkErrors{});
      sum.replays += replays.value_or(0);
      sum.recoveries += recoveries.value_or(0);
      sum.checksums += checksums.value_or(0);
      errors = sum;
    }
  }
  return errors;
}

std::optional<RemappedRows> Nvml::remapped_rows(void* gpu) const {
  unsigned correctable = 0;
  unsigned uncorrectable = 0;
  unsigned pending = 0;
  unsigned failed = 0;
  if (gpu == nullptr || !functions_->remapped_rows ||
      functions_->remapped_rows(gpu, &correctable, &uncorrectable, &pending, &failed) !=
          nvml_success) {
    return std::nullopt;
  }
  return RemappedRows{.correctable = correctable,
                      .uncorrectable = uncorrectable,
                      .pending = pending != 0,
                      .failed = failed != 0};
}

}  // namespace bankfull
