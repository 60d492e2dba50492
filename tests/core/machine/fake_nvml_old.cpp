// What a driver of some years ago has of NVML. Signatures and structures are those of nvml.h, not
// of the code under test.

#include "tests/core/machine/fake_nvml.hpp"

#include <cstring>

using bankfull::FakeNvml;

extern "C" FakeNvml* fake_nvml() {
  static FakeNvml state;  // a library has one, whoever opens it
  return &state;
}

namespace {

constexpr int success = 0;
constexpr int invalid_argument = 2;
constexpr int not_found = 6;

int answer(unsigned* to, unsigned value) {
  *to = value;
  return success;
}

struct Utilization {
  unsigned gpu;
  unsigned memory;
};

struct ViolationTime {
  unsigned long long reference_time;
  unsigned long long violation_time;
};

}  // namespace

// NOLINTBEGIN(readability-identifier-naming): the names are NVML's.
extern "C" {

int nvmlInit_v2() {
  fake_nvml()->users += fake_nvml()->init_result == success ? 1 : 0;
  return fake_nvml()->init_result;
}

int nvmlShutdown() {
  --fake_nvml()->users;
  return success;
}

int nvmlDeviceGetHandleByPciBusId_v2(const char* bus_id, void** gpu) {
  const bool is_second = std::strcmp(bus_id, bankfull::second_fake_bus_id) == 0;
  *gpu = fake_nvml();
  if (is_second) {
    *gpu = &fake_nvml()->second_energy_millijoules;  // any other address
  }
  return is_second || std::strcmp(bus_id, bankfull::fake_bus_id) == 0 ? success : not_found;
}

int nvmlSystemGetDriverVersion(char* text, unsigned length) {
  std::strncpy(text, "470.1", length);
  return success;
}

int nvmlDeviceGetClockInfo(void*, unsigned kind, unsigned* megahertz) {
  return answer(megahertz, kind == 1 ? fake_nvml()->sm_megahertz : fake_nvml()->memory_megahertz);
}

int nvmlDeviceGetTemperature(void*, unsigned sensor, unsigned* celsius) {
  return sensor == 0 ? answer(celsius, fake_nvml()->celsius) : invalid_argument;
}

int nvmlDeviceGetPowerUsage(void*, unsigned* milliwatts) {
  *milliwatts = fake_nvml()->milliwatts;
  return fake_nvml()->power_result;
}

int nvmlDeviceGetUtilizationRates(void*, Utilization* percent) {
  *percent = {fake_nvml()->busy_percent, 5};
  return success;
}

int nvmlDeviceGetEnforcedPowerLimit(void*, unsigned* milliwatts) {
  return answer(milliwatts, fake_nvml()->limit_milliwatts);
}

int nvmlDeviceGetNvLinkState(void*, unsigned link, unsigned* is_active) {
  return answer(is_active, link < fake_nvml()->active_links ? 1 : 0);
}

int nvmlDeviceGetCurrentClocksThrottleReasons(void*, unsigned long long* reasons) {
  *reasons = fake_nvml()->event_reasons;
  return success;
}

int nvmlDeviceGetViolationStatus(void*, unsigned policy, ViolationTime* time) {
  time->reference_time = 1;
  time->violation_time =
      policy == 0 ? fake_nvml()->power_cap_nanoseconds : fake_nvml()->thermal_nanoseconds;
  return policy <= 1 ? success : invalid_argument;
}

int nvmlDeviceGetTotalEccErrors(void*, unsigned kind, unsigned since, unsigned long long* count) {
  *count = kind == 0 ? fake_nvml()->corrected_errors : fake_nvml()->uncorrected_errors;
  return since == 0 ? success : invalid_argument;
}

}  // extern "C"
// NOLINTEND(readability-identifier-naming)
